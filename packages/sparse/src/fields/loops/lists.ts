import type { Value } from '@filigree/ir';
import { atomic, fixed, plus, along, type Emit } from '../access/lower/address.js';
import { pathTo } from '../layout/layout.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type List, type NodeStorage } from '../storage/storage.js';
import { entry, innerCell, loadWord, pooledCell, rootCell, storeWord, type Cell } from './cells.js';
import { lastUsed } from './counters.js';
import { loop } from './loop.js';
import { lengthOf } from './nest.js';
import { PROCESSOR, WORD } from './plan.js';

/**
 * Makes the list of the active cells of a sparse node (thesis §4.3): for a pool from the marks of its cells, for any
 * other node by visiting the active cells of the innermost pool around it, or from the root. Long lists are made in
 * parallel.
 */
export const makeList = (e: Emit, node: number): List => {
  const { storage, b } = e;
  const at = storage.nodes[node];
  const list = at.list!;
  storeWord(e, b.i32(0), fixed(list.length));
  if (at.pool) listPool(e, at, list);
  else {
    const path = pathTo(storage.layout.nodes, node).map((n) => storage.nodes[n]);
    const pool = path.findLastIndex((n) => n.pool);
    const below = path.slice(pool + 1);
    if (pool >= 0)
      inParts(e, lastUsed(e, path[pool].pool!), RESERVED_CELLS, workOf(below), (n) => {
        b.if(b.cmp('ne', loadWord(e, entry(path[pool].pool!.active, n)), b.i32(0)), () =>
          descend(e, pooledCell(path[pool], n), below, list),
        );
      });
    else descend(e, rootCell(e), below, list, true);
  }
  return list;
};

/** Numbers looked at before it is worth asking other threads for help; where threads cost nothing it always is. */
const manyFor = ({ grain: { least } = PROCESSOR }: Emit): number => (least === 1 ? 0 : 8 * least);

/** Numbers of a pool that one thread looks at in a row, as a power of two. */
const chunkFor = ({ grain: { most } = PROCESSOR }: Emit): number => Math.min(10, Math.floor(Math.log2(most)));

const listPool = (e: Emit, at: NodeStorage, list: List): void => {
  const { b } = e;
  const pool = at.pool!;
  const end = lastUsed(e, pool);
  const first = b.i32(RESERVED_CELLS);
  const one = b.i32(1);
  const isActive = (n: Value): Value => b.cmp('ne', loadWord(e, entry(pool.active, n)), b.i32(0));
  const shift = chunkFor(e);
  const size = 2 ** shift;
  const chunks = b.shr(b.add(b.sub(end, first), b.i32(size - 1)), b.i32(shift));
  inParts(e, chunks, 0, size, (chunk) => {
    const from = b.add(b.mul(chunk, b.i32(size)), first);
    const to = b.min(b.add(from, b.i32(size)), end);
    const [count] = b.for(from, to, one, {}, [b.i32(0)], (n, [sum]) => b.add(sum, loadWord(e, entry(pool.active, n))));
    const at = atomic(e, 'add', count, fixed(list.length));
    b.for(from, to, one, {}, [at], (n, [next]) =>
      b.if(
        isActive(n),
        () => {
          storeWord(e, n, entry(list.cells, next));
          return b.add(next, one);
        },
        () => next,
      ),
    );
  });
};

/** Lists the active cells of the last node of a path within a cell of the node above the path. */
const descend = (e: Emit, around: Cell, path: readonly NodeStorage[], list: List, outermost = false): void => {
  const { b } = e;
  const [at, ...below] = path;
  const container = plus(around.address, at.offset);
  const each = (count: Value | number, work: number, body: (n: Value) => void): void =>
    outermost ? inParts(e, count, 0, work, body) : loop(b, typeof count === 'number' ? b.i32(count) : count, body);
  const list1 = (number: Value, next: Value): void =>
    storeWord(e, innerCell(e, around, at, number).id!, entry(list.cells, next));
  if (at.length !== undefined) {
    const length = lengthOf(e, at, container);
    if (below.length > 0)
      return each(length, workOf(below), (n) => descend(e, innerCell(e, around, at, n), below, list));
    const first = atomic(e, 'add', length, fixed(list.length));
    return each(length, 1, (n) => list1(n, b.add(first, n)));
  }
  if (at.mask === undefined)
    return each(at.cells, workOf(below), (n) => descend(e, innerCell(e, around, at, n), below, list));
  each(Math.ceil(at.cells / WORD), WORD * workOf(below), (n) => {
    const word = loadWord(e, along(plus(container, at.mask!), n, 4));
    b.if(b.cmp('ne', word, b.i32(0)), () => {
      const base = b.mul(n, b.i32(WORD));
      const set = (bit: Value): Value => b.and(b.shr(word, bit), b.i32(1));
      if (below.length > 0)
        return loop(b, b.i32(WORD), (bit) => {
          b.if(b.cmp('ne', set(bit), b.i32(0)), () =>
            descend(e, innerCell(e, around, at, b.add(base, bit)), below, list),
          );
        });
      const first = atomic(e, 'add', countBits(e, word), fixed(list.length));
      b.for(b.i32(0), b.i32(WORD), b.i32(1), {}, [first], (bit, [next]) => {
        const is = set(bit);
        b.if(b.cmp('ne', is, b.i32(0)), () => list1(b.add(base, bit), next));
        return b.add(next, is);
      });
    });
  });
};

/** A loop whose iterations are divided among threads where there are many; `work` says what an iteration looks at. */
export const inParts = (e: Emit, end: Value | number, from: number, work: number, body: (n: Value) => void): void => {
  const { b } = e;
  const start = from === 0 ? {} : { from: b.i32(from) };
  const many = from + Math.ceil(manyFor(e) / work);
  const inParallel = { ...start, attrs: { parallel: true } };
  if (typeof end === 'number') return loop(b, b.i32(end), body, end > many ? inParallel : start);
  if (many === from) return loop(b, end, body, inParallel);
  b.if(
    b.cmp('gt', end, b.i32(many)),
    () => loop(b, end, body, inParallel),
    () => loop(b, end, body, start),
  );
};

/** Numbers, or words of marks, that are looked at in a cell around a path. */
const workOf = (path: readonly NodeStorage[]): number =>
  path.reduce((n, { cells, mask }) => n * (mask === undefined ? cells : Math.ceil(cells / 4)), 1);

/** The number of bits that are set. */
const countBits = ({ b }: Emit, word: Value): Value => {
  const part = (x: Value, shift: number, mask: number): Value => b.and(b.shr(x, b.i32(shift)), b.i32(mask));
  const twos = b.sub(word, part(word, 1, 0x55555555));
  const fours = b.add(b.and(twos, b.i32(0x33333333)), part(twos, 2, 0x33333333));
  const bytes = b.and(b.add(fours, b.shr(fours, b.i32(4))), b.i32(0x0f0f0f0f));
  return b.shr(b.mul(bytes, b.i32(0x01010101)), b.i32(24));
};

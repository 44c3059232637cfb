import { along, plus, type Address, type Emit } from '../access/lower/address.js';
import { pathTo } from '../layout/layout.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import { entry, innerCell, loadWord, pooledCell, rootCell, storeWord, type Cell } from './cells.js';
import { lastUsed } from './counters.js';
import { inParts } from './lists.js';
import { loop } from './loop.js';
import { lengthOf } from './nest.js';
import { WORD } from './plan.js';

/** Copies the masks or lengths of all active containers of a node to where `NodeStorage.snapshot` says. */
export const takeSnapshot = (e: Emit, node: number): void => {
  const { storage, b } = e;
  const path = pathTo(storage.layout.nodes, node).map((n) => storage.nodes[n]);
  const pool = path.findLastIndex((n) => n.pool);
  const below = path.slice(pool + 1);
  if (pool < 0) return inContainers(e, rootCell(e), below, true);
  const { active } = path[pool].pool!;
  inParts(e, lastUsed(e, path[pool].pool!), RESERVED_CELLS, wordsOf(below[below.length - 1]), (n) => {
    b.if(b.cmp('ne', loadWord(e, entry(active, n)), b.i32(0)), () =>
      inContainers(e, pooledCell(path[pool], n), below, false),
    );
  });
};

/** The same of the containers of the last node of a path within a cell; those that are not active do no harm. */
const inContainers = (e: Emit, around: Cell, [at, ...below]: readonly NodeStorage[], outermost: boolean): void => {
  const container = plus(around.address, at.offset);
  if (below.length === 0) return copy(e, at, container, outermost);
  const inside = (n: Parameters<typeof innerCell>[3]): void =>
    inContainers(e, innerCell(e, around, at, n), below, false);
  if (at.length !== undefined) loop(e.b, lengthOf(e, at, container), inside);
  else if (outermost) inParts(e, at.cells, 0, wordsOf(below[below.length - 1]), inside);
  else loop(e.b, e.b.i32(at.cells), inside);
};

const copy = (e: Emit, at: NodeStorage, container: Address, outermost: boolean): void => {
  const word = (n: Parameters<typeof along>[1]): void =>
    storeWord(
      e,
      loadWord(e, along(plus(container, at.mask ?? at.length!), n, 4)),
      along(plus(container, at.snapshot!), n, 4),
    );
  const words = wordsOf(at);
  if (words === 1) word(e.b.i32(0));
  else if (outermost) inParts(e, words, 0, 1, word);
  else loop(e.b, e.b.i32(words), word, { attrs: { simd: true } });
};

/** Words of a mask, or of a length. */
const wordsOf = ({ mask, cells }: NodeStorage): number => (mask === undefined ? 1 : Math.ceil(cells / WORD));

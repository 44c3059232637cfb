import { byteSize } from '@filigree/ir';
import {
  HANDS,
  LINE,
  RESERVED_CELLS,
  STATUS_WORDS,
  arenaName,
  axesOf,
  dense,
  dynamic,
  elementsBelow,
  field,
  hash,
  hashOf,
  i,
  ij,
  ijk,
  initializeArena,
  isSparse,
  k,
  layout,
  poolsAround,
  storageOf,
  type Storage,
} from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layouts } from './access-model.js';
import { thrown } from './support.js';

const u = field('u', 'f32');
const v = field('v', 'f64');
const w = field('w', 'u8');

/** A run of bytes that belongs to something. */
interface Run {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

const run = (what: string, from: number, bytes: number): Run => ({ what, from, to: from + bytes });

/** Everything that has a place of its own in the arena. */
const placesOf = (s: Storage): Run[] => [
  run('status', s.status, 4 * STATUS_WORDS),
  run('root', s.root, s.nodes[0].cellBytes),
  ...s.nodes.flatMap(({ pool, list, cellBytes }, id) => [
    ...(pool
      ? [
          run(`cells ${id}`, pool.cells, pool.capacity * cellBytes),
          ...[pool.used, pool.freeCount, pool.recycledCount].map((at) => run(`counter ${id}`, at, 4)),
          ...[pool.lots.opened, pool.lots.searched].map((at) => run(`counter ${id}`, at, 4)),
          run(`lots ${id}`, pool.lots.taken, LINE * pool.lots.most),
          run(`hands ${id}`, pool.lots.hands, LINE * HANDS),
          ...[pool.free, pool.recycled, pool.active].map((at) => run(`array ${id}`, at, 4 * pool.capacity)),
          run(`coordinates ${id}`, pool.coordinates, 4 * pool.capacity * pool.axes.length),
          ...(pool.table
            ? [run(`table ${id}`, pool.table.slots, 4 * pool.table.size), run(`removed ${id}`, pool.table.removed, 4)]
            : []),
        ]
      : []),
    ...(list ? [run(`length ${id}`, list.length, 4), run(`list ${id}`, list.cells, 4 * list.capacity)] : []),
  ]),
];

const expectApart = (runs: readonly Run[], bytes: number): void => {
  const sorted = [...runs].filter((r) => r.to > r.from).sort((a, b) => a.from - b.from);
  sorted.forEach((r, n) => {
    expect(r.from, r.what).toBeGreaterThanOrEqual(0);
    expect(r.to, r.what).toBeLessThanOrEqual(bytes);
    if (n > 0) expect(r.from, `${sorted[n - 1].what} and ${r.what}`).toBeGreaterThanOrEqual(sorted[n - 1].to);
  });
};

describe('storage', () => {
  it('gives each thing bytes of its own, aligned for what lies there', () => {
    fc.assert(
      fc.property(layouts(), fc.constantFrom(1 << 12, 1 << 20), fc.boolean(), (shape, budget, together) => {
        const s = storageOf(shape, { budget, together });
        expectApart(placesOf(s), s.bytes);
        for (const at of placesOf(s)) expect(at.from % 4, at.what).toBe(0);
        s.nodes.forEach((at, id) => {
          const children = at.node.children.map((c) => run(`child ${c}`, s.nodes[c].offset, s.nodes[c].containerBytes));
          expectApart(children, at.cellBytes);
          if (at.node.field || id === 0 || at.node.kind === 'hash') return;
          const cells = at.cells + (at.length === undefined ? 0 : 1);
          expectApart(
            [
              ...(at.length === undefined ? [] : [run('length', at.length, 4)]),
              ...(at.mask === undefined ? [] : [run('mask', at.mask, 4 * Math.ceil(at.cells / 32))]),
              ...(at.slots === undefined ? [] : [run('slots', at.slots, 4 * at.cells)]),
              ...(at.pool ? [] : [run('cells', at.firstCell, cells * at.cellBytes)]),
            ],
            at.containerBytes,
          );
        });
        /* The address of every value and of every word of structure, whatever the cells on the way. */
        const visit = (id: number, starts: number, steps: readonly number[]): void => {
          const { node, cellBytes, pool, firstCell, offset, mask, slots, length } = s.nodes[id];
          const container = starts + offset;
          const aligned = (bytes: number, what: string, at = container): void =>
            [at, ...steps].forEach((x) => expect(x % bytes, `${what} of node ${id}`).toBe(0));
          if (node.field) return aligned(byteSize(node.field.type), 'value');
          for (const word of [mask, slots, length]) if (word !== undefined) aligned(4, 'word', container + word);
          for (const c of node.children)
            if (pool) visit(c, pool.cells, [cellBytes]);
            else visit(c, container + firstCell, [...steps, cellBytes]);
        };
        for (const c of s.nodes[0].node.children) visit(c, s.root, []);
      }),
      { numRuns: 200 },
    );
  });

  it('lets arrays of each type look at all of it, by i32 while that is enough', () => {
    const small = storageOf(layout(dense(i, 10).place(u, v)));
    expect(small.buffers.map((b) => [b.name, b.memory, b.length * byteSize(b.type)])).toEqual([
      ['arena_i32', 'arena', small.bytes],
      ['arena_f32', 'arena', small.bytes],
      ['arena_f64', 'arena', small.bytes],
    ]);
    expect(small.index).toBe('i32');
    expect(storageOf(layout(dense(i, 2 ** 28).place(u, w))).index).toBe('i64');
    expect(storageOf(layout(dense(ij, 2 ** 15).place(w))).index).toBe('i32');
    expect(storageOf(layout(dense(i, 10).place(u)), { memory: 'm' }).buffers[0].name).toBe(arenaName('m', 'i32'));
  });

  it('keeps fields of a cell side by side, and forks one after the other', () => {
    const together = storageOf(layout(dense(i, 10).place(u, v, w)));
    expect(together.nodes.slice(2).map((n) => n.offset)).toEqual([0, 8, 16]);
    expect(together.nodes[1].cellBytes).toBe(24);
    const apart = storageOf(layout(dense(i, 10).place(w), dense(i, 10).place(v)));
    expect([apart.nodes[1].offset, apart.nodes[3].offset, apart.nodes[3].cellBytes]).toEqual([0, 16, 8]);
  });

  it('begins large arrays of one size at places of their pages that are far apart, and leaves small ones side by side', () => {
    const of = (n: number): readonly number[] => {
      const s = storageOf(layout(...[u, v, w].map((f) => dense(ij, n).place(f))));
      return s.nodes[0].node.children.map((c) => s.nodes[c].offset);
    };
    const places = of(512).map((at) => at % 4096);
    for (const [n, a] of places.entries())
      for (const b of places.slice(n + 1))
        expect(Math.min(Math.abs(a - b), 4096 - Math.abs(a - b))).toBeGreaterThan(512);
    expect(places.every((at) => at % LINE === 0)).toBe(true);
    expect(of(8)).toEqual([0, (8 * 8 + 2 * 8) * 4, (8 * 8 + 2 * 8) * 12]);
  });

  it('runs fastest along the last axis, in the order in which the node names them', () => {
    expect(storageOf(layout(dense(ijk, [2, 3, 5]).place(u))).nodes[1].strides).toEqual([15, 5, 1]);
    expect(storageOf(layout(dense([2, 0], [5, 2]).place(u))).nodes[1].strides).toEqual([1, 0, 2]);
  });

  it('has room for as many cells as there can be, or as were asked for, or as fit the budget', () => {
    const capacity = (cells?: number, budget?: number): number => {
      const shape = layout(
        dense(i, 1000)
          .pointer(cells === undefined ? {} : { cells })
          .dense(i, 100)
          .place(u),
      );
      return storageOf(shape, budget === undefined ? {} : { budget }).nodes[1].pool!.capacity - RESERVED_CELLS;
    };
    expect(capacity()).toBeGreaterThanOrEqual(1000);
    expect(capacity(10)).toBe(10);
    expect(capacity(5000)).toBeGreaterThanOrEqual(1000);
    expect(capacity(5000)).toBeLessThan(1200);
    expect(capacity(undefined, 100_000)).toBeGreaterThan(200);
    expect(capacity(undefined, 100_000)).toBeLessThan(250);
    expect(capacity(undefined, 1)).toBe(1);
  });

  it('leaves to other pools what one could never use of the budget', () => {
    const capacities = (budget: number): readonly number[] =>
      storageOf(
        layout(
          dense(ij, [64, 64]).pointer().dense(ij, [8, 8]).place(v),
          dense(ij, [8, 8]).pointer().dense(ij, [8, 8]).place(u),
        ),
        { budget },
      ).nodes.flatMap(({ pool }) => (pool ? [pool.capacity - RESERVED_CELLS] : []));
    const [, all] = capacities(1 << 24);
    const [most, least] = capacities(1 << 20);
    expect(least).toBe(all);
    /* Half of the budget would be room for 900; cells of 512 bytes and what is known of each. */
    expect(most).toBeGreaterThan(1800);
    expect(most).toBeLessThan((1 << 20) / 512);
  });

  it('stays near the budget, lists and tables included', () => {
    fc.assert(
      fc.property(layouts(), (shape) => {
        const fixedBytes = storageOf(shape, { budget: 1 }).bytes;
        const budget = 1 << 22;
        expect(storageOf(shape, { budget }).bytes - fixedBytes).toBeLessThan(1.2 * budget);
      }),
      { numRuns: 100 },
    );
  });

  it('makes a hash table at most half full, of a power of two', () => {
    const { table, capacity } = storageOf(layout(hash(ij, 1, { cells: 100 }).place(u))).nodes[1].pool!;
    expect(Math.log2(table!.size) % 1).toBe(0);
    expect(table!.size).toBeGreaterThanOrEqual(2 * capacity);
  });

  it('lists the nodes that a loop over their insides needs', () => {
    const s = storageOf(
      layout(dense(i, 4).pointer().dense(i, 4).bitmasked().dense(i, 4).bitmasked().place(u), dynamic(k, 4).place(v)),
    );
    expect(s.nodes.map((n) => n.list !== undefined)).toEqual([false, true, true, false, false, false, false]);
    expect(s.nodes[2].list!.capacity).toBe(4 * s.nodes[1].pool!.capacity);
    for (const { node, pool } of s.nodes) if (pool) expect(isSparse(node)).toBe(true);
  });

  it('refuses what no array can hold, and names it', () => {
    expect(thrown(() => storageOf(layout(dense(ijk, 2048).place(u))))).toMatchObject({
      code: 'layout/too-large',
      remedy: expect.stringContaining('dense(i: 2048, j: 2048, k: 2048)') as unknown,
    });
    expect(thrown(() => storageOf(layout(dense(ij, 50_000).bitmasked().place(w))))).toMatchObject({
      code: 'layout/too-large',
      message: expect.stringContaining('bitmasked') as unknown,
    });
  });
});

describe('places in a layout', () => {
  const shape = layout(dense(ij, [4, 2]).pointer().dense(i, 8).pointer().dense(ij, [2, 16]).place(u));

  it('elements in a cell along an axis', () => {
    expect([1, 2, 3, 4].map((n) => elementsBelow(shape, n, 4, 0))).toEqual([16, 2, 1, 1]);
    expect([1, 2, 3].map((n) => elementsBelow(shape, n, 4, 1))).toEqual([16, 16, 1]);
    expect(elementsBelow(shape, 1, 2, 0)).toBe(8);
  });

  it('pools around a node', () => {
    const s = storageOf(shape);
    expect(poolsAround(s, 4)).toEqual([1, 2]);
    expect(poolsAround(s, 1)).toEqual([1]);
    expect(s.nodes[2].pool!.axes).toEqual(axesOf(shape, 2));
  });
});

describe('the hash of coordinates', () => {
  it('is an i32 that spreads neighbours', () => {
    const low = new Set<number>();
    for (let x = -16; x < 16; x++)
      for (let y = -16; y < 16; y++) {
        const h = hashOf([x, y]);
        expect(h).toBe(h | 0);
        low.add(h & 4095);
      }
    expect(low.size).toBeGreaterThan(850);
  });
});

describe('memory that is too small', () => {
  it.each([new Uint8Array(8), {}, new ArrayBuffer(0)])('is refused: %o', (memory) => {
    const storage = storageOf(layout(dense(i, 8).place(u)));
    expect(thrown(() => initializeArena(storage, memory as Uint8Array)).code).toBe('arena/bytes');
  });
});

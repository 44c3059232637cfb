import type { Backend, CompileOptions } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  makeModule,
  pipeline,
  type Attrs,
  type Buffer,
  type Builder,
  type Kernel,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { instantiate } from '@filigree/runtime';
import {
  RESERVED_CELLS,
  arenaName,
  axesOf,
  dense,
  elementsBelow,
  field,
  fieldDialect,
  givenOf,
  hash,
  i,
  ij,
  initializeArena,
  j,
  k,
  layout,
  snodeDialect,
  storageOf,
  type Branch,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { describe, expect, it } from 'vitest';
import { right } from '../../packages/sparse/tests/support.js';

const backends: readonly (readonly [string, Backend, number])[] = [
  ['cpp, one thread', cpp(), 1],
  ['cpp, eight threads', cpp(), 8],
  ['wasm', wasm(), 1],
];

interface Machine {
  readonly storage: Storage;
  readonly buffers: Readonly<Record<string, TypedArray>>;
  readonly words: Int32Array;
  readonly run: (kernel: string, ...args: readonly number[]) => void;
  readonly dispose: () => void;
}

type Kernels = Readonly<Record<string, (b: Builder, n: Value) => void>>;

/** Kernels of one i32 parameter over a layout, compiled. */
const start = async (
  shape: Layout,
  kernels: Kernels,
  [backend, threads]: readonly [Backend, number],
  own: readonly Buffer[] = [],
  compile: CompileOptions = {},
): Promise<Machine> => {
  const storage = storageOf(shape, { budget: 1 << 24 });
  const buffers = [...storage.buffers, ...own];
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const built = Object.entries(kernels).map(([name, body]): Kernel =>
    buildKernel(name, { n: 'i32' }, (b, { n }) => body(b, n), buffers, { dialects }),
  );
  const module = right(pipeline([lowerFields(storage), defaultPipeline()]).run(makeModule('m', buffers, built)));
  const program = right(await instantiate(module, backend, { threads, ...compile })());
  const words = program.buffers[arenaName(storage.memory, 'i32')] as Int32Array;
  initializeArena(storage, new Uint8Array(words.buffer, words.byteOffset, storage.bytes));
  return {
    storage,
    buffers: program.buffers,
    words,
    run: (kernel, ...args) => void program.launch(kernel, args),
    dispose: () => program.dispose(),
  };
};

/** A loop over the active elements of a node. */
const over = (
  b: Builder,
  shape: Layout,
  node: number,
  body: (...coordinates: readonly Value[]) => void,
  attrs: Attrs = {},
): void => {
  const { region } = b.region(
    axesOf(shape, node).map(() => ({ type: 'i32' as const })),
    (coordinates) => body(...coordinates),
  );
  b.op('field.for', [], { node: shape.nodes[node].name, ...attrs }, [region]);
};

const range = (b: Builder, end: Value, body: (n: Value) => void): void =>
  void b.for(b.i32(0), end, b.i32(1), { parallel: true }, [], body);

/** Every cell of every pool is active or free, once, and all but the active ones are as the ambient cell; what loops copy aside stays. */
const active = ({ storage, words }: Machine, node: number): readonly number[] => {
  const { pool, cellBytes } = storage.nodes[node];
  const word = (address: number): number => words[address / 4];
  const [given, freeCount] = [givenOf(words, pool!), word(pool!.freeCount)];
  const end = word(pool!.used) + Math.max(0, given.turns - freeCount);
  expect(word(pool!.recycledCount)).toBe(0);
  const later = words.subarray(pool!.free / 4 + Math.min(given.turns, freeCount), pool!.free / 4 + freeCount);
  const free = [...given.left, ...later];
  const found: number[] = [];
  for (let n = RESERVED_CELLS; n < pool!.capacity; n++) if (word(pool!.active + 4 * n) !== 0) found.push(n);
  const all = [...free, ...found].sort((a, b) => a - b);
  expect(all.length).toBe(end - RESERVED_CELLS);
  expect(all.every((n, at) => n === at + RESERVED_CELLS)).toBe(true);
  const cell = (n: number): Int32Array =>
    words.subarray((pool!.cells + n * cellBytes) / 4, (pool!.cells + (n + 1) * cellBytes) / 4);
  const aside = storage.nodes.flatMap(({ node: { parent }, offset, snapshot, firstCell }) =>
    parent === node && snapshot !== undefined ? [{ from: (offset + snapshot) / 4, to: (offset + firstCell) / 4 }] : [],
  );
  const same = (x: number, at: number): boolean =>
    x === cell(0)[at] || aside.some(({ from, to }) => at >= from && at < to);
  expect([...later].every((n) => cell(n).every(same))).toBe(true);
  return found;
};

describe.each(backends)('loops over active elements, on %s', (_name, backend, threads) => {
  const u = field('u', 'i32', { ambient: 7 });
  const target = [backend, threads] as const;

  const shapes: readonly (readonly [string, Layout, number])[] = [
    ['pointers', layout(dense(ij, 64).pointer().dense(ij, 4).place(u)), 2],
    ['a hash table', layout(hash(ij, 1, { cells: 5000 }).dense(ij, 4).place(u)), 2],
    ['pointers behind pointers', layout(dense(ij, 8).pointer().dense(ij, 8).pointer().dense(ij, 4).place(u)), 3],
    ['masks in masks', layout(dense(ij, 64).bitmasked().dense(ij, 4).bitmasked().place(u)), 2],
    ['masks behind pointers', layout(dense(ij, 8).pointer().dense(ij, 32).bitmasked().place(u)), 2],
  ];

  it.each(shapes)(
    '%s: each is visited once, also while others come and go',
    async (_shape, shape, node) => {
      const [n, side] = [20000, 256];
      const shift = Math.log2(elementsBelow(shape, 1, node, 0));
      const leaves = shape.nodes[node].bitmasked ? 'masks' : 'blocks';
      const element = (b: Builder, x: Value): Value[] => {
        const h = b.mul(x, b.i32(40503));
        return [b.and(b.shr(h, b.i32(3)), b.i32(side - 1)), b.and(b.shr(h, b.i32(12)), b.i32(side - 1))];
      };
      const place = (b: Builder, x: Value, y: Value): Value => b.add(b.mul(x, b.i32(side)), y);
      const m = await start(
        shape,
        {
          scatter: (b, count) =>
            range(b, count, (x) => void b.op('field.store', [b.i32(1), ...element(b, x)], { field: 'u' })),
          visit: (b) =>
            over(
              b,
              shape,
              node,
              (x, y) => void b.atomic('seen', 'add', b.value('field.load', [x, y], { field: 'u' }), place(b, x, y)),
            ),
          /* What it writes lies outside of what is active, or not: it must not be visited. */
          grow: (b) =>
            over(b, shape, node, (x, y) => {
              b.atomic('seen', 'add', b.i32(1), place(b, x, y));
              b.op('field.store', [b.i32(1), b.sub(b.i32(side - 1), y), x], { field: 'u' });
            }),
          /* Cells of the outermost node go, every other one. */
          prune: (b) =>
            over(b, shape, node, (x, y) => {
              const cell = [b.shr(x, b.i32(shift)), b.shr(y, b.i32(shift))];
              b.if(b.cmp('eq', b.and(b.add(cell[0], cell[1]), b.i32(1)), b.i32(1)), () => {
                b.op('field.deactivate', cell, { node: shape.nodes[1].name });
              });
            }),
          clear: (b) => void b.op('field.clear_all', [], { node: shape.nodes[1].name }),
        },
        target,
        [declareBuffer('seen', 'i32', side * side, 'inout')],
      );
      const isOdd = (at: number): boolean => ((((at % side) >> shift) + (Math.floor(at / side) >> shift)) & 1) === 1;
      const seen = m.buffers.seen as Int32Array;
      const visit = (kernel = 'visit'): number[] => {
        seen.fill(0);
        m.run(kernel, 0);
        return [...seen];
      };
      const pools = m.storage.nodes.flatMap(({ node: { id }, pool }) => (pool ? [id] : []));
      const check = (): void => pools.forEach((id) => active(m, id));

      expect(visit().every((x) => x === 0)).toBe(true);
      for (let round = 0; round < 3; round++) {
        m.run('scatter', n);
        check();
        const before = visit();
        expect(before.some((x) => x === 1)).toBe(true);
        /* Elements of dense blocks that were not written hold the ambient value; none is visited twice. */
        expect(before.every((x) => x === 0 || x === 1 || x === 7)).toBe(true);
        const once = before.map((x) => (x === 0 ? 0 : 1));
        /* What becomes active in a block that is visited is visited, or not. */
        const grown = visit('grow');
        if (leaves === 'blocks') expect(grown).toEqual(once);
        else expect(grown.every((x, at) => x === 1 || (x === 0 && once[at] === 0))).toBe(true);
        check();
        const full = visit();
        expect(full.every((x, at) => x !== 0 || once[at] === 0)).toBe(true);
        m.run('prune', 0);
        check();
        expect(visit()).toEqual(full.map((x, at) => (isOdd(at) ? 0 : x)));
        m.run('clear', 0);
        check();
        expect(visit().every((x) => x === 0)).toBe(true);
        for (const id of pools) expect(active(m, id)).toEqual([]);
      }
      m.dispose();
    },
    300_000,
  );

  it('a million cells come and go in a node that has room for few', async () => {
    const rounds = 1_000_000;
    const shape = layout(
      dense(i, 1 << 20)
        .pointer({ cells: 64 })
        .dense(i, 2)
        .pointer({ cells: 64 })
        .dense(j, 2)
        .place(u),
    );
    const m = await start(
      shape,
      {
        rounds: (b, count) =>
          void b.for(b.i32(0), count, b.i32(1), {}, [], (x) => {
            b.op('field.store', [x, b.shl(x, b.i32(1)), b.i32(1)], { field: 'u' });
            b.op('field.deactivate', [x], { node: shape.nodes[1].name });
          }),
      },
      target,
    );
    m.run('rounds', rounds);
    expect(m.words[m.storage.status / 4]).toBe(0);
    expect(active(m, 1)).toEqual([]);
    expect(active(m, 2)).toEqual([]);
    m.dispose();
  }, 300_000);

  it('entries of a hash table come and go', async () => {
    const shape = layout(hash(i, 1, { cells: 500 }).place(u));
    const m = await start(
      shape,
      {
        move: (b, by) => {
          over(b, shape, 1, (x) => void b.op('field.deactivate', [x], { node: shape.nodes[1].name }));
          range(b, b.i32(500), (x) => void b.op('field.store', [b.i32(1), b.add(x, by)], { field: 'u' }));
        },
      },
      target,
    );
    for (let round = 0; round < 300; round++) m.run('move', round * 400 - 50_000);
    expect(m.words[m.storage.status / 4]).toBe(0);
    expect(active(m, 1)).toHaveLength(500);
    m.dispose();
  }, 300_000);

  it('lists of particles are filled, visited and emptied', async () => {
    const p = field('p', 'i32');
    const shape = layout(dense(ij, 16).pointer().dynamic(k, 64).place(p));
    const m = await start(
      shape,
      {
        sort: (b, count) =>
          range(b, count, (x) => {
            const cell = [b.and(x, b.i32(15)), b.and(b.shr(x, b.i32(6)), b.i32(15))];
            const at = b.value('field.append', cell, { node: shape.nodes[2].name });
            b.op('field.store', [x, ...cell, at], { field: 'p' });
          }),
        visit: (b) =>
          over(b, shape, 2, (x, y, z) => {
            b.atomic('seen', 'add', b.i32(1), b.value('field.load', [x, y, z], { field: 'p' }));
          }),
        empty: (b) =>
          range(
            b,
            b.i32(256),
            (c) => void b.op('field.clear', [b.and(c, b.i32(15)), b.shr(c, b.i32(4))], { node: shape.nodes[2].name }),
          ),
      },
      target,
      [declareBuffer('seen', 'i32', 4096, 'inout')],
    );
    const seen = m.buffers.seen as Int32Array;
    for (let round = 1; round <= 3; round++) {
      m.run('sort', 4096);
      seen.fill(0);
      m.run('visit', 0);
      expect(seen.every((x) => x === 1)).toBe(true);
      m.run('empty', 0);
      seen.fill(0);
      m.run('visit', 0);
      expect(seen.every((x) => x === 0)).toBe(true);
      expect(active(m, 1)).toHaveLength(256);
    }
    m.dispose();
  }, 300_000);

  const top: readonly (readonly [string, () => Branch])[] = [
    ['pointers', () => dense(ij, 16).pointer()],
    ['a hash table', () => hash(ij, 1, { cells: 600 })],
    ['masks', () => dense(ij, 16).bitmasked()],
  ];
  const leaves: readonly (readonly [string, (b: Branch) => Branch])[] = [
    ['dense', (b) => b.dense(ij, 8)],
    ['masked', (b) => b.dense(ij, 8).bitmasked()],
  ];

  it.each(
    top.flatMap(([of, above]) => leaves.map(([kind, leaf]) => [`${kind} blocks below ${of}`, above, leaf] as const)),
  )(
    '%s: sums that come together in scratchpads are those of plain ones, and no more is active',
    async (_shape, above, leaf) => {
      const side = 128;
      const [w, s, c] = [field('w', 'f32'), field('s', 'f32'), field('c', 'i32', { ambient: -1 })];
      const shape = layout(leaf(above()).place(w), leaf(above()).place(s), leaf(above()).place(c));
      const parents = ['w', 's', 'c'].map((name) => shape.fields.get(name)!.path.at(-2)!);
      const blocks = ['s', 'c'].map((name) => shape.fields.get(name)!.path[0]);
      const results = await Promise.all(
        [[], ['s', 'c']].map(async (cache) => {
          const m = await start(
            shape,
            {
              scatter: (b, count) =>
                range(b, count, (x) => {
                  const h = b.mul(x, b.i32(40503));
                  const at = [b.shr(h, b.i32(5)), b.shr(h, b.i32(14))].map((y) => b.and(y, b.i32(side - 1)));
                  b.op('field.store', [b.f32(1), ...at], { field: 'w' });
                }),
              splat: (b) =>
                over(
                  b,
                  shape,
                  parents[0],
                  (x, y) => {
                    const value = b.value('field.load', [x, y], { field: 'w' });
                    /* All that goes to the right comes to nothing again, and is there nevertheless. */
                    for (const [dx, dy, weight] of [
                      [0, 0, 1],
                      [-1, 2, 0.5],
                      [3, 0, 2],
                      [3, 0, -2],
                    ]) {
                      const at = [b.add(x, b.i32(dx)), b.add(y, b.i32(dy))];
                      b.value('field.atomic', [b.mul(value, b.f32(weight)), ...at], { field: 's', kind: 'add' });
                      const whole = b.cast(b.mul(value, b.f32(2 * weight)), 'i32');
                      b.value('field.atomic', [whole, ...at], { field: 'c', kind: 'add' });
                    }
                  },
                  { cache },
                ),
              dump: (b) =>
                range(b, b.i32(side), (x) =>
                  b.for(b.i32(0), b.i32(side), b.i32(1), {}, [], (y) => {
                    const n = b.add(b.mul(x, b.i32(side)), y);
                    b.store('sums', b.value('field.load', [x, y], { field: 's' }), n);
                    b.store('counts', b.value('field.load', [x, y], { field: 'c' }), n);
                    ['s', 'c'].forEach((_name, k) => {
                      const masked = shape.nodes[parents[k + 1]].bitmasked;
                      const cell = masked ? [x, y] : [b.shr(x, b.i32(3)), b.shr(y, b.i32(3))];
                      const { name } = shape.nodes[masked ? parents[k + 1] : blocks[k]];
                      const is = b.value('field.is_active', cell, { node: name });
                      b.store('active', b.cast(is, 'i32'), b.add(n, b.i32(k * side * side)));
                    });
                  }),
                ),
            },
            target,
            [
              declareBuffer('sums', 'f32', side * side, 'inout'),
              declareBuffer('counts', 'i32', side * side, 'inout'),
              declareBuffer('active', 'i32', 2 * side * side, 'inout'),
            ],
            /* Under fast math, compilers leave out what they see to come to nothing. */
            { fastMath: false },
          );
          for (const kernel of ['scatter', 'splat', 'splat', 'dump']) m.run(kernel, 50);
          expect(m.words[m.storage.status / 4]).toBe(0);
          const found = ['sums', 'counts', 'active'].map((name) => [...(m.buffers[name] as Int32Array)]);
          m.dispose();
          return found;
        }),
      );
      expect(results[1]).toEqual(results[0]);
      expect(results[0][0].some((x) => x > 1)).toBe(true);
      expect(results[0][2].some((x) => x === 0)).toBe(true);
    },
    300_000,
  );
});

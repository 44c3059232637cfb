import {
  buildKernel,
  bytesOf,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  pipeline,
  verify,
  type Attrs,
  type Builder,
  type Module,
  type ScalarType,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  STATUS,
  arenaName,
  axesOf,
  dense,
  field,
  fieldDialect,
  hash,
  elementsBelow,
  ij,
  initializeArena,
  isSparse,
  k,
  layout,
  snodeDialect,
  storageOf,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerFields, lowerLoops } from '@filigree/sparse/lowering';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from './access-model.js';
import { left, right } from './support.js';

const u = field('u', 'f64', { ambient: 3 });
const v = field('v', 'f64', { ambient: 5 });

const dialectsOf = (shape: Layout) => [...coreDialects, fieldDialect(shape), snodeDialect(shape)];

/** A loop over the elements of a field with attributes; the body gets their coordinates. */
const over = (
  b: Builder,
  shape: Layout,
  name: string,
  attrs: Attrs,
  body: (b: Builder, at: readonly Value[]) => void,
): void => {
  const { path } = shape.fields.get(name)!;
  const node = path[path.length - 2];
  const { region } = b.region(
    axesOf(shape, node).map((a) => ({ type: 'i32' as const, hint: 'ijk'[a] })),
    (at) => body(b, at),
  );
  b.op('field.for', [], { node: shape.nodes[node].name, ...attrs }, [region]);
};

const kernelOf = (shape: Layout, storage: Storage, body: (b: Builder) => void): Module =>
  makeModule('m', storage.buffers, [buildKernel('main', {}, body, storage.buffers, { dialects: dialectsOf(shape) })]);

const load = (b: Builder, name: string, at: readonly Value[], ...plus: readonly number[]): Value =>
  b.value(
    'field.load',
    at.map((x, n) => (plus[n] ? b.add(x, b.i32(plus[n])) : x)),
    { field: name },
  );

const laplace = (b: Builder, at: readonly Value[]): void => {
  const sum = [[1, 0], [-1, 0], [0, 1], [0, -1]].map((plus) => load(b, 'v', at, ...plus)).reduce((x, y) => b.add(x, y)); // prettier-ignore
  b.op('field.store', [b.sub(sum, b.mul(b.f64(4), load(b, 'v', at))), ...at], { field: 'u' });
};

describe('the box of a cached field', () => {
  const scratch = (shape: Layout, attrs: Attrs, body: (b: Builder, at: readonly Value[]) => void, over1 = 'u') => {
    const storage = storageOf(shape, { budget: 1 << 20 });
    const module = kernelOf(shape, storage, (b) => over(b, shape, over1, attrs, body));
    const lowered = lowerLoops(storage).run(module);
    return {
      lowered,
      sizes: () =>
        right(lowered)
          .buffers.filter((x) => x.role === 'scratch')
          .map((x) => [x.name, x.length]),
    };
  };
  const blocks = layout(dense(ij, 16).pointer().dense(ij, 4).place(u, v));

  it('is 6 × 6 for the five-point stencil on blocks of 4 × 4 (Fig. 2-7)', () => {
    expect(scratch(blocks, { cache: ['v'] }, laplace).sizes()).toEqual([['main_pad_v', 36]]);
  });

  it('is not made where scratchpads are switched off', () => {
    const storage = storageOf(blocks, { budget: 1 << 20 });
    const module = kernelOf(blocks, storage, (b) => over(b, blocks, 'u', { cache: ['v'] }, laplace));
    const lowered = right(lowerLoops(storage, { scratchpads: false }).run(module));
    expect(lowered.buffers.filter((x) => x.role === 'scratch')).toEqual([]);
  });

  it('covers what is promised: assume_in_range', () => {
    const backtrace = (b: Builder, [x, y]: readonly Value[]): void => {
      const far = b.value('field.load', [x, y], { field: 'u' });
      const from = [x, y].map((c) => b.value('field.assume_in_range', [b.cast(far, 'i32'), c], { lo: -2, hi: 3 }));
      b.op('field.store', [load(b, 'v', from), x, y], { field: 'u' });
    };
    expect(scratch(blocks, { cache: ['v'] }, backtrace).sizes()).toEqual([['main_pad_v', 64]]);
  });

  it('follows coordinates through halving, doubling, branches and loops', () => {
    const w = field('w', 'f64');
    const shape = layout(
      dense(ij, 16).pointer().dense(ij, 4).place(u),
      dense(ij, 16).pointer().dense(ij, 2).place(v),
      dense(ij, 16).pointer().dense(ij, 8).place(w),
    );
    const body = (b: Builder, [x, y]: readonly Value[]): void => {
      const coarse = [x, y].map((c) => b.shr(c, b.i32(1)));
      const near = b.max(b.sub(coarse[1], b.i32(1)), b.i32(0));
      b.for(b.i32(-1), b.i32(2), b.i32(1), {}, [], (n) => {
        const [at] = b.if(
          b.cmp('lt', x, y),
          () => b.add(coarse[0], n),
          () => coarse[0],
        );
        b.op('field.store', [load(b, 'v', [at, near]), x, y], { field: 'u' });
        load(b, 'w', [b.mul(x, b.i32(2)), b.add(b.shl(y, b.i32(1)), b.i32(1))]);
      });
    };
    /* v: [-1, 2] × [-1, 0] beyond half the block's first element; w: [0, 6] × [1, 7] beyond twice. */
    expect(scratch(shape, { cache: ['v', 'w'] }, body).sizes()).toEqual([
      ['main_pad_v', 4 * 2],
      ['main_pad_w', 7 * 7],
    ]);
  });

  it('is that of a row where a grid is dense, and of a block where the user says so', () => {
    const shape = layout(dense(ij, 256).place(u, v));
    expect(scratch(shape, { cache: ['v'] }, laplace).sizes()).toEqual([['main_pad_v', 3 * 258]]);
    expect(scratch(shape, { cache: ['v'], block: 64 }, laplace).sizes()).toEqual([['main_pad_v', 3 * 66]]);
  });

  it('is refused where it is not known', () => {
    const body = (b: Builder, at: readonly Value[]): void => {
      const far = b.cast(load(b, 'u', at), 'i32');
      b.op('field.store', [load(b, 'v', [at[0], far]), ...at], { field: 'u' });
    };
    const { code, message, remedy } = left(scratch(blocks, { cache: ['v'] }, body).lowered);
    expect(code).toBe('loops/cache-bounds');
    expect(message).toContain("field 'v'");
    expect(message).toContain('along j');
    expect(remedy).toContain('assumeInRange');
  });

  it('is refused where one access has nothing to do with another', () => {
    const body = (b: Builder, [x, y]: readonly Value[]): void => {
      b.op('field.store', [b.add(load(b, 'v', [x, y]), load(b, 'v', [y, x])), x, y], { field: 'u' });
    };
    expect(left(scratch(blocks, { cache: ['v'] }, body).lowered).code).toBe('loops/cache-bounds');
  });

  it('is refused where it is too large', () => {
    const body = (b: Builder, at: readonly Value[]): void => {
      load(b, 'v', at, 100);
      load(b, 'v', at, -100, 50);
    };
    const { code, message } = left(scratch(blocks, { cache: ['v'] }, body).lowered);
    expect(code).toBe('loops/cache-size');
    expect(message).toContain('204 × 54');
  });

  it.each([
    ['stored', (b: Builder, at: readonly Value[]) => void b.op('field.store', [b.f64(1), ...at], { field: 'v' })],
    [
      'read and added to',
      (b: Builder, at: readonly Value[]) => {
        b.value('field.atomic', [load(b, 'v', at, 1), ...at], { field: 'v', kind: 'add' });
      },
    ],
    [
      'added to, and the old value is used',
      (b: Builder, at: readonly Value[]) => {
        const old = b.value('field.atomic', [b.f64(1), ...at], { field: 'v', kind: 'add' });
        b.op('field.store', [old, ...at], { field: 'u' });
      },
    ],
    [
      'minimised',
      (b: Builder, at: readonly Value[]) => {
        b.value('field.atomic', [b.f64(1), ...at], { field: 'v', kind: 'min' });
      },
    ],
  ])('is refused where the field is %s', (_what, body) => {
    expect(left(scratch(blocks, { cache: ['v'] }, body).lowered).code).toBe('loops/cache-use');
  });

  it('is refused for a field that is not there, and for one in lists', () => {
    expect(left(scratch(blocks, { cache: ['x'] }, laplace).lowered).code).toBe('loops/cache-field');
    const shape = layout(dense(ij, 16).place(u), dense(ij, 16).dynamic(k, 8).place(v));
    const body = (b: Builder, at: readonly Value[]): void => void load(b, 'v', [...at, b.i32(0)]);
    expect(left(scratch(shape, { cache: ['v'] }, body).lowered).code).toBe('loops/cache-field');
  });
});

describe('a kernel with scratchpads does what it does without', () => {
  const grid = (
    outer: 'pointer' | 'hash' | 'bitmasked' | 'dense',
    e: readonly [number, number],
    leaf: 'dense' | 'bitmasked',
  ) => {
    const top = outer === 'hash' ? hash(ij, 1, { cells: 3000 }) : dense(ij, 4);
    const block = outer === 'pointer' ? top.pointer() : outer === 'bitmasked' ? top.bitmasked() : top;
    const inner = block.dense(ij, e);
    return leaf === 'bitmasked' ? inner.bitmasked() : inner;
  };
  const shapes = fc
    .record({
      outer: fc.constantFrom('pointer' as const, 'hash' as const, 'bitmasked' as const, 'dense' as const),
      extents: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      other: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      leaf: fc.constantFrom('dense' as const, 'bitmasked' as const),
      apart: fc.boolean(),
      type: fc.constantFrom('f64' as const, 'f32' as const, 'i32' as const),
    })
    .map(({ outer, extents, other, leaf, apart, type }) => {
      const [u, v] = [field('u', 'f64', { ambient: 3 }), field('v', type, { ambient: 5 })];
      return {
        type,
        shape: apart
          ? layout(grid(outer, extents, leaf).place(u), grid(outer, other, leaf).place(v))
          : layout(grid(outer, extents, leaf).place(u, v)),
        reach: outer === 'hash' ? ([-6, 12] as const) : ([0, 4 * Math.max(...extents)] as const),
      };
    });
  const offset = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }));
  const writes = (reach: readonly [number, number]) => {
    const c = fc.integer({ min: reach[0], max: reach[1] - 1 });
    return fc.array(fc.tuple(c, c, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 12 });
  };
  const cases = shapes.chain(({ shape, type, reach }) =>
    fc.record({
      shape: fc.constant(shape),
      type: fc.constant(type),
      us: writes(reach),
      vs: writes(reach),
      offsets: fc.array(offset, { minLength: 1, maxLength: 4 }),
      /* What is added there, of which several may come to nothing. */
      weights: fc.array(fc.constantFrom(-1, -0, 0, 1, 2), { minLength: 4, maxLength: 4 }),
      block: fc.constantFrom(undefined, 2, 7),
    }),
  );

  const FROM = -20;
  const SIDE = 60;

  /** Runs a kernel; what `v` then holds around the origin, and where it is active. */
  const run = (shape: Layout, body: (b: Builder) => void, scratchpads: boolean, optimised: boolean) => {
    const storage = storageOf(shape, { budget: 1 << 20 });
    const out = declareBuffer('out', 'f64', 2 * SIDE * SIDE, 'output');
    const { path } = shape.fields.get('v')!;
    const around = [...path].reverse().find((n) => isSparse(shape.nodes[n]));
    const dump = (b: Builder): void => {
      const range = (f: (x: Value) => void): void => void b.for(b.i32(0), b.i32(SIDE), b.i32(1), {}, [], f);
      range((x) =>
        range((y) => {
          const at = [x, y].map((c) => b.add(c, b.i32(FROM)));
          const n = b.add(b.mul(x, b.i32(SIDE)), y);
          b.store('out', b.cast(load(b, 'v', at), 'f64'), n);
          if (around === undefined) return;
          const cell = at.map((c, axis) => {
            const below = elementsBelow(shape, around, path[path.length - 1], axis);
            return b.value('snode.extract', [c], { below, extent: 0, signed: true });
          });
          const active = b.value('field.is_active', cell, { node: shape.nodes[around].name });
          b.store('out', b.cast(active, 'f64'), b.add(n, b.i32(SIDE * SIDE)));
        }),
      );
    };
    const buffers = [...storage.buffers, out];
    const dialects = dialectsOf(shape);
    const kernel = buildKernel('main', {}, (b) => (body(b), dump(b)), buffers, { dialects });
    const passes = [
      lowerLoops(storage, { scratchpads }),
      lowerFields(storage, optimised ? {} : { simplify: false }),
      ...(optimised ? defaultPipeline().passes : []),
    ];
    const lowered = right(pipeline(passes, { check: verify(dialects) }).run(makeModule('m', buffers, [kernel])));
    const arrays: Record<string, TypedArray> = allocate(
      { ...lowered, buffers: lowered.buffers.filter((x) => x.role !== 'scratch') },
      storage,
    );
    initializeArena(storage, bytesOf(arrays[arenaName(storage.memory, 'i32')]));
    right(interpret(lowered, coreDialects, arrays, { kernel: 'main' }));
    expect(arrays[arenaName(storage.memory, 'i32')][storage.status / 4]).toBe(STATUS.fine);
    return {
      values: [...(arrays.out as Float64Array)],
      pads: lowered.buffers.filter((x) => x.name === 'main_pad_v').length,
    };
  };

  const setUp = (
    b: Builder,
    name: string,
    list: readonly (readonly [number, number, number])[],
    type: ScalarType = 'f64',
  ): void => {
    for (const [x, y, value] of list)
      b.op('field.store', [b.constant(value, type), b.i32(x), b.i32(y)], { field: name });
  };
  const agree = (shape: Layout, body: (b: Builder) => void): void => {
    const plain = run(shape, body, false, false);
    expect(plain.pads).toBe(0);
    for (const optimised of [false, true]) {
      const cached = run(shape, body, true, optimised);
      expect(cached.pads).toBe(1);
      expect(cached.values).toEqual(plain.values);
    }
  };
  const attrs = (block: number | undefined): Attrs => ({ cache: ['v'], ...(block === undefined ? {} : { block }) });

  it('that reads', () => {
    fc.assert(
      fc.property(cases, ({ shape, type, us, vs, offsets, block }) =>
        agree(shape, (b) => {
          setUp(b, 'u', us);
          setUp(b, 'v', vs, type);
          over(b, shape, 'u', attrs(block), (_b, at) => {
            const sum = offsets.map((o) => load(b, 'v', at, ...o)).reduce((x, y) => b.add(x, y));
            b.op('field.store', [b.cast(sum, 'f64'), ...at], { field: 'u' });
          });
          /* What was found is brought to where it is compared. */
          over(
            b,
            shape,
            'u',
            {},
            (_b, at) => void b.op('field.store', [b.cast(load(b, 'u', at), type), ...at], { field: 'v' }),
          );
        }),
      ),
      { numRuns: 20 },
    );
  });

  /** Whether adding to `v` sets bits of the mask that a loop over `u` goes along, which may visit these elements or not. */
  const growsUnderLoop = (shape: Layout): boolean => {
    const [of, by] = ['u', 'v'].map((name) => shape.nodes[shape.fields.get(name)!.path.at(-2)!]);
    return of === by && of.bitmasked;
  };

  it('that adds', () => {
    fc.assert(
      fc.property(
        cases.filter(({ shape }) => !growsUnderLoop(shape)),
        ({ shape, type, us, vs, offsets, weights, block }) =>
          agree(shape, (b) => {
            setUp(b, 'u', us);
            setUp(b, 'v', vs, type);
            over(b, shape, 'u', attrs(block), (_b, at) =>
              offsets.forEach((o, k) => {
                const place = at.map((x, n) => b.add(x, b.i32(o[n])));
                const value = b.mul(load(b, 'u', at), b.f64(weights[k]));
                b.value('field.atomic', [b.cast(value, type), ...place], { field: 'v', kind: 'add' });
              }),
            );
          }),
      ),
      { numRuns: 20 },
    );
  });

  /** Particles in lists of blocks add to a grid around where they are; `shift` breaks the promise of where that is. */
  const splat =
    (shape: Layout, list: number, particles: readonly (readonly [number, number])[], shift: number) =>
    (b: Builder): void => {
      for (const [x, y] of particles) {
        const cell = [b.i32(x >> 2), b.i32(y >> 2)];
        const at = b.value('field.append', cell, { node: shape.nodes[list].name });
        b.op('field.store', [b.i32(64 * x + y), ...cell, at], { field: 'p' });
      }
      over(b, shape, 'p', { cache: ['v'] }, (_b, at) => {
        const p = b.add(b.value('field.load', at, { field: 'p' }), b.i32(shift));
        const near = [b.shr(p, b.i32(6)), b.and(p, b.i32(63))].map((c, n) =>
          b.value('field.assume_in_range', [c, b.mul(at[n], b.i32(4))], { lo: 0, hi: 4 }),
        );
        const around = (body: (d: Value) => void): void => void b.for(b.i32(0), b.i32(3), b.i32(1), {}, [], body);
        around((dx) =>
          around((dy) => {
            const place = [b.add(near[0], b.sub(dx, b.i32(1))), b.add(near[1], b.sub(dy, b.i32(1)))];
            const weight = b.cast(b.add(b.add(dx, dy), b.i32(1)), 'f64');
            b.value('field.atomic', [weight, ...place], { field: 'v', kind: 'add' });
          }),
        );
      });
    };
  const particles = fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 15 })), {
    maxLength: 20,
  });
  const p = field('p', 'i32');
  const buckets = layout(
    dense(ij, 4)
      .pointer()
      .fork(dense(ij, [1, 1]).dynamic(k, 32).place(p), dense(ij, 4).place(v)),
  );
  const list = buckets.nodes.find((n) => n.kind === 'dynamic')!.id;

  it('that adds for particles in lists of blocks', () => {
    fc.assert(
      fc.property(particles, (all) => agree(buckets, splat(buckets, list, all, 0))),
      { numRuns: 20 },
    );
  });

  it('and where a promise is broken it touches nothing outside', () => {
    for (const shift of [5, 64 * 7, -64 * 9]) run(buckets, splat(buckets, list, [[3, 3], [9, 2], [15, 15]], shift), true, true); // prettier-ignore
  });
});

import * as E from 'fp-ts/lib/Either.js';
import { allocateBuffers, coreDialects, interpret, type Module, type TypedArray, walk } from '@filigree/ir';
import {
  cscLayout,
  denseLayout,
  linalg,
  lowerPlan,
  lowerPlans,
  type Action,
  type Elements,
  type Operand,
  type Plan,
} from '@filigree/tensor';
import { expect, test } from 'vitest';
import { planOf, right } from './emit-support.js';

const dense = (name: string, indices: string, shape: readonly number[]): Operand => ({
  name,
  indices,
  layout: denseLayout(shape.map((n): [number, number] => [0, n])),
  pattern: { shape, bits: new Uint8Array(shape.reduce((n, x) => n * x, 1)).fill(1) },
});

/** target(m, n) += left(m, k)·right(k, n) */
const product = (target: Operand, left: Operand, right: Operand, add = true): Action => {
  const [m, k] = left.pattern.shape as [number, number];
  const n = right.pattern.shape[1]!;
  return {
    target,
    add,
    scale: { factor: 1, scalars: [] },
    ranges: { m: [0, m], n: [0, n], k: [0, k] },
    operation: {
      kind: 'log',
      left,
      right,
      m: 'm',
      n: 'n',
      k: 'k',
      loops: '',
      transposeLeft: false,
      transposeRight: false,
      gemm: {
        type: 'f64',
        m,
        n,
        k,
        alpha: 1,
        beta: add ? 1 : 0,
        a: { kind: 'dense', rowStride: 1, columnStride: m },
        b: { kind: 'dense', rowStride: 1, columnStride: k },
        c: { rowStride: 1, columnStride: m },
      },
    },
  };
};

const multiply = (a: ArrayLike<number>, b: ArrayLike<number>, m: number, k: number, n: number): Float64Array => {
  const c = new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) c[i + m * j]! += a[i + m * l]! * b[l + k * j]!;
  return c;
};

const run = (module: Module, memory: Record<string, TypedArray>, args: readonly number[]): void =>
  right(interpret(module, [...coreDialects, linalg], memory, { kernel: module.kernels[0]!.name, args }));

const memoryOf = (module: Module): Record<string, TypedArray> => {
  const memory = allocateBuffers(module.buffers);
  for (const b of module.buffers)
    if (b.role !== 'const' && b.role !== 'scratch')
      (memory[b.name] as Float64Array).forEach(
        (_, k, all) => (all[k] = b.type === 'i32' ? 0 : Math.sin(k + b.name.length)),
      );
  return memory;
};

const [C, A, B] = [dense('C', 'mn', [4, 3]), dense('A', 'mk', [4, 2]), dense('B', 'kn', [2, 3])] as const;
const part = (x: TypedArray, size: number, e: number): Float64Array =>
  (x as Float64Array).slice(size * e, size * (e + 1));

const batch = (elements: Elements, plan: Plan = planOf([product(C, A, B)])): Module =>
  right(lowerPlan(plan, { elements }));

test('one launch runs for a range of elements: own, shared and indexed tensors', () => {
  const module = batch({
    kind: 'many',
    count: 5,
    placed: { A: { kind: 'indexed', by: 'neighbour' }, B: { kind: 'shared' } },
  });
  expect(Object.fromEntries(module.buffers.map((b) => [b.name, b.length]))).toEqual({
    A: 40,
    neighbour: 5,
    B: 6,
    C: 60,
  });
  const memory = memoryOf(module);
  (memory['neighbour'] as Int32Array).set([0, 4, 4, 1, 2]);
  const before = (memory['C'] as Float64Array).slice();
  run(module, memory, [1, 4]);
  for (let e = 0; e < 5; e++) {
    const added = multiply(
      part(memory['A']!, 8, (memory['neighbour'] as Int32Array)[e]!),
      memory['B'] as Float64Array,
      4,
      2,
      3,
    );
    part(before, 12, e).forEach((x, k) =>
      expect(part(memory['C']!, 12, e)[k]).toBeCloseTo(e >= 1 && e < 4 ? x + added[k]! : x, 12),
    );
  }
});

test('one element, whose number for each tensor is a parameter', () => {
  const module = batch({ kind: 'at', count: 5, placed: { B: { kind: 'shared' } } });
  expect(module.kernels[0]!.params.map((p) => p.hint)).toEqual(['at_A', 'at_C']);
  const memory = memoryOf(module);
  const before = (memory['C'] as Float64Array).slice();
  run(module, memory, [1, 3]);
  const added = multiply(part(memory['A']!, 8, 1), memory['B'] as Float64Array, 4, 2, 3);
  part(before, 12, 3).forEach((x, k) => expect(part(memory['C']!, 12, 3)[k]).toBeCloseTo(x + added[k]!, 12));
});

test('temporaries too large for scratch memory are kept apart for elements that run at the same time', () => {
  const T = { ...dense('_tmp0', 'mn', [100, 100]), name: '_tmp0' };
  const [L, R, D] = [dense('L', 'mk', [100, 1]), dense('R', 'kn', [1, 100]), dense('D', 'mn', [100, 100])];
  const copy: Action = {
    target: D,
    add: false,
    scale: { factor: 2, scalars: [] },
    operation: { kind: 'copyscaleadd', source: T },
    ranges: { m: [0, 100], n: [0, 100] },
  };
  const drawn = planOf([product(T, L, R, false), copy]);
  const plan: Plan = {
    ...drawn,
    tensors: drawn.tensors.filter((t) => t.tensor.name !== '_tmp0'),
    temporaries: [{ name: '_tmp0', layout: T.layout, buffer: 0 }],
    buffers: [10000],
  };
  const module = right(lowerPlan(plan, { elements: { kind: 'many', count: 3 } }));
  expect(module.buffers.find((b) => b.role === 'temp')?.length).toBe(640000);
  const memory = memoryOf(module);
  run(module, memory, [0, 3]);
  for (let e = 0; e < 3; e++) {
    const expected = multiply(part(memory['L']!, 100, e), part(memory['R']!, 100, e), 100, 1, 100);
    expect(part(memory['D']!, 10000, e)).toEqual(expected.map((x) => 2 * x));
  }
});

test('kernels of one module share their tensors; what is known is stored in its layout', () => {
  const K = dense('K(0,1)', 'mk', [4, 2]);
  const first = planOf([product(C, K, B)]);
  const known: Plan = {
    ...first,
    name: 'first(0)',
    tensors: first.tensors.map((t) =>
      t.tensor.name === 'K(0,1)'
        ? { ...t, tensor: { ...t.tensor, values: Float64Array.from({ length: 8 }, (_, k) => k) } }
        : t,
    ),
  };
  const second = { ...planOf([product(A, C, dense('E', 'kn', [3, 2]), false)]), name: 'second' };
  const module = right(lowerPlans([known, second]));
  expect(module.kernels.map((k) => k.name)).toEqual(['first_0', 'second']);
  expect(Object.fromEntries(module.buffers.map((b) => [b.name, b.role]))).toEqual({
    C: 'inout',
    K_0_1: 'const',
    B: 'input',
    A: 'output',
    E: 'input',
  });
});

const refusal = (elements: Elements, plans: readonly Plan[] = [planOf([product(C, A, B)])]): string => {
  const result = lowerPlans(plans, { elements });
  return E.isLeft(result) ? `${result.left[0].code}: ${result.left[0].message}` : 'taken';
};

test('what cannot be placed is refused', () => {
  expect(refusal({ kind: 'many', count: 4, placed: { C: { kind: 'shared' } } })).toBe(
    'emit/placement: all elements would write C at the same time',
  );
  expect(refusal({ kind: 'many', count: 4, placed: { X: { kind: 'shared' } } })).toBe(
    'emit/placement: there is no tensor X to be placed',
  );
  expect(refusal({ kind: 'many', count: 1e9 })).toMatch(/^emit\/size: A takes/);
  expect(refusal({ kind: 'one' }, [])).toMatch(/^emit\/empty/);
  const aligned = {
    ...C,
    layout: denseLayout(
      [
        [0, 4],
        [0, 3],
      ],
      8,
    ),
  };
  expect(
    refusal({ kind: 'one' }, [
      planOf([product(C, A, B)]),
      { ...planOf([product(A, aligned, dense('E', 'kn', [3, 2]))]), name: 'other' },
    ]),
  ).toMatch(/^emit\/layout: C lies in another way/);
});

const [T, L, R, D] = [
  dense('_tmp0', 'mn', [10, 8]),
  dense('L', 'mk', [10, 3]),
  dense('R', 'kn', [3, 8]),
  dense('D', 'nm', [8, 10]),
] as const;

const doubled = (target: Operand, source: Operand): Action => ({
  target,
  add: false,
  scale: { factor: 2, scalars: [] },
  operation: { kind: 'copyscaleadd', source },
  ranges: { m: [0, 10], n: [0, 8] },
});

/** D(n, m) = 2·L(m, k)·R(k, n) by an intermediate result. */
const transposed = (target: Operand = D): Plan => {
  const drawn = planOf([product(T, L, R, false), doubled(target, T)]);
  return {
    ...drawn,
    tensors: drawn.tensors.filter((t) => t.tensor.name !== '_tmp0'),
    temporaries: [{ name: '_tmp0', layout: T.layout, buffer: 0 }],
    buffers: [80],
  };
};

const onTeams = (plan: Plan, sharedBytes: number, elements: Elements): Module =>
  right(lowerPlan(plan, { elements, team: { sharedBytes } }));

/** Iterations of the loops for teams. */
const divided = (module: Module): readonly number[] => {
  const found: number[] = [];
  const trips = new Map<number, number>();
  walk(module.kernels[0]!.body, (op) => {
    if (op.name === 'arith.constant') trips.set(op.results[0]!.id, Number(op.attrs['value']));
    if (op.attrs['team'] === true) found.push(trips.get(op.operands[1]!.id)!);
  });
  return found;
};

test('a team of threads divides what each action writes', () => {
  const module = onTeams(transposed(), 640, { kind: 'many', count: 3 });
  expect(divided(module)).toEqual([80, 80]);
  const memory = memoryOf(module);
  run(module, memory, [1, 3]);
  for (let e = 1; e < 3; e++) {
    const expected = multiply(part(memory['L']!, 30, e), part(memory['R']!, 24, e), 10, 3, 8);
    const got = part(memory['D']!, 80, e);
    for (let m = 0; m < 10; m++) for (let n = 0; n < 8; n++) expect(got[n + 8 * m]).toBe(2 * expected[m + 10 * n]!);
  }
});

const many: Elements = { kind: 'many', count: 3 };

/* Two of three entries, and all of one column. */
const thinned = (o: Operand): Operand => {
  const pattern = { ...o.pattern, bits: o.pattern.bits.map((_, k) => (k % 3 === 0 && k >= 10 ? 0 : 1)) };
  return { ...o, pattern, layout: cscLayout(pattern) };
};

test('a team divides the entries of a sparse tensor, and what is added up in them', () => {
  const [sparse, target] = [thinned(L), thinned(dense('D', 'mn', [10, 8]))];
  const stored = target.layout.size;
  const module = onTeams(planOf([product(target, sparse, R, false)]), 0, many);
  expect(divided(module)).toEqual([stored]);
  const memory = memoryOf(module);
  run(module, memory, [0, 3]);
  const entries = (o: Operand, list: ArrayLike<number>): Float64Array => {
    let at = 0;
    return Float64Array.from(o.pattern.bits, (bit) => (bit ? list[at++]! : 0));
  };
  for (let e = 0; e < 3; e++) {
    const left = entries(sparse, part(memory['L']!, sparse.layout.size, e));
    const expected = multiply(left, part(memory['R']!, 24, e), 10, 3, 8);
    const got = entries(target, part(memory['D']!, stored, e));
    expect([...got]).toEqual([...expected].map((x, k) => (target.pattern.bits[k] ? x : 0)));
  }
});

test.each<readonly [string, Plan, number, Elements]>([
  ['intermediate results are larger than what it may share', transposed(), 639, many],
  ['there is one element', transposed(), 640, { kind: 'one' }],
  ['elements have few entries', planOf([product(C, A, B)]), 640, many],
  ['an action reads what it writes', planOf([doubled(D, D)]), 640, many],
])('no team does where %s', (_, plan, sharedBytes, elements) => {
  expect(divided(onTeams(plan, sharedBytes, elements))).toEqual([]);
});

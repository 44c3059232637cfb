import fc from 'fast-check';
import { compressedLayout, cscLayout, lowerPlan, type Action, type Operand, type Operation } from '@filigree/tensor';
import { expect, test } from 'vitest';
import { box, planOf, randomNumbers, right, runPlan } from './emit-support.js';

/** Dense values of a shape, zero outside the pattern. */
const valuesOf = (o: Operand, next: () => number): Float64Array =>
  Float64Array.from(o.pattern.bits, (bit) => bit * next());

/** target (+)= scale·Σ Π sources, entry by entry. */
const bruteForce = (
  target: Operand,
  sources: readonly Operand[],
  values: Readonly<Record<string, Float64Array>>,
  add: boolean,
  scale: number,
): Float64Array => {
  const letters = [...new Set([target, ...sources].flatMap((o) => [...o.indices]))];
  const extent = (l: string): number => {
    const o = [target, ...sources].find((x) => x.indices.includes(l))!;
    return o.pattern.shape[o.indices.indexOf(l)]!;
  };
  const at = (o: Operand, value: Readonly<Record<string, number>>): number =>
    [...o.indices].reduceRight((sum, l, d) => sum * o.pattern.shape[d]! + value[l]!, 0);
  const out = Float64Array.from(add ? values[target.name]! : new Float64Array(target.pattern.bits.length));
  const value: Record<string, number> = {};
  const visit = (k: number): void => {
    if (k === letters.length) {
      out[at(target, value)]! += scale * sources.reduce((p, s) => p * values[s.name]![at(s, value)]!, 1);
      return;
    }
    for (value[letters[k]!] = 0; value[letters[k]!]! < extent(letters[k]!); value[letters[k]!]!++) visit(k + 1);
  };
  visit(0);
  return out;
};

const shuffled = (letters: readonly string[], next: () => number): string =>
  letters
    .map((l) => [next(), l] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, l]) => l)
    .join('');

/** A random action of loops, over operands of random layouts whose patterns are random. */
const randomAction = (seed: number): { action: Action; scalar: boolean } => {
  const next = randomNumbers(seed);
  const chance = (p: number): boolean => (next() + 1) / 2 < p;
  const pick = (n: number): number => Math.floor(((next() + 1) / 2) * n);
  const extents: Record<string, number> = {};
  for (const l of 'ijkl') extents[l] = 1 + pick(chance(0.2) ? 11 : 4);
  const operand = (name: string, indices: string, density: number): Operand => {
    const shape = [...indices].map((l) => extents[l]!);
    const bits = Uint8Array.from({ length: shape.reduce((n, x) => n * x, 1) }, () => (chance(density) ? 1 : 0));
    const kind = pick(4);
    const layout =
      kind === 0
        ? compressedLayout({ shape, bits })
        : kind === 1 && shape.length === 2
          ? cscLayout({ shape, bits })
          : box(shape, bits, kind === 2 && shape.length > 0 ? 4 : 1);
    return { name, indices, layout, pattern: { shape, bits } };
  };
  const kind = (['copyscaleadd', 'indexsum', 'product'] as const)[pick(3)]!;
  const letters = [...'ijkl'].slice(0, pick(5));
  const density = [0.3, 0.7, 1][pick(3)]!;
  const sources =
    kind === 'product'
      ? [
          operand(
            'A',
            shuffled(
              letters.filter(() => chance(0.7)),
              next,
            ),
            density,
          ),
          operand(
            'B',
            shuffled(
              letters.filter(() => chance(0.7)),
              next,
            ),
            density,
          ),
        ]
      : [operand('A', shuffled(letters, next), density)];
  const all = [...new Set(sources.flatMap((s) => [...s.indices]))];
  const kept = kind === 'indexsum' ? all.filter(() => chance(0.6)) : all;
  /* What the target stores must hold the result. */
  const ones = Object.fromEntries(sources.map((s) => [s.name, Float64Array.from(s.pattern.bits)]));
  const full = operand('C', shuffled(kept, next), 1);
  const reached = Uint8Array.from(bruteForce(full, sources, ones, false, 1), (x) => (x !== 0 || chance(0.3) ? 1 : 0));
  const { shape } = full.pattern;
  const targetKind = pick(4);
  const layout =
    targetKind === 0
      ? compressedLayout({ shape, bits: reached })
      : targetKind === 1 && shape.length === 2
        ? cscLayout({ shape, bits: reached })
        : box(shape, reached, targetKind === 2 && shape.length > 0 ? 4 : 1);
  const operation: Operation =
    kind === 'product' ? { kind, left: sources[0]!, right: sources[1]! } : { kind, source: sources[0]! };
  return {
    scalar: chance(0.3),
    action: {
      target: { ...full, layout, pattern: { shape, bits: reached } },
      add: chance(0.5),
      scale: { factor: chance(0.5) ? 1 : 1 + pick(3), scalars: [] },
      operation,
      ranges: Object.fromEntries(all.map((l) => [l, [0, extents[l]!]])),
    },
  };
};

test('copies, sums and products of any layouts equal entry by entry evaluation', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { action: drawn, scalar } = randomAction(seed);
      const action: Action = { ...drawn, scale: { ...drawn.scale, scalars: scalar ? ['dt'] : [] } };
      const plan = planOf([action], 'f64', scalar ? ['dt'] : []);
      const next = randomNumbers(seed + 1);
      const op = action.operation;
      const sources = 'source' in op ? [op.source] : [op.left, op.right];
      const values = Object.fromEntries([action.target, ...sources].map((o) => [o.name, valuesOf(o, next)]));
      const scale = action.scale.factor * (scalar ? 0.5 : 1);
      const expected = bruteForce(action.target, sources, values, action.add, scale);
      const found = runPlan(right(lowerPlan(plan)), plan, values, scalar ? [0.5] : [])['C']!;
      expected.forEach((x, k) => expect(found[k]).toBeCloseTo(x, 10));
    }),
    { numRuns: 100 },
  );
});

test('many entries of sparse tensors are walked by lists', () => {
  const next = randomNumbers(3);
  const shape = [30, 40];
  const bits = Uint8Array.from({ length: 1200 }, () => (next() < 0 ? 1 : 0));
  const A: Operand = { name: 'A', indices: 'ij', layout: compressedLayout({ shape, bits }), pattern: { shape, bits } };
  const s = { shape: [30], bits: new Uint8Array(30).fill(1) };
  const C: Operand = { name: 'C', indices: 'i', layout: box([30], s.bits), pattern: s };
  for (const add of [false, true]) {
    const plan = planOf([
      {
        target: C,
        add,
        scale: { factor: 2, scalars: [] },
        operation: { kind: 'indexsum', source: A },
        ranges: { i: [0, 30], j: [0, 40] },
      },
    ]);
    const module = right(lowerPlan(plan));
    expect(module.buffers.some((b) => b.role === 'const' && b.type === 'i32')).toBe(true);
    const values = { A: valuesOf(A, next), C: valuesOf(C, next) };
    const expected = bruteForce(C, [A], values, add, 2);
    const found = runPlan(module, plan, values)['C']!;
    expected.forEach((x, k) => expect(found[k]).toBeCloseTo(x, 10));
  }
});

import { type BooleanTensor, type IndexedPattern, volume } from './boolean-tensor.js';
import { pick, positionsOf, stridesIn } from './rearrange.js';

/**
 * Factors without what says nothing: an index along which no factor's pattern changes has one value in place of all, and
 * that one counts as often as there were. Fused simulations and dense blocks then cost nothing.
 */
export interface Shrunk {
  readonly factors: readonly IndexedPattern[];
  /** How many entries one entry with these indices stands for. */
  readonly weight: (indices: string) => number;
  readonly shrink: (p: IndexedPattern) => IndexedPattern;
  readonly expand: (p: IndexedPattern) => BooleanTensor;
}

export const shrinkFactors = (factors: readonly IndexedPattern[], alike: readonly IndexedPattern[] = []): Shrunk => {
  const extents = new Map<string, number>();
  for (const f of factors) [...f.indices].forEach((i, d) => extents.set(i, f.pattern.shape[d]));
  const constant = new Set(
    [...extents.keys()].filter((i) =>
      [...factors, ...alike].every((f) => !f.indices.includes(i) || isConstantAlong(f.pattern, f.indices.indexOf(i))),
    ),
  );
  const shrink = ({ indices, pattern }: IndexedPattern): IndexedPattern => {
    const shape = [...indices].map((i, d) => (constant.has(i) ? 1 : pattern.shape[d]));
    if (shape.every((n, d) => n === pattern.shape[d])) return { indices, pattern };
    const at = positionsOf(indices, shape, stridesIn(indices, pattern.shape));
    return { indices, pattern: { shape, bits: pick(pattern.bits, at) } };
  };
  const expand = ({ indices, pattern }: IndexedPattern): BooleanTensor => {
    const shape = [...indices].map((i) => extents.get(i)!);
    if (shape.every((n, d) => n === pattern.shape[d])) return pattern;
    const strides = stridesIn(indices, pattern.shape);
    const moving = new Map([...strides].map(([i, stride]) => [i, constant.has(i) ? 0 : stride]));
    return { shape, bits: pick(pattern.bits, positionsOf(indices, shape, moving)) };
  };
  return {
    factors: factors.map(shrink),
    weight: (indices) => [...indices].reduce((v, i) => v * (constant.has(i) ? extents.get(i)! : 1), 1),
    shrink,
    expand,
  };
};

const isConstantAlong = ({ shape, bits }: BooleanTensor, dimension: number): boolean => {
  const stride = volume(shape.slice(0, dimension));
  const step = stride * shape[dimension];
  for (let outer = 0; outer < bits.length; outer += step)
    for (let e = outer + stride; e < outer + step; e++) if (bits[e] !== bits[e - stride]) return false;
  return true;
};

import { fail } from '@filigree/ir';
import type { Expr, KernelDecl, TensorDecl } from '../notation/expression.js';
import { type Extents, extentsOf, factorIndices, knownAfter, nestOf, nextPair } from './nests.js';

/** Entries of tensors by name, each column-major. */
export type TensorValues = Readonly<Record<string, ArrayLike<number>>>;

/**
 * What a kernel means, entry by entry as Eq. (5) has it: nested loops over all indices of each product, independent of
 * the planner. The only shortcuts: loops within a factor that is zero are skipped, and very large products are
 * multiplied pairwise. Entries outside the pattern of an assigned tensor are dropped. Returns the tensors that are assigned.
 *
 * @param values all tensors that are read and have no known values; a tensor that is assigned with `+=` begins at zero
 * if it is absent
 */
export const evaluateKernel = (
  kernel: KernelDecl,
  values: TensorValues,
  scalars: Readonly<Record<string, number>> = {},
): Readonly<Record<string, Float64Array>> => {
  const assigned: Record<string, Float64Array> = {};
  const entriesOf = (tensor: TensorDecl): ArrayLike<number> =>
    assigned[tensor.name] ??
    tensor.values ??
    values[tensor.name] ??
    fail('evaluate/values', `there are no values of ${tensor.name}`, { remedy: 'give all tensors that are read' });
  const scalarOf = (name: string): number =>
    scalars[name] ??
    fail('evaluate/scalar', `there is no value of the scalar '${name}'`, { remedy: 'give all scalars' });
  const context: Context = { entriesOf, scalarOf };
  for (const { target, add, value } of kernel.assignments) {
    const { tensor, indices } = target;
    const size = tensor.shape.reduce((n, x) => n * x, 1);
    const before = add ? (assigned[tensor.name] ?? values[tensor.name]) : undefined;
    const out = before ? Float64Array.from(before) : new Float64Array(size);
    const sum = evaluate(value, indices, extentsOf({ target, value }), context);
    assigned[tensor.name] = out.map((x, k) => (tensor.pattern?.bits[k] === 0 ? 0 : x + sum[k]!));
  }
  return assigned;
};

interface Context {
  readonly entriesOf: (tensor: TensorDecl) => ArrayLike<number>;
  readonly scalarOf: (name: string) => number;
}

/** An expression for all values of these indices, the first fastest; what else appears in a product is summed over. */
const evaluate = (e: Expr, indices: string, extents: Extents, context: Context): Float64Array => {
  switch (e.kind) {
    case 'scale': {
      const by = e.by.scalars.reduce((c, s) => c * context.scalarOf(s), e.by.factor);
      return evaluate(e.of, indices, extents, context).map((x) => by * x);
    }
    case 'add': {
      const terms = e.terms.map((t) => evaluate(t, indices, extents, context));
      return terms[0]!.map((x, k) => terms.reduce((sum, t, n) => (n === 0 ? sum : sum + t[k]!), x));
    }
    case 'indexed':
      return sumOfProducts([{ indices: e.indices, entries: context.entriesOf(e.tensor) }], indices, extents);
    case 'einsum': {
      const own = factorIndices(e.factors, indices);
      const factors = e.factors.map((f, n) => ({
        indices: own[n]!,
        entries: f.kind === 'indexed' ? context.entriesOf(f.tensor) : evaluate(f, own[n]!, extents, context),
      }));
      return sumOfProducts(fewer(factors, indices, extents), indices, extents);
    }
  }
};

/** Where one nest would take too long: two factors of the smallest common nest are multiplied first, until few are left. */
const fewer = (factors: readonly Factor[], indices: string, extents: Extents): readonly Factor[] => {
  const next = nextPair(factors, indices, extents);
  if (next === undefined) return factors;
  const { pair, rest, kept } = next;
  return fewer([...rest, { indices: kept, entries: sumOfProducts(pair, kept, extents) }], indices, extents);
};

interface Factor {
  readonly indices: string;
  readonly entries: ArrayLike<number>;
}

const sumOfProducts = (factors: readonly Factor[], indices: string, extents: Extents): Float64Array => {
  const letters = nestOf(factors, indices);
  const strides = (of: string): readonly number[] => {
    let stride = 1;
    const at = new Map<string, number>();
    for (const l of of) {
      at.set(l, (at.get(l) ?? 0) + stride);
      stride *= extents.get(l)!;
    }
    return letters.map((l) => at.get(l) ?? 0);
  };
  const outStrides = strides(indices);
  const factorStrides = factors.map((f) => strides(f.indices));
  const known = factors.map((f) => knownAfter(f, letters));
  const out = new Float64Array([...indices].reduce((n, l) => n * extents.get(l)!, 1));
  const at = factors.map(() => 0);
  const visit = (depth: number, product: number, to: number): void => {
    let p = product;
    for (let f = 0; f < factors.length; f++) if (known[f] === depth) p *= factors[f]!.entries[at[f]!]!;
    if (p === 0) return;
    if (depth === letters.length) {
      out[to]! += p;
      return;
    }
    const extent = extents.get(letters[depth]!)!;
    for (let i = 0; i < extent; i++) {
      visit(depth + 1, p, to + i * outStrides[depth]!);
      for (let f = 0; f < factors.length; f++) at[f]! += factorStrides[f]![depth]!;
    }
    for (let f = 0; f < factors.length; f++) at[f]! -= extent * factorStrides[f]![depth]!;
  };
  visit(0, 1, 0);
  return out;
};

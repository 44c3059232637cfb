import { fail } from '@filigree/ir';
import type { Expr, KernelDecl, TensorDecl } from '../notation/expression.js';

/** Entries of tensors by name, each column-major. */
export type TensorValues = Readonly<Record<string, ArrayLike<number>>>;

/**
 * What a kernel means, entry by entry as Eq. (5) says it: nested loops over all indices of each product, without the planner
 * or anything of it. Only where a factor is zero the loops within are left out, and very large products are multiplied two by
 * two. Gives the tensors that are assigned.
 *
 * @param values all tensors that are read and have no known values; what is assigned with `+=` begins at zero where it is absent
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
    const sum = evaluate(
      value,
      indices,
      extentsIn(value, new Map([...indices].map((l, d) => [l, tensor.shape[d]!]))),
      context,
    );
    assigned[tensor.name] = out.map((x, k) => x + sum[k]!);
  }
  return assigned;
};

interface Context {
  readonly entriesOf: (tensor: TensorDecl) => ArrayLike<number>;
  readonly scalarOf: (name: string) => number;
}

type Extents = ReadonlyMap<string, number>;

const extentsIn = (e: Expr, known: Map<string, number>): Map<string, number> => {
  if (e.kind === 'indexed') [...e.indices].forEach((l, d) => known.set(l, e.tensor.shape[d]!));
  else for (const x of partsOf(e)) extentsIn(x, known);
  return known;
};

const partsOf = (e: Exclude<Expr, { kind: 'indexed' }>): readonly Expr[] =>
  e.kind === 'scale' ? [e.of] : e.kind === 'add' ? e.terms : e.factors;

/** All indices in an expression. */
export const lettersIn = (e: Expr): string =>
  e.kind === 'indexed' ? e.indices : [...new Set(partsOf(e).map(lettersIn).join(''))].join('');

/** The indices that the factors of a product keep: those that the whole has, or another factor. */
export const factorIndices = (factors: readonly Expr[], indices: string): readonly string[] =>
  factors.map((f, n) => {
    const others = indices + factors.map((g, o) => (o === n ? '' : lettersIn(g))).join('');
    return f.kind === 'indexed' ? f.indices : [...lettersIn(f)].filter((l) => others.includes(l)).join('');
  });

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

/** Iterations up to which a product of many is one nest of loops. */
const MOST = 2e6;

/** Where one nest would take too long: two factors of the smallest common nest are multiplied first, until few are left. */
const fewer = (factors: readonly Factor[], indices: string, extents: Extents): readonly Factor[] => {
  const volume = (letters: string): number => [...new Set(letters)].reduce((n, l) => n * extents.get(l)!, 1);
  const all = indices + factors.map((f) => f.indices).join('');
  if (factors.length <= 2 || volume(all) <= MOST) return factors;
  let best: readonly [number, number] = [0, 1];
  const cost = ([x, y]: readonly [number, number]): number => volume(factors[x]!.indices + factors[y]!.indices);
  for (let x = 0; x < factors.length; x++)
    for (let y = x + 1; y < factors.length; y++) if (cost([x, y]) < cost(best)) best = [x, y];
  const pair = best.map((k) => factors[k]!);
  const rest = factors.filter((f) => !pair.includes(f));
  const needed = indices + rest.map((f) => f.indices).join('');
  const kept = [...new Set(pair.map((f) => f.indices).join(''))].filter((l) => needed.includes(l)).join('');
  return fewer([...rest, { indices: kept, entries: sumOfProducts(pair, kept, extents) }], indices, extents);
};

interface Factor {
  readonly indices: string;
  readonly entries: ArrayLike<number>;
}

const sumOfProducts = (factors: readonly Factor[], indices: string, extents: Extents): Float64Array => {
  /* Indices of the factors one after another, so that a factor is known as early as can be. */
  const letters = [...new Set(factors.map((f) => f.indices).join('') + indices)];
  const strides = (of: string): readonly number[] => {
    let stride = 1;
    const at = new Map([...of].map((l) => [l, (stride *= extents.get(l)!) / extents.get(l)!]));
    return letters.map((l) => at.get(l) ?? 0);
  };
  const outStrides = strides(indices);
  const factorStrides = factors.map((f) => strides(f.indices));
  const knownAfter = factors.map((f) => [...f.indices].reduce((most, l) => Math.max(most, letters.indexOf(l) + 1), 0));
  const out = new Float64Array([...indices].reduce((n, l) => n * extents.get(l)!, 1));
  const at = factors.map(() => 0);
  const visit = (depth: number, product: number, to: number): void => {
    let p = product;
    for (let f = 0; f < factors.length; f++) if (knownAfter[f] === depth) p *= factors[f]!.entries[at[f]!]!;
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

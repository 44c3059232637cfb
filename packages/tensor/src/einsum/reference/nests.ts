import type { Assignment, Expr } from '../notation/expression.js';

export type Extents = ReadonlyMap<string, number>;

/** The extents of all indices of an assignment. */
export const extentsOf = ({ target: { tensor, indices }, value }: Pick<Assignment, 'target' | 'value'>): Extents =>
  extentsIn(value, new Map([...indices].map((l, d) => [l, tensor.shape[d]!])));

const extentsIn = (e: Expr, known: Map<string, number>): Map<string, number> => {
  if (e.kind === 'indexed') [...e.indices].forEach((l, d) => known.set(l, e.tensor.shape[d]!));
  else for (const x of partsOf(e)) extentsIn(x, known);
  return known;
};

const partsOf = (e: Exclude<Expr, { kind: 'indexed' }>): readonly Expr[] =>
  e.kind === 'scale' ? [e.of] : e.kind === 'add' ? e.terms : e.factors;

/** All indices in an expression. */
const lettersIn = (e: Expr): string =>
  e.kind === 'indexed' ? e.indices : [...new Set(partsOf(e).map(lettersIn).join(''))].join('');

/** The indices that the factors of a product keep: those that the whole has, or another factor. */
export const factorIndices = (factors: readonly Expr[], indices: string): readonly string[] =>
  factors.map((f, n) => {
    const others = indices + factors.map((g, o) => (o === n ? '' : lettersIn(g))).join('');
    return f.kind === 'indexed' ? f.indices : [...lettersIn(f)].filter((l) => others.includes(l)).join('');
  });

/** Indices of the factors of a product one after another, so that a factor is known as early as can be, then those that none has. */
export const nestOf = (factors: readonly { readonly indices: string }[], indices: string): readonly string[] => [
  ...new Set(factors.map((f) => f.indices).join('') + indices),
];

/** How many loops of a nest stand around the place where a factor is known. */
export const knownAfter = (factor: { readonly indices: string }, nest: readonly string[]): number =>
  [...factor.indices].reduce((most, l) => Math.max(most, nest.indexOf(l) + 1), 0);

/**
 * The two factors that are multiplied first, where one nest of loops for all of a product would take too long; `kept`: the indices of
 * their product that are wanted.
 */
export const nextPair = <F extends { readonly indices: string }>(
  factors: readonly F[],
  indices: string,
  extents: Extents,
): { readonly pair: readonly F[]; readonly rest: readonly F[]; readonly kept: string } | undefined => {
  const volume = (letters: string): number => [...new Set(letters)].reduce((n, l) => n * extents.get(l)!, 1);
  const all = indices + factors.map((f) => f.indices).join('');
  if (factors.length <= 2 || volume(all) <= MOST) return undefined;
  let best: readonly [number, number] = [0, 1];
  const cost = ([x, y]: readonly [number, number]): number => volume(factors[x]!.indices + factors[y]!.indices);
  for (let x = 0; x < factors.length; x++)
    for (let y = x + 1; y < factors.length; y++) if (cost([x, y]) < cost(best)) best = [x, y];
  const pair = best.map((k) => factors[k]!);
  const rest = factors.filter((f) => !pair.includes(f));
  const needed = indices + rest.map((f) => f.indices).join('');
  const kept = [...new Set(pair.map((f) => f.indices).join(''))].filter((l) => needed.includes(l)).join('');
  return { pair, rest, kept };
};

/** Iterations up to which a product of many is one nest of loops. */
const MOST = 2e6;

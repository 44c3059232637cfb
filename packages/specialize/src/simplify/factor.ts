import { COST, DIV, MUL } from '../decompose/codes.js';

/** coefficient · Π tokens. */
export interface SumTerm {
  readonly coefficient: number;
  /** With repetition; numbers of tokens. */
  readonly tokens: readonly number[];
}

/** A factor of a term: a node, a number, what a quotient divides by, or a sum that was factored. */
export type Token =
  | { readonly is: 'factor'; readonly node: number }
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'below'; readonly powers: readonly (readonly [node: number, exponent: number])[] }
  | { readonly is: 'sum'; readonly terms: readonly SumTerm[] };

/**
 * Factors a sum of products (App. D): the factor that saves most is taken from all terms that have it, with whatever
 * else these have in common, until no two terms share a factor. What remains within the brackets is factored by the next
 * sweep. `tokens` grows by the sums and numbers that factoring makes.
 */
export const factorise = (terms: readonly SumTerm[], tokens: Token[]): SumTerm[] => {
  let list = terms.map((t) => withNumber(t, tokens));
  for (;;) {
    const best = mostSaving(list, tokens);
    if (best === undefined) return list;
    const having = list.filter((t) => t.tokens.includes(best));
    const common = having.map((t) => t.tokens).reduce(intersection);
    const rest = having.map((t): SumTerm => ({ coefficient: t.coefficient, tokens: without(t.tokens, common) }));
    const negative = rest.every((t) => t.coefficient < 0);
    const inner = negative ? rest.map((t) => ({ ...t, coefficient: -t.coefficient })) : rest;
    tokens.push({ is: 'sum', terms: inner });
    const factored: SumTerm = { coefficient: negative ? -1 : 1, tokens: [...common, tokens.length - 1] };
    const at = list.indexOf(having[0]);
    list = list.flatMap((t, i) => (i === at ? [factored] : having.includes(t) ? [] : [t]));
  }
};

/** A coefficient that is not ±1 is a factor like others. */
const withNumber = (t: SumTerm, tokens: Token[]): SumTerm => {
  const value = Math.abs(t.coefficient);
  if (value === 1 || t.tokens.length === 0) return t;
  let n = tokens.findIndex((x) => x.is === 'number' && x.value === value);
  if (n < 0) n = tokens.push({ is: 'number', value }) - 1;
  return { coefficient: Math.sign(t.coefficient), tokens: [n, ...t.tokens] };
};

const mostSaving = (terms: readonly SumTerm[], tokens: readonly Token[]): number | undefined => {
  const count = new Map<number, number>();
  const alone = new Set<number>();
  for (const t of terms) {
    for (const x of new Set(t.tokens)) count.set(x, (count.get(x) ?? 0) + 1);
    if (t.tokens.length === 1) alone.add(t.tokens[0]);
  }
  let best: number | undefined;
  let most = 0;
  for (const [x, n] of count) {
    /* x·y + x is no cheaper as x·(y + 1). */
    const saved = (n - 1) * COST[tokens[x].is === 'below' ? DIV : MUL] - (alone.has(x) ? 1 : 0);
    if (n > 1 && saved > most) {
      best = x;
      most = saved;
    }
  }
  return best;
};

const intersection = (a: readonly number[], b: readonly number[]): readonly number[] => {
  const left = [...b];
  return a.filter((x) => {
    const i = left.indexOf(x);
    if (i >= 0) left.splice(i, 1);
    return i >= 0;
  });
};

const without = (a: readonly number[], b: readonly number[]): readonly number[] => {
  const left = [...b];
  return a.filter((x) => {
    const i = left.indexOf(x);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
};

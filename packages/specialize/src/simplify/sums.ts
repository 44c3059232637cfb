import { ADD, CONSTANT, COST, DIV, MUL, NEG } from '../decompose/codes.js';
import type { SimplifyOptions } from '../options.js';
import { factorise, type SumTerm, type Token } from './factor.js';
import { assemble, measure, power, productOf, type Ops, type Plan } from './ops.js';
import { productForm } from './product-form.js';
import type { Rule, Source } from './sweep.js';

/**
 * Summand elimination and factorisation (App. D): every subtree of additions is expanded into terms with numeric
 * coefficients; equal terms meet, and what they have in common is factored out. Equal in exact arithmetic only: both may
 * introduce cancellation or remove it, which is why `keepSums` switches them off together (§4.5).
 */
export const sums =
  (options: SimplifyOptions): Rule =>
  (source) => {
    const { op } = source.graph;
    return (id) => {
      if (op[id] !== ADD) return undefined;
      const { terms, interior, tokens } = expand(source, id, options);
      if (terms.length > MAX_TERMS || !terms.every((t) => Number.isFinite(t.coefficient)))
        return { interior, plan: undefined };
      const sum = options.factor ? factorise(terms, tokens) : terms;
      const plan: Plan = (ops) => writeSum(ops, sum, tokens);
      const before = interior.reduce((c, x) => c + (op[x] === NEG ? 0 : COST[op[x]]), 0);
      return { interior, plan: measure(plan).cost < before ? plan : undefined };
    };
  };

/** Sums beyond this are left to loops over terms. */
const MAX_TERMS = 512;
const MAX_DEEP_TERMS = 64;

interface Expansion {
  readonly terms: SumTerm[];
  readonly interior: readonly number[];
  readonly tokens: Token[];
}

const expand = (source: Source, root: number, options: SimplifyOptions): Expansion => {
  const { graph, references, deep } = source;
  const { op, left, right } = graph;
  const limit = deep ? MAX_DEEP_TERMS : Infinity;
  const interior: number[] = [];
  const found: SumTerm[] = [];
  const tokens: Token[] = [];
  const numbers = new Map<string, number>();
  const tokenOf = (key: string, make: () => Token): number => {
    let n = numbers.get(key);
    if (n === undefined) {
      n = tokens.length;
      numbers.set(key, n);
      tokens.push(make());
    }
    return n;
  };
  const opens = (id: number): boolean => id === root || ((references[id] === 1 || deep) && interior.length < limit);
  const isSum = (id: number): boolean => op[id] === ADD || op[id] === NEG;
  const stack = [root];
  const scales = [1];
  while (stack.length > 0) {
    const id = stack.pop()!;
    const scale = scales.pop()!;
    if (isSum(id) && opens(id)) {
      interior.push(id);
      if (op[id] === ADD) {
        stack.push(right[id]);
        scales.push(scale);
      }
      stack.push(left[id]);
      scales.push(op[id] === NEG ? -scale : scale);
      continue;
    }
    /* A number distributes over a sum. */
    if (options.summands && op[id] === MUL && opens(id)) {
      const number = op[left[id]] === CONSTANT ? left[id] : op[right[id]] === CONSTANT ? right[id] : -1;
      const other = number === left[id] ? right[id] : left[id];
      if (number >= 0 && op[other] === ADD && opens(other)) {
        interior.push(id);
        stack.push(other);
        scales.push(scale * graph.constantValue(number));
        continue;
      }
    }
    if ((op[id] === MUL || (op[id] === DIV && options.fractions)) && opens(id)) {
      const form = productForm(source, id, { divisions: options.fractions, roots: 'none' });
      interior.push(...form.interior);
      const factors: number[] = [];
      for (const [x, e] of form.powers)
        for (let k = 0; k < e; k++) factors.push(tokenOf(`f${x}`, () => ({ is: 'factor', node: x })));
      const below = [...form.powers].filter(([, e]) => e < 0).sort((a, b) => a[0] - b[0]);
      if (below.length > 0)
        factors.push(
          tokenOf(`d${below.join(' ')}`, () => ({ is: 'below', powers: below.map(([x, e]) => [x, -e] as const) })),
        );
      found.push({ coefficient: scale * form.coefficient, tokens: factors });
      continue;
    }
    if (op[id] === CONSTANT) found.push({ coefficient: scale * graph.constantValue(id), tokens: [] });
    else found.push({ coefficient: scale, tokens: [tokenOf(`f${id}`, () => ({ is: 'factor', node: id }))] });
  }
  return { terms: options.summands ? collect(found) : found, interior, tokens };
};

/** Adds up terms that differ by their coefficient only; those that cancel vanish. */
const collect = (terms: readonly SumTerm[]): SumTerm[] => {
  const sums = new Map<string, SumTerm>();
  for (const t of terms) {
    const key = [...t.tokens].sort((a, b) => a - b).join(' ');
    const known = sums.get(key);
    sums.set(key, { coefficient: (known?.coefficient ?? 0) + t.coefficient, tokens: known?.tokens ?? t.tokens });
  }
  return [...sums.values()].filter((t) => t.coefficient !== 0);
};

const writeSum = (ops: Ops, terms: readonly SumTerm[], tokens: readonly Token[]): number => {
  if (terms.length === 0) return ops.constant(0);
  const value = (t: SumTerm): number => writeTerm(ops, t, tokens);
  /* A sum begins with a term that is not subtracted, where it has one. */
  const start = Math.max(
    0,
    terms.findIndex((t) => t.coefficient > 0),
  );
  const negative = terms[start].coefficient < 0;
  let sum = value(terms[start]);
  terms.forEach((t, i) => {
    if (i === start) return;
    sum = t.coefficient < 0 === negative ? ops.add(sum, value(t)) : ops.sub(sum, value(t));
  });
  return negative ? ops.neg(sum) : sum;
};

/** A term without its sign; the number outermost, where other terms may find the product. */
const writeTerm = (ops: Ops, term: SumTerm, tokens: readonly Token[]): number => {
  const exponents = new Map<number, number>();
  for (const t of term.tokens) exponents.set(t, (exponents.get(t) ?? 0) + 1);
  const above: number[] = [];
  const below: number[] = [];
  let number = Math.abs(term.coefficient);
  for (const [t, e] of exponents) {
    const token = tokens[t];
    if (token.is === 'factor') above.push(power(ops, ops.leaf(token.node), e));
    else if (token.is === 'number') number *= token.value;
    else if (token.is === 'sum') above.push(writeSum(ops, token.terms, tokens));
    else for (const [x, n] of token.powers) below.push(power(ops, ops.leaf(x), n * e));
  }
  return assemble(ops, number, productOf(ops, above), productOf(ops, below));
};

import { CONSTANT, DIV, MUL, NEG, RSQRT, SQRT } from '../decompose/codes.js';
import type { Source } from './sweep.js';

/** A subtree of multiplications and divisions as one product: coefficient · Π xᵉ · Π √yⁿ. */
export interface ProductForm {
  coefficient: number;
  /** Integer exponents by node. */
  readonly powers: Map<number, number>;
  /** Number of square roots by radicand. */
  readonly halves: Map<number, number>;
  /** The operations taken apart, the root first. */
  readonly interior: number[];
}

export interface ProductRules {
  /** Take divisions apart. */
  readonly divisions: boolean;
  /** Take square roots apart: everywhere, only where divided by, or nowhere. */
  readonly roots: 'all' | 'denominators' | 'none';
}

/** Operations that one form takes apart; the rest stay factors. */
const MAX_PARTS = 4096;
const MAX_DEEP_PARTS = 128;

/** Expands the expression at `root` into a pure product (App. D, “Reducing fractions”). Iterative. */
export const productForm = (source: Source, root: number, rules: ProductRules): ProductForm => {
  const { graph, references, deep } = source;
  const { op, left, right } = graph;
  const limit = deep ? MAX_DEEP_PARTS : MAX_PARTS;
  const form = {
    coefficient: 1,
    powers: new Map<number, number>(),
    halves: new Map<number, number>(),
    interior: [] as number[],
  };
  const opens = (id: number, sign: number): boolean => {
    if (id !== root && references[id] > 1 && !deep) return false;
    if (form.interior.length >= limit) return false;
    const code = op[id];
    if (code === MUL || code === NEG) return true;
    if (code === DIV) return rules.divisions;
    return (
      (code === SQRT || code === RSQRT) &&
      (rules.roots === 'all' || (rules.roots !== 'none' && sign < 0 === (code === SQRT)))
    );
  };
  const stack = [root];
  const signs = [1];
  while (stack.length > 0) {
    const id = stack.pop()!;
    const sign = signs.pop()!;
    if (op[id] === CONSTANT) {
      form.coefficient =
        sign > 0 ? form.coefficient * graph.constantValue(id) : form.coefficient / graph.constantValue(id);
      continue;
    }
    if (!opens(id, sign)) {
      bump(form.powers, id, sign);
      continue;
    }
    form.interior.push(id);
    switch (op[id]) {
      case NEG:
        form.coefficient = -form.coefficient;
        stack.push(left[id]);
        signs.push(sign);
        break;
      case SQRT:
        bump(form.halves, left[id], sign);
        break;
      case RSQRT:
        bump(form.halves, left[id], -sign);
        break;
      default:
        stack.push(right[id], left[id]);
        signs.push(op[id] === DIV ? -sign : sign, sign);
    }
  }
  return form;
};

/** Adds to an exponent; entries of exponent 0 vanish. */
export const bump = (map: Map<number, number>, id: number, by: number): void => {
  const e = (map.get(id) ?? 0) + by;
  if (e === 0) map.delete(id);
  else map.set(id, e);
};

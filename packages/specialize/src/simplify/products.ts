import { scalarOp } from '@filigree/ir';
import { COST, DIV, MUL, NEG, RSQRT, SQRT } from '../decompose/codes.js';
import type { SimplifyOptions } from '../options.js';
import { assemble, measure, power, productOf, type Ops, type Plan } from './ops.js';
import { bump, productForm, type ProductForm } from './product-form.js';
import type { Rule, Source } from './sweep.js';

const ABS = scalarOp('abs').code;
const EXP = scalarOp('exp').code;

/**
 * Reduces fractions and square roots (App. D): every subtree of products and quotients is expanded into one product of
 * powers, equal factors meet, and what is left is written with one division. Divisions by a number become products with
 * its reciprocal; a division by a square root becomes a product with `rsqrt`; a denominator that several quotients share
 * is inverted once.
 *
 * Equal in exact arithmetic only: x·y/y loses the NaN of y = 0, √a·√b of two negative numbers becomes the root of a
 * positive one, and reciprocals round once more than a division.
 */
export const products =
  (options: SimplifyOptions): Rule =>
  (source) => {
    const { op } = source.graph;
    const read = (id: number): ProductForm => {
      const form = productForm(source, id, {
        divisions: options.fractions,
        roots: options.roots ? 'all' : options.fractions ? 'denominators' : 'none',
      });
      meet(source, form, options);
      return form;
    };
    const sharing = options.fractions ? sharedDenominators(source, read) : new Set<string>();
    return (id) => {
      if (op[id] === SQRT && options.roots) return radicand(source, id);
      if (op[id] !== MUL && op[id] !== DIV) return undefined;
      const form = read(id);
      const { interior } = form;
      if (!Number.isFinite(form.coefficient) || form.coefficient === 0) return { interior, plan: undefined };
      const invert = sharing.has(denominatorKey(form));
      const plan: Plan = (ops) => write(source, ops, form, options, invert);
      const before = interior.reduce((sum, x) => sum + (op[x] === NEG ? 0 : COST[op[x]]), 0);
      /* The inverse belongs to all who share it. */
      const after = measure(plan).cost - (invert ? inverseCost(source, form, options) : 0);
      return { interior, plan: after < before ? plan : undefined };
    };
  };

/** Lets powers of one expression that came as integer powers, roots or absolute values meet. */
const meet = ({ graph, references }: Source, form: ProductForm, options: SimplifyOptions): void => {
  const { powers, halves, interior } = form;
  if (!options.roots) return;
  /* An operation that only this product used is gone with it. */
  const vanishes = (id: number, uses: number): void => {
    if (!powers.has(id) && references[id] <= Math.abs(uses)) interior.push(id);
  };
  for (const [id, e] of [...powers]) {
    const x = graph.left[id];
    if (graph.op[id] === SQRT) {
      const other = powers.get(x) ?? 0;
      /* √x·√x is x, and √x/x is 1/√x. */
      const total = 2 * other + e;
      if (Math.abs(e) < 2 && !(options.fractions && other * e < 0)) continue;
      const whole = Math.trunc(total / 2);
      bump(powers, x, whole - other);
      bump(powers, id, total - 2 * whole - e);
      vanishes(id, e);
    } else if (graph.op[id] === ABS && Math.abs(e) >= 2) {
      const even = 2 * Math.trunc(e / 2);
      bump(powers, x, even);
      bump(powers, id, -even);
      vanishes(id, e);
    }
  }
  for (const [x, n] of [...halves]) {
    const other = powers.get(x) ?? 0;
    const total = 2 * other + n;
    if (Math.abs(n) < 2 && !(options.fractions && other * n < 0)) continue;
    const whole = Math.trunc(total / 2);
    bump(powers, x, whole - other);
    bump(halves, x, total - 2 * whole - n);
  }
};

/** Longest power of an inverse root that replaces a division. */
const MAX_RSQRT_POWER = 5;

const write = (source: Source, ops: Ops, form: ProductForm, options: SimplifyOptions, invert: boolean): number => {
  const above: number[] = [];
  const below: number[] = [];
  const powers = new Map(form.powers);
  const halves = new Map(form.halves);
  const inverseRoots: number[] = [];
  for (const [x, n] of halves) {
    const e = powers.get(x) ?? 0;
    if (n < 0 && e < 0 && !invert && n + 2 * e >= -MAX_RSQRT_POWER) {
      inverseRoots.push(power(ops, ops.unary(RSQRT, ops.leaf(x)), -n - 2 * e));
      powers.delete(x);
      halves.delete(x);
    }
  }
  for (const [x, e] of powers) {
    if (e > 0) above.push(power(ops, ops.leaf(x), e));
    else if (!invert) below.push(power(ops, ops.leaf(x), -e));
  }
  const together = (code: number, sign: number): void => {
    const list = [...halves].filter(([, n]) => n * sign > 0);
    if (list.length === 0) return;
    if (options.roots)
      above.push(
        ops.unary(
          code,
          productOf(
            ops,
            list.map(([x, n]) => power(ops, ops.leaf(x), n * sign)),
          )!,
        ),
      );
    else for (const [x, n] of list) above.push(power(ops, ops.unary(code, ops.leaf(x)), n * sign));
  };
  together(SQRT, 1);
  if (invert) above.push(inverse(source, ops, form, options));
  else together(RSQRT, -1);
  above.push(...inverseRoots);
  return assemble(ops, form.coefficient, productOf(ops, above), productOf(ops, below));
};

/** What stands below the line, as a text: quotients of equal texts share their denominator. */
const denominatorKey = (form: ProductForm): string => {
  const parts = [
    ...[...form.powers].filter(([, e]) => e < 0).map(([x, e]) => `${x}^${e}`),
    ...[...form.halves].filter(([, n]) => n < 0).map(([x, n]) => `r${x}^${n}`),
  ];
  return parts.sort().join(' ');
};

/** Denominators that at least two quotients with a numerator share; a lone root is shared by being `rsqrt` anyway. */
const sharedDenominators = (source: Source, read: (id: number) => ProductForm): ReadonlySet<string> => {
  const { graph, references } = source;
  const inside = new Uint8Array(graph.length);
  const count = new Map<string, number>();
  for (let id = graph.length - 1; id >= 0; id--) {
    if (references[id] === 0 || inside[id] === 1) continue;
    if (graph.op[id] !== MUL && graph.op[id] !== DIV) continue;
    const form = read(id);
    for (const x of form.interior) if (references[x] === 1) inside[x] = 1;
    const key = denominatorKey(form);
    if (key !== '') count.set(key, (count.get(key) ?? 0) + 1);
  }
  return new Set([...count].filter(([, n]) => n > 1).map(([key]) => key));
};

/** 1 / (what stands below the line). */
const inverse = (source: Source, ops: Ops, form: ProductForm, options: SimplifyOptions): number => {
  const { graph } = source;
  const below = [...form.powers].filter(([, e]) => e < 0);
  const roots = [...form.halves].filter(([, n]) => n < 0);
  const inverseRoot = (x: number): number => ops.unary(RSQRT, ops.leaf(x));
  if (below.length === 1 && roots.length === 0 && below[0][1] === -1 && graph.op[below[0][0]] === SQRT)
    return inverseRoot(graph.left[below[0][0]]);
  const factors = roots.map(([x, n]) => power(ops, inverseRoot(x), -n));
  const top =
    options.roots && factors.length > 1
      ? [
          ops.unary(
            RSQRT,
            productOf(
              ops,
              roots.map(([x, n]) => power(ops, ops.leaf(x), -n)),
            )!,
          ),
        ]
      : factors;
  const above = productOf(ops, top);
  const denominator = productOf(
    ops,
    below.map(([x, e]) => power(ops, ops.leaf(x), -e)),
  );
  if (denominator === undefined) return above ?? ops.constant(1);
  return ops.div(above ?? ops.constant(1), denominator);
};

const inverseCost = (source: Source, form: ProductForm, options: SimplifyOptions): number => {
  const { cost } = measure((ops) => inverse(source, ops, form, options));
  /* At least two quotients pay for it. */
  return cost / 2;
};

/** √(x²·y) is |x|·√y. */
const radicand = (source: Source, id: number): { interior: readonly number[]; plan: Plan | undefined } => {
  const { graph, references } = source;
  const inner = graph.left[id];
  const form = productForm({ ...source, deep: true }, inner, { divisions: false, roots: 'none' });
  const out: [x: number, e: number][] = [];
  const rest: [x: number, e: number][] = [];
  for (const [x, e] of form.powers) {
    const even = 2 * Math.floor(e / 2);
    if (even > 0) out.push([x, even / 2]);
    if (e > even) rest.push([x, e - even]);
  }
  if (out.length === 0 || !(form.coefficient > 0)) return { interior: [], plan: undefined };
  const plan: Plan = (ops) => {
    const factors = out.map(([x, e]) => {
      const p = power(ops, ops.leaf(x), e);
      return e % 2 === 0 || isNonNegative(source, x) ? p : ops.unary(ABS, p);
    });
    if (rest.length > 0) {
      const under = productOf(
        ops,
        rest.map(([x]) => ops.leaf(x)),
      )!;
      factors.push(ops.unary(SQRT, form.coefficient === 1 ? under : ops.mul(ops.constant(form.coefficient), under)));
    } else if (form.coefficient !== 1) factors.unshift(ops.constant(Math.sqrt(form.coefficient)));
    return productOf(ops, factors)!;
  };
  const before =
    COST[SQRT] +
    form.interior.reduce((sum, x) => sum + (references[x] === 1 && graph.op[x] === MUL ? COST[MUL] : 0), 0);
  return { interior: [], plan: measure(plan).cost < before ? plan : undefined };
};

const isNonNegative = ({ graph }: Source, id: number): boolean => {
  const code = graph.op[id];
  return code === SQRT || code === ABS || code === EXP || (code === MUL && graph.left[id] === graph.right[id]);
};

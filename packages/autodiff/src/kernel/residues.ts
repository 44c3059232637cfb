import { type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import type { Residue } from './touched.js';

/**
 * Reads what branches say of the elements that are touched in them: where `(i + j) % 2 == color`, the coordinates of `u[i][j]` sum up to `color`, those of `u[i - 1][j]` to another remainder, in whatever iteration. So these are
 * never one element, though both are the field's (red-black sweeps).
 *
 * That holds, since a remainder is congruent to what it is of, also below zero and where sums of 32 bits wrap around at a multiple of the divisor; and since an argument is the same for all iterations. It
 * is said only of coordinates that are certainly within the field: an index outside is taken for another one.
 */
export const residuesOf = (
  kernel: Kernel,
): ((op: Op, index: readonly Value[], extents: readonly number[]) => Residue | undefined) => {
  /** What follows from arguments alone, and so is the same for all iterations. */
  const fixed = new Set(kernel.params.map((p) => p.id));
  const forms = new Map<number, Form>();
  const formOf = (v: Value): Form => forms.get(v.id) ?? { terms: new Map([[v.id, 1]]), plus: 0 };
  /** What values lie between that are no sums of others. */
  const bounds = new Map<number, Bounds>();
  const boundsOf = ({ terms, plus }: Form): Bounds =>
    [...terms].reduce<Bounds>(
      ([least, most], [id, times]) => {
        const [lo, hi] = bounds.get(id) ?? everything;
        return times < 0 ? [least + times * hi, most + times * lo] : [least + times * lo, most + times * hi];
      },
      [plus, plus],
    );
  const definitions = new Map<number, Op>();
  const guards = new Map<Op, readonly Congruence[]>();

  const note = (op: Op): void => {
    for (const r of op.results) definitions.set(r.id, op);
    if (op.name.startsWith('arith.') && op.operands.every((v) => fixed.has(v.id)))
      for (const r of op.results) fixed.add(r.id);
    const [result] = op.results;
    if (op.name === 'arith.constant' && typeof op.attrs.value === 'number')
      forms.set(result.id, { terms: new Map(), plus: op.attrs.value });
    const [a, b] = op.operands.map(formOf);
    if (op.name === 'arith.add') forms.set(result.id, sum(a, b, 1));
    if (op.name === 'arith.sub') forms.set(result.id, sum(a, b, -1));
    if (op.name === 'arith.mul' && (a.terms.size === 0 || b.terms.size === 0))
      forms.set(result.id, a.terms.size === 0 ? sum(zero, b, a.plus) : sum(zero, a, b.plus));
    if ((op.name === 'arith.div' || op.name === 'arith.rem') && b.terms.size === 0 && b.plus > 0) {
      const [lo, hi] = boundsOf(a);
      if (lo >= 0)
        bounds.set(
          result.id,
          op.name === 'arith.rem' ? [0, Math.min(hi, b.plus - 1)] : [Math.floor(lo / b.plus), Math.floor(hi / b.plus)],
        );
    }
  };
  const visit = ({ ops }: Region, here: readonly Congruence[]): void => {
    for (const op of ops) {
      note(op);
      guards.set(op, here);
      if (op.name === 'scf.for') {
        const [lower, upper, step] = op.operands.map((v) => boundsOf(formOf(v)));
        if (step[0] > 0) bounds.set(op.regions[0].params[0].id, [lower[0], upper[1] - 1]);
      }
      op.regions.forEach((region, n) =>
        visit(region, [...here, ...(op.name === 'scf.if' ? said(op.operands[0], n === 0) : [])]),
      );
    }
  };
  /** What holds where a condition does, or where it does not. */
  const said = (condition: Value, holds: boolean): readonly Congruence[] => {
    const op = definitions.get(condition.id);
    if (op?.name === 'arith.and' && holds) return op.operands.flatMap((v) => said(v, true));
    if (op?.name !== 'arith.cmp' || op.attrs.predicate !== (holds ? 'eq' : 'ne')) return [];
    const [a, b] = op.operands;
    return [...congruence(a, b), ...congruence(b, a)];
  };
  const congruence = (left: Value, right: Value): readonly Congruence[] => {
    const op = definitions.get(left.id);
    if (!op || !fixed.has(right.id) || (op.name !== 'arith.rem' && op.name !== 'arith.and')) return [];
    const [of, by] = op.operands.map(formOf);
    const divisor = op.name === 'arith.rem' ? by.plus : by.plus + 1;
    return by.terms.size === 0 && isPowerOfTwo(divisor) ? [{ form: sum(of, formOf(right), -1), divisor }] : [];
  };
  visit(kernel.body, []);

  return (op, index, extents) => {
    const at = index.map(formOf);
    const within = at.map((form, n) => {
      const [lo, hi] = boundsOf(form);
      return lo >= 0 && hi < extents[n];
    });
    for (const { form, divisor } of guards.get(op) ?? []) {
      const weights = at.map((): number => 0);
      const beside: string[] = [];
      const found = [...form.terms].every(([id, times]) => {
        if (fixed.has(id)) return beside.push(`${id}:${modulo(times, divisor)}`) > 0;
        const n = at.findIndex(({ terms }) => terms.size === 1 && terms.get(id) === 1);
        if (n >= 0) weights[n] = times;
        return n >= 0 && within[n];
      });
      if (!found) continue;
      const further = at.reduce((all, { plus }, n) => all + weights[n] * plus, -form.plus);
      return {
        of: `${weights.map((w) => modulo(w, divisor)).join()} ${beside.sort().join()} % ${divisor}`,
        is: modulo(further, divisor),
      };
    }
    return undefined;
  };
};

/** Values times numbers, and a number. */
interface Form {
  readonly terms: ReadonlyMap<number, number>;
  readonly plus: number;
}

/** A form that a number divides. */
interface Congruence {
  readonly form: Form;
  readonly divisor: number;
}

type Bounds = readonly [least: number, most: number];

const everything: Bounds = [-Infinity, Infinity];

const zero: Form = { terms: new Map(), plus: 0 };

const sum = (a: Form, b: Form, times: number): Form => {
  const terms = new Map(a.terms);
  for (const [id, n] of b.terms) terms.set(id, (terms.get(id) ?? 0) + times * n);
  return { terms: new Map([...terms].filter(([, n]) => n !== 0)), plus: a.plus + times * b.plus };
};

const isPowerOfTwo = (n: number): boolean => n > 1 && Number.isInteger(Math.log2(n));

const modulo = (n: number, by: number): number => ((n % by) + by) % by;

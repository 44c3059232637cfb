import { isInteger, type Kernel, type Op, type Value } from '@filigree/ir';
import { guardsIn, type Fact } from '../indices/conjuncts.js';
import { formSum, isSmall, single, type Form, type IntegerForms } from '../indices/integer-forms.js';
import type { Residue } from './touched.js';

/**
 * Reads what branches say of the elements that are touched in them: where `(i + j) % 2 == color`, the coordinates of `u[i][j]` sum up to `color`, those of `u[i - 1][j]` to another remainder, in whatever iteration. So these are
 * never one element, though both are the field's (red-black sweeps). Each branch around an op says something: of rows and of columns, where colours are four.
 *
 * That holds, since a remainder is congruent to what it is of, also below zero; and since an argument is the same for all iterations. Sums of 32 bits wrap around at a multiple of a divisor that is a power of two; of
 * what is divided by another one it must be certain that it does not. It is said only of coordinates that are certainly within the field: an index outside is taken for another one.
 */
export const residuesOf = (
  kernel: Kernel,
  { formOf, liesIn, within, madeBy, isFixed }: IntegerForms,
): ((op: Op, index: readonly Value[], extents: readonly number[]) => readonly Residue[]) => {
  /** What a fact says. */
  const said = ({ op, holds }: Fact): readonly Congruence[] => {
    if (op.name !== 'arith.cmp' || op.attrs.predicate !== (holds ? 'eq' : 'ne')) return [];
    const [a, b] = op.operands;
    return [...congruence(a, b), ...congruence(b, a)];
  };
  const congruence = (left: Value, right: Value): readonly Congruence[] => {
    const op = madeBy(left);
    if (!op || !isFixed(right.id) || !isInteger(right.type) || (op.name !== 'arith.rem' && op.name !== 'arith.and'))
      return [];
    const [of, by] = op.operands.map(formOf);
    const divisor = op.name === 'arith.rem' ? by.plus : by.plus + 1;
    if (by.terms.size > 0 || divisor < 2) return [];
    if (isPowerOfTwo(divisor)) return [{ form: formSum(of, formOf(right), -1), divisor }];
    const goesRound = op.name !== 'arith.rem' || !isSmall(liesIn(op.operands[0]));
    return goesRound ? [] : [{ form: formSum(of, asItself(right, formOf(right)), -1), divisor }];
  };
  const guards = new Map([...guardsIn(kernel.body, madeBy)].map(([op, facts]) => [op, facts.flatMap(said)] as const));

  return (op, index, extents) => {
    const at = index.map(formOf);
    return (guards.get(op) ?? []).flatMap(({ form, divisor }) => {
      const weights = at.map((): number => 0);
      const beside: string[] = [];
      const found = [...form.terms].every(([id, times]) => {
        if (isFixed(id)) return beside.push(`${id}:${modulo(times, divisor)}`) > 0;
        const n = at.findIndex(({ terms }) => terms.size === 1 && terms.get(id) === 1);
        if (n >= 0) weights[n] = times;
        return n >= 0 && within(index[n], extents[n]) !== undefined;
      });
      if (!found) return [];
      const further = at.reduce((all, { plus }, n) => all + weights[n] * plus, -form.plus);
      const residue: Residue = {
        of: `${weights.map((w) => modulo(w, divisor)).join()} ${beside.sort().join()} % ${divisor}`,
        is: modulo(further, divisor),
      };
      return [residue];
    });
  };
};

/** A form that a number divides. */
interface Congruence {
  readonly form: Form;
  readonly divisor: number;
}

/** A number, or a value whose sum may have gone round. */
const asItself = ({ id }: Value, form: Form): Form => (form.terms.size === 0 ? form : single(id));

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

const modulo = (n: number, by: number): number => ((n % by) + by) % by;

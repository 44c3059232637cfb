import { inversePredicate, mirroredPredicate, walk, type Kernel, type Op, type Value } from '@filigree/ir';
import { guardsIn, type Fact } from '../indices/conjuncts.js';
import { formSum, single, type Form, type IntegerForms } from '../indices/integer-forms.js';
import type { Beside } from './touched.js';

/**
 * Reads where coordinates lie beside arguments: in a loop from `k + 1` on `r` is beyond `k`, `p + n` is no less than `n` where `p` is from 0 on, and `if (r !== k)` says that it is another one. So elimination in place reads the row of its pivot, which none of its iterations writes.
 *
 * Of two coordinates that are compared so, one is the argument itself and a number that is between others (`isItself`): where an argument is so far from zero that sums with it go round, that one is outside of the field, and nothing is there.
 */
export const besideArguments = (
  { params, body }: Kernel,
  { formOf, spanOf, madeBy }: IntegerForms,
): ((op: Op, index: readonly Value[]) => readonly (readonly Beside[])[]) => {
  const positions = new Map(params.flatMap((p, n) => (p.type === 'i32' ? [[p.id, n] as const] : [])));
  const loops = new Map<number, Op>();
  const guards = guardsIn(body, madeBy);
  walk(body, (op) => {
    if (op.name === 'scf.for') loops.set(op.regions[0].params[0].id, op);
  });

  /** An argument and a number that a form is, but for what else is in it. */
  const argumentIn = (form: Form): { readonly argument: number; readonly rest: Form } | undefined => {
    const found = [...form.terms].filter(([id]) => positions.has(id));
    const [[id, times]] = found.length === 1 ? found : [[-1, 0]];
    return times === 1 ? { argument: positions.get(id)!, rest: formSum(form, single(id), -1) } : undefined;
  };
  const itself = (form: Form): readonly Beside[] => {
    const found = argumentIn(form);
    const [least, most] = found ? spanOf(found.rest) : [-Infinity, Infinity];
    return found && isNear(least) && isNear(most) ? [{ argument: found.argument, isItself: true, least, most }] : [];
  };
  /** What a value that bounds another one says of it. */
  const bounded = (v: Value, side: 'least' | 'most', by: number): readonly Beside[] => {
    const op = madeBy(v);
    if (op?.name === (side === 'least' ? 'arith.max' : 'arith.min'))
      return op.operands.flatMap((o) => bounded(o, side, by));
    const found = argumentIn(formOf(v));
    if (!found || found.rest.terms.size > 0 || !isNear(found.rest.plus + by)) return [];
    return [{ argument: found.argument, isItself: false, [side]: found.rest.plus + by }];
  };
  const ofLoop = (loop: Op | undefined, plus: number): readonly Beside[] => {
    if (!loop || !(spanOf(formOf(loop.operands[2]))[0] > 0)) return [];
    return [...bounded(loop.operands[0], 'least', plus), ...bounded(loop.operands[1], 'most', plus - 1)];
  };
  const ofFact = ({ op, holds }: Fact, id: number, plus: number): readonly Beside[] => {
    if (op.name !== 'arith.cmp') return [];
    return op.operands.flatMap((side, n): readonly Beside[] => {
      const { terms, plus: by } = formOf(side);
      if (terms.size !== 1 || terms.get(id) !== 1 || !isNear(by)) return [];
      const said = String(op.attrs.predicate);
      const turned = n === 1 ? (mirroredPredicate[said] ?? said) : said;
      const is = holds ? turned : inversePredicate[turned];
      const other = op.operands[1 - n];
      const at = plus - by;
      if (is === 'lt' || is === 'le') return bounded(other, 'most', is === 'lt' ? at - 1 : at);
      if (is === 'gt' || is === 'ge') return bounded(other, 'least', is === 'gt' ? at + 1 : at);
      const found = argumentIn(formOf(other));
      return is === 'ne' && found?.rest.terms.size === 0 && isNear(found.rest.plus + at)
        ? [{ argument: found.argument, isItself: false, isNot: found.rest.plus + at }]
        : [];
    });
  };
  return (op, index) =>
    index.map((v) => {
      const form = formOf(v);
      const [[id, times]] = form.terms.size === 1 ? form.terms : [[-1, 0]];
      if (times !== 1 || positions.has(id)) return itself(form);
      return [...ofLoop(loops.get(id), form.plus), ...(guards.get(op) ?? []).flatMap((f) => ofFact(f, id, form.plus))];
    });
};

/** Numbers that sums of do not go round with what is near a field. */
const isNear = (n: number): boolean => Math.abs(n) < 2 ** 28;

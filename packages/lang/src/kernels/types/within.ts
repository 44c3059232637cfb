import { isInteger } from '@filigree/ir';
import { eachInstruction, type Block, type Instruction, type Local } from '../code/code.js';
import { intervalOf, resultInterval, union } from '../code/interval.js';
import { holds } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';

/**
 * What whole numbers are known to lie in, with all that their variables are given anywhere: `let kind = 0; if (x > 1) kind = 2`, and
 * what a function returns on its ways. Nothing of a variable that is given what follows from itself, as one that counts.
 */
export const withinBlock = (body: Block, types: Types): ((value: Scalar) => Interval | undefined) => {
  const { made, given } = definitions(body);
  const known = new Map<Temp | Local, Interval | undefined>();

  const of = (value: Scalar): Interval | undefined =>
    intervalOf(value) ?? (value.is === 'temp' ? once(value, () => ofTemp(value)) : undefined);

  const ofTemp = (temp: Temp): Interval | undefined => {
    const i = made.get(temp);
    const type = types.typeOf(temp);
    const within =
      i?.do === 'read'
        ? once(i.local, () => ofLocal(i.local))
        : i?.do === 'compute' && i.type === undefined
          ? resultInterval(i.operator as OperatorName, i.args, of)
          : undefined;
    return within && isInteger(type) && within.every((x) => holds(type, x)) ? within : undefined;
  };

  /* It begins as zero. */
  const ofLocal = (local: Local): Interval | undefined =>
    given.get(local)?.reduce<Interval | undefined>(
      (all, value) => {
        const one = all && of(value);
        return all && one && union(all, one);
      },
      [0, 0],
    );

  /* What follows from itself is not known while it is asked for. */
  const once = (what: Temp | Local, find: () => Interval | undefined): Interval | undefined => {
    if (!known.has(what)) known.set(what, undefined).set(what, find());
    return known.get(what);
  };
  return of;
};

/** What makes each value, and what each variable is given; variables that parallel loops accumulate into are left out. */
const definitions = (
  body: Block,
): { readonly made: ReadonlyMap<Temp, Instruction>; readonly given: ReadonlyMap<Local, readonly Scalar[]> } => {
  const made = new Map<Temp, Instruction>();
  const given = new Map<Local, Scalar[]>();
  const accumulated = new Set<Local>();
  eachInstruction(body, (i) => {
    if (i.do === 'read' || i.do === 'compute') made.set(i.to, i);
    else if (i.do === 'write') given.set(i.local, [...(given.get(i.local) ?? []), i.value]);
    else if (i.do === 'reduce') accumulated.add(i.reduction.local);
  });
  for (const local of accumulated) given.delete(local);
  return { made, given };
};

import { isInteger } from '@filigree/ir';
import { eachInstruction, type Block, type Instruction, type Local, type Loop } from '../code/code.js';
import { intervalOf, resultInterval, union } from '../code/interval.js';
import { holds } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';

/**
 * What whole numbers are known to lie in, with all that their variables are given anywhere: `let kind = 0; if (x > 1) kind = 2`, and
 * what a function returns on its ways. Of a variable that is given what follows from itself there is only what loops know that count by it.
 */
export const withinBlock = (body: Block, types: Types): ((value: Scalar) => Interval | undefined) => {
  const { made, given, counts } = definitions(body);
  const known = new Map<Temp | Local, Interval | undefined>();

  const of = (value: Scalar): Interval | undefined =>
    intervalOf(value) ?? (value.is === 'temp' ? once(value, () => ofTemp(value)) : undefined);

  const ofTemp = (temp: Temp): Interval | undefined => {
    const i = made.get(temp);
    const type = types.typeOf(temp);
    const within =
      i?.do === 'read'
        ? (once(i.local, () => anyOf(given.get(i.local))) ?? ofCount(counts.get(temp)))
        : i?.do === 'compute' && i.type === undefined
          ? resultInterval(i.operator as OperatorName, i.args, of)
          : undefined;
    return within && isInteger(type) && within.every((x) => holds(type, x)) ? within : undefined;
  };

  /* It begins as zero. */
  const anyOf = (values: readonly Scalar[] | undefined): Interval | undefined =>
    values?.reduce<Interval | undefined>(
      (all, value) => {
        const one = all && of(value);
        return all && one && union(all, one);
      },
      [0, 0],
    );

  /* In the body of a loop that counts: from where it begins to before its end, and as it begins where no iteration runs. */
  const ofCount = (count: Count | undefined): Interval | undefined => {
    const from = count && anyOf(count.starts);
    const end = count && of(count.bound);
    if (!from || !end) return undefined;
    const beyond = count.inclusive ? 0 : 1;
    return count.step > 0
      ? [from[0], Math.max(from[0], end[1] - beyond)]
      : [Math.min(from[1], end[0] + beyond), from[1]];
  };

  /* What follows from itself is not known while it is asked for. */
  const once = (what: Temp | Local, find: () => Interval | undefined): Interval | undefined => {
    if (!known.has(what)) known.set(what, undefined).set(what, find());
    return known.get(what);
  };
  return of;
};

/** What a loop counts by, and what that begins as. */
interface Count extends NonNullable<Loop['counted']> {
  readonly starts: readonly Scalar[];
}

interface Definitions {
  /** What makes each value. */
  readonly made: ReadonlyMap<Temp, Instruction>;
  /** What each variable is given. */
  readonly given: ReadonlyMap<Local, readonly Scalar[]>;
  /** The loop that counts by a variable, of what is read of that in its body. */
  readonly counts: ReadonlyMap<Temp, Count>;
}

/** Variables that parallel loops accumulate into are given nothing that is known. */
const definitions = (body: Block): Definitions => {
  const made = new Map<Temp, Instruction>();
  const written = new Map<Local, (Instruction & { readonly do: 'write' })[]>();
  const loops: (Loop & { readonly counted: NonNullable<Loop['counted']> })[] = [];
  const accumulated = new Set<Local>();
  eachInstruction(body, (i) => {
    if (i.do === 'read' || i.do === 'compute') made.set(i.to, i);
    else if (i.do === 'write') written.set(i.local, [...(written.get(i.local) ?? []), i]);
    else if (i.do === 'reduce') accumulated.add(i.reduction.local);
    else if (i.do === 'loop' && i.counted) loops.push({ ...i, counted: i.counted });
  });
  for (const local of accumulated) written.delete(local);
  const counts = new Map<Temp, Count>();
  for (const { counted, body: iteration, update } of loops) {
    const steps = new Set<Instruction>();
    eachInstruction(update, (i) => steps.add(i));
    const starts = (written.get(counted.local) ?? []).filter((i) => !steps.has(i)).map((i) => i.value);
    eachInstruction(iteration, (i) => {
      if (i.do === 'read' && i.local === counted.local) counts.set(i.to, { ...counted, starts });
    });
  }
  const given = new Map([...written].map(([local, writes]) => [local, writes.map((i) => i.value)]));
  return { made, given, counts };
};

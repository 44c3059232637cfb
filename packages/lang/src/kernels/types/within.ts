import { isInteger } from '@filigree/ir';
import { blocksOf, eachInstruction, type Block, type Instruction, type Local, type Loop } from '../code/code.js';
import { intervalOf, resultInterval, union, wordOf } from '../code/interval.js';
import { holds } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';
import { realInterval } from './real-interval.js';

/**
 * What whole numbers are known to lie in, with all that their variables are given anywhere: `let kind = 0; if (x > 1) kind = 2`, and
 * what a function returns on its ways. Of a variable that is given what follows from itself there is only what loops know that count by it. What is given where
 * a comparison with a number holds lies on its side of that number: `s < 0 ? 0 : s > 255 ? 255 : s`. What is rounded lies where the float did.
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
        : i?.do !== 'compute'
          ? undefined
          : i.operator === 'cast'
            ? cast(real(i.args[0]))
            : i.type !== undefined
              ? undefined
              : i.operator === 'select'
                ? either(i.args)
                : resultInterval(i.operator as OperatorName, i.args, of, types.typeOf);
    return within && isInteger(type) && within.every((x) => holds(type, x)) ? within : undefined;
  };

  /* Of numbers of any type, NaN beside. */
  const real = (s: Scalar): Interval | undefined => {
    if (s.is === 'literal') return typeof s.value === 'boolean' ? undefined : [Number(s.value), Number(s.value)];
    if (isInteger(types.typeOf(s))) return of(s);
    const i = made.get(s);
    if (i?.do !== 'compute') return undefined;
    const within = i.operator === 'cast' ? real(i.args[0]) : realInterval(i.operator as OperatorName, i.args, real);
    /* As f32 the greatest number below 256 is 256, if it is written with more digits than that holds. */
    return within && types.typeOf(s) === 'f32' ? [Math.fround(within[0]), Math.fround(within[1])] : within;
  };

  /* What one of two is, each where the condition says that it is the one. */
  const either = ([condition, ...values]: readonly Scalar[]): Interval | undefined => {
    const [a, b] = values.map((value, k) => where(value, [{ condition, holds: k === 0 }]));
    return a && b && union(a, b);
  };

  const where = (value: Scalar, guards: readonly Guard[]): Interval | undefined =>
    guards.flatMap(parts).reduce<Interval | undefined>((within, { condition, holds: is }) => {
      const i = condition.is === 'temp' ? made.get(condition) : undefined;
      const side = i?.do === 'compute' ? sideOf(i.operator as OperatorName, i.args, value, is) : undefined;
      const known = side && (within ?? wordOf(value, types.typeOf));
      return known ? meet(known, side) : within;
    }, of(value));

  /* What holds of the parts of a condition. */
  const parts = (guard: Guard): readonly Guard[] => {
    const { condition, holds: is } = guard;
    const i = condition.is === 'temp' ? made.get(condition) : undefined;
    if (i?.do !== 'compute') return [guard];
    if (i.operator === 'not') return parts({ condition: i.args[0], holds: !is });
    return i.operator === (is ? 'and' : 'or') ? i.args.flatMap((arg) => parts({ condition: arg, holds: is })) : [guard];
  };

  /* It begins as zero. */
  const anyOf = (values: readonly Given[] | undefined): Interval | undefined =>
    values?.reduce<Interval | undefined>(
      (all, { value, guards }) => {
        const one = all && where(value, guards);
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
  readonly starts: readonly Given[];
}

/** A condition, and whether it holds where something is. */
interface Guard {
  readonly condition: Scalar;
  readonly holds: boolean;
}

/** What a variable is given, and what holds there. */
interface Given {
  readonly value: Scalar;
  readonly guards: readonly Guard[];
}

/** The part of an interval on one side of a number; nothing of it is left where the code never runs. */
const meet = ([least, most]: Interval, side: Interval): Interval | undefined => {
  const [low, high] = [Math.max(least, side[0]), Math.min(most, side[1])];
  return low <= high ? [low, high] : undefined;
};

/** The side of a number on which a value lies where a comparison of both holds, or does not: of integers, for which not below is above. */
const sideOf = (
  operator: OperatorName,
  [x, y]: readonly Scalar[],
  value: Scalar,
  holds: boolean,
): Interval | undefined => {
  const turned = y === value;
  const than = turned ? x : y;
  if ((x !== value && !turned) || than?.is !== 'literal' || typeof than.value === 'boolean') return undefined;
  const written = Number(than.value);
  /* It may be compared as f32, and be another number then. */
  const [low, high] = [Math.min(written, Math.fround(written)), Math.max(written, Math.fround(written))];
  const below = turned ? 'gt' : 'lt';
  const orBelow = turned ? 'ge' : 'le';
  switch (operator) {
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge': {
      const strict = operator === 'lt' || operator === 'gt';
      const isBelow = (operator === below || operator === orBelow) === holds;
      const open = strict === holds;
      return isBelow
        ? [-Infinity, open ? Math.ceil(high) - 1 : Math.floor(high)]
        : [open ? Math.floor(low) + 1 : Math.ceil(low), Infinity];
    }
    case 'eq':
      return holds ? [low, high] : undefined;
    default:
      return undefined;
  }
};

/** What a cast makes of floats: it cuts off the fraction, and makes 0 of NaN. */
const cast = (within: Interval | undefined): Interval | undefined =>
  within && union([Math.trunc(within[0]), Math.trunc(within[1])], [0, 0]);

interface Definitions {
  /** What makes each value. */
  readonly made: ReadonlyMap<Temp, Instruction>;
  /** What each variable is given. */
  readonly given: ReadonlyMap<Local, readonly Given[]>;
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
  const guards = guardsOfWrites(body);
  const givenBy = (i: Instruction & { readonly do: 'write' }): Given => ({
    value: i.value,
    guards: guards.get(i) ?? [],
  });
  const counts = new Map<Temp, Count>();
  for (const { counted, body: iteration, update } of loops) {
    const steps = new Set<Instruction>();
    eachInstruction(update, (i) => steps.add(i));
    const starts = (written.get(counted.local) ?? []).filter((i) => !steps.has(i)).map(givenBy);
    eachInstruction(iteration, (i) => {
      if (i.do === 'read' && i.local === counted.local) counts.set(i.to, { ...counted, starts });
    });
  }
  const given = new Map([...written].map(([local, writes]) => [local, writes.map(givenBy)]));
  return { made, given, counts };
};

/** The conditions of the branches around what gives variables their values. */
const guardsOfWrites = (body: Block): ReadonlyMap<Instruction, readonly Guard[]> => {
  const found = new Map<Instruction, readonly Guard[]>();
  const visit = (block: Block, guards: readonly Guard[]): void => {
    for (const i of block) {
      if (i.do === 'write') found.set(i, guards);
      if (i.do === 'if') {
        visit(i.then, [...guards, { condition: i.condition, holds: true }]);
        visit(i.otherwise, [...guards, { condition: i.condition, holds: false }]);
      } else for (const inner of blocksOf(i)) visit(inner, guards);
    }
  };
  visit(body, []);
  return found;
};

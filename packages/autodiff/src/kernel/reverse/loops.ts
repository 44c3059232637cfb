import { type Builder, type Control, type LoopCount, type Op, type Value } from '@filigree/ir';
import type { Known } from './again.js';
import { ANY_ORDER } from '../gather/any-order.js';
import { boundsOf } from './bounds.js';
import { iterationsOf, nextState, setAll, type Iterations } from './iterations.js';
import { lostValue } from '../keep/lost.js';
import type { Owns } from '../elements/own.js';
import type { Back, Recorded } from './recorded.js';
import { captured, type Reversal } from './reversal.js';
import type { Sums } from './sums.js';

/**
 * The reverse of a loop: the same iterations, the last first. Adjoints of what the loop carries run through it, and those of what it
 * takes from around it are summed up. What the loop carried in an iteration comes from its history, where the derivative asks for it; where the loop is
 * linear in that, nobody asks, and there is none. False for a loop of another kind.
 */
export const reverseLoop = (
  r: Reversal,
  b: Builder,
  op: Op,
  control: Control,
  known: Known,
  sums: Sums,
  owns: Owns,
): boolean => {
  const loop = iterationsOf(op, control);
  if (!loop) return false;
  const carried = loop.state.flatMap((v, n) => (r.active.has(v.id) ? [n] : []));
  const taken = captured(r, op);
  const recorded = r.recorded.get(op);

  /* From the adjoints of the next state, and what values from around have so far, to those of this one. */
  const back = (
    at: Builder,
    state: readonly Value[],
    counter: Value | undefined,
    now: readonly Value[],
  ): readonly Value[] => {
    const within = new Map(known);
    setAll(within, loop.state, state);
    if (loop.counter && counter) within.set(loop.counter.id, counter);
    nextState(r.again, at, loop, within, r.record);
    const inside = sums.inner();
    carried.forEach((n, k) => inside.add(at, loop.parts[loop.parts.length - 1].ends[n], now[k], [loop.state[n]]));
    for (let k = loop.parts.length - 1; k >= 0; k--) {
      r.reverse(at, loop.parts[k].region, within, inside, owns);
      if (k > 0) handBack(at, inside, loop.parts[k - 1].received, loop.parts[k - 1].ends);
    }
    return [
      ...carried.map((n) => inside.orZero(at, loop.state[n])),
      ...taken.map((v, n) => added(at, now[carried.length + n], inside.of(at, v))),
    ];
  };
  const lost = (at: Builder): readonly Value[] =>
    loop.state.map((v) =>
      lostValue(at, v, {
        why: 'a value that a loop carries, as it was in each iteration',
        remedy: 'let the loop be linear in it',
        loop: r.loops.get(op)!,
      }),
    );

  const seeds = loop.condition
    ? lastQuestion(r, b, loop, recorded!, known, sums, owns, { carried, taken })
    : [...carried.map((n) => sums.orZero(b, loop.results[n])), ...taken.map((v) => b.constant(0, v.type))];
  const out = recorded
    ? recorded.backwards(b, lost, seeds, back)
    : counted(r, b, op, control.count!, known, lost, seeds, back);
  carried.forEach((n, k) => sums.add(b, loop.first[n], out[k], [loop.state[n]]));
  taken.forEach((v, n) => sums.add(b, v, out[carried.length + n]));
  return true;
};

/** A loop that counts, and whose state nobody asks for. Where its iterations do not depend on one another it runs forwards, and stays for lanes. */
const counted = (
  r: Reversal,
  b: Builder,
  op: Op,
  count: LoopCount,
  known: Known,
  lost: (b: Builder) => readonly Value[],
  seeds: readonly Value[],
  back: Back,
): readonly Value[] => {
  const { lower, upper, step } = boundsOf(b, r.again, count, known);
  if (r.anyOrder(op))
    return b.for(lower, upper, step, ANY_ORDER, seeds, (counter, now) => back(b, lost(b), counter, now));
  /* The counter of the last iteration; of a loop that does not run it is not used. */
  const one = b.constant(1, lower.type);
  const last = b.sub(upper, b.add(one, b.rem(b.sub(b.sub(upper, lower), one), step)));
  return b.for(lower, upper, step, {}, seeds, (forwards, now) =>
    back(b, lost(b), b.sub(b.add(last, lower), forwards), now),
  );
};

/** The reverse of the time that a loop has asked and does not go on: its first region, in the state after all iterations. */
const lastQuestion = (
  r: Reversal,
  b: Builder,
  { parts: [{ region }], state, last, results }: Iterations,
  { final }: Recorded,
  known: Known,
  sums: Sums,
  owns: Owns,
  { carried, taken }: { readonly carried: readonly number[]; readonly taken: readonly Value[] },
): readonly Value[] => {
  const within = new Map(known);
  setAll(within, state, final);
  r.again.region(b, region, within, r.record);
  const inside = sums.inner();
  last.forEach((v, n) => {
    const seed = sums.of(b, results[n]);
    if (seed) inside.add(b, v, seed, [results[n]]);
  });
  r.reverse(b, region, within, inside, owns);
  return [...carried.map((n) => inside.orZero(b, state[n])), ...taken.map((v) => inside.orZero(b, v))];
};

const handBack = (b: Builder, sums: Sums, from: readonly Value[], to: readonly Value[]): void =>
  from.forEach((v, n) => {
    const sum = sums.of(b, v);
    if (sum) sums.add(b, to[n], sum, [v]);
  });

const added = (b: Builder, before: Value, sum: Value | undefined): Value => (sum ? b.add(before, sum) : before);

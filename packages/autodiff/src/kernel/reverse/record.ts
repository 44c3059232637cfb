import { type Builder, type Control, type Op, type Value } from '@filigree/ir';
import { tripCount } from '@filigree/opt';
import type { Known } from './again.js';
import { boundsOf } from './bounds.js';
import { historyOf, mostStates, type History } from '../keep/history.js';
import { iterationsOf, nextState, setAll, type Iterations } from './iterations.js';

import type { Reversal } from './reversal.js';

/**
 * Runs a loop forwards, so that it can be run backwards: what it carries is kept in memory, of each iteration, or where there may be more than there is room
 * for, of every `segment`-th; the states between are computed again, segment by segment. Done for loops whose history is asked for, and for those
 * that do not count, whose iterations are counted so. False for other loops.
 */
export const recordLoop = (r: Reversal, b: Builder, op: Op, known: Known): boolean => {
  const control = r.controlOf(op);
  const loop = control && iterationsOf(op, control);
  const history = r.remembered.has(op);
  if (!control || control.parallel || !loop || (control.count && !history)) return false;
  const memory = history ? memoryOf(r, op, control, loop) : undefined;
  const counterOf = counting(r, b, control, known);

  const next = (at: Builder, state: readonly Value[], k: Value): readonly Value[] => {
    const within = new Map(known);
    setAll(within, loop.state, state);
    if (loop.counter) within.set(loop.counter.id, counterOf(at, k));
    return nextState(r.again, at, loop, within);
  };
  const keep = (at: Builder, k: Value, state: readonly Value[]): void => {
    if (memory?.segment === undefined) return memory?.states.keep(at, k, state);
    const size = at.i32(memory.segment);
    at.if(at.cmp('eq', at.rem(k, size), at.i32(0)), () => memory.marks!.keep(at, at.div(k, size), state));
  };
  const first = loop.first.map((v) => r.again.value(known, v));
  const ran = control.count
    ? counted(r, b, op, loop, control, known, first, memory, keep, next)
    : asking(r, b, op, loop, known, first, memory, keep);
  setAll(known, op.results, ran.results);
  r.recorded.set(op, {
    final: ran.final,
    backwards: (at, lost, seeds, back) => {
      const one = at.i32(1);
      const overSlots = (
        from: Value | undefined,
        count: Value,
        stateAt: (slot: Value) => readonly Value[],
        now: readonly Value[],
      ): readonly Value[] =>
        at.for(at.i32(0), count, one, {}, now, (done, sums) => {
          const slot = at.sub(at.sub(count, one), done);
          const k = from ? at.add(from, slot) : slot;
          return back(at, stateAt(slot), loop.counter && counterOf(at, k), sums);
        });
      if (!memory) return overSlots(undefined, ran.trips, () => lost(at), seeds);
      const { states, marks, segment } = memory;
      if (segment === undefined) return overSlots(undefined, ran.trips, (slot) => states.at(at, slot), seeds);
      const size = at.i32(segment);
      const segments = at.div(at.add(ran.trips, at.sub(size, one)), size);
      return at.for(at.i32(0), segments, one, {}, seeds, (done, now) => {
        const n = at.sub(at.sub(segments, one), done);
        const from = at.mul(n, size);
        const count = at.min(size, at.sub(ran.trips, from));
        at.for(at.i32(0), count, one, {}, marks!.at(at, n), (slot, state) => {
          states.keep(at, slot, state);
          return next(at, state, at.add(from, slot));
        });
        return overSlots(from, count, (slot) => states.at(at, slot), now);
      });
    },
  });
  return true;
};

/** Where the states of a loop are kept. */
interface Memory {
  readonly states: History;
  /** The states in which segments begin, and how many iterations a segment has. */
  readonly marks?: History;
  readonly segment?: number;
  /** How many iterations there is room for, where there may be more. */
  readonly most?: number;
}

const memoryOf = (r: Reversal, op: Op, { count }: Control, { state }: Iterations): Memory => {
  const role = r.isParallel(op) ? 'scratch' : 'temp';
  const trips = tripCount(count, r.constantOf);
  if (trips !== undefined && trips <= BigInt(Math.min(WHOLE, mostStates(state))))
    return { states: historyOf(r.buffer, state, Math.max(1, Number(trips)), role) };
  const wanted = Math.max(1, trips === undefined ? r.iterations : Number(trips));
  const segment = Math.min(mostStates(state), Math.ceil(Math.sqrt(wanted)));
  const marks = Math.min(mostStates(state), Math.ceil(wanted / segment));
  return {
    states: historyOf(r.buffer, state, segment, role),
    marks: historyOf(r.buffer, state, marks, role),
    segment,
    ...(trips !== undefined && trips <= BigInt(segment * marks) ? {} : { most: segment * marks }),
  };
};

/** Up to so many iterations, where their number is known, all states are kept. */
const WHOLE = 256;

/** The counter of an iteration by its number. */
const counting = (r: Reversal, b: Builder, { count }: Control, known: Known): ((at: Builder, k: Value) => Value) => {
  if (count?.counter === undefined) return (_at, k) => k;
  const { lower, step } = boundsOf(b, r.again, count, known);
  return (at, k) => at.add(lower, at.mul(ofType(at, k, lower), step));
};

const ofType = (b: Builder, v: Value, as: Value): Value =>
  v.type === as.type ? v : b.cast(v, as.type as Parameters<Builder['cast']>[1]);

/** What a loop left when it was run forwards. */
interface Ran {
  /** How many iterations, an i32. */
  readonly trips: Value;
  readonly final: readonly Value[];
  readonly results: readonly Value[];
}

const counted = (
  r: Reversal,
  b: Builder,
  op: Op,
  _loop: Iterations,
  { count }: Control,
  known: Known,
  first: readonly Value[],
  memory: Memory | undefined,
  keep: (b: Builder, k: Value, state: readonly Value[]) => void,
  next: (b: Builder, state: readonly Value[], k: Value) => readonly Value[],
): Ran => {
  const { lower, upper, step } = boundsOf(b, r.again, count!, known);
  const one = b.constant(1, lower.type);
  const span = b.max(b.sub(upper, lower), b.constant(0, lower.type));
  const all = b.div(b.add(span, b.sub(step, one)), step);
  const most = memory?.most === undefined ? undefined : b.constant(memory.most, lower.type);
  if (most) r.overflow(b, op, b.cmp('gt', all, most), memory!.most!);
  const trips = ofType(b, most ? b.min(all, most) : all, b.i32(0));
  const final = b.for(b.i32(0), trips, b.i32(1), {}, first, (k, state) => {
    keep(b, k, state);
    return next(b, state, k);
  });
  return { trips, final, results: final };
};

const asking = (
  r: Reversal,
  b: Builder,
  op: Op,
  { state, condition, last, parts: [before, after] }: Iterations,
  known: Known,
  first: readonly Value[],
  memory: Memory | undefined,
  keep: (b: Builder, k: Value, state: readonly Value[]) => void,
): Ran => {
  const most = memory?.most;
  const width = state.length;
  const out = b.while(
    [b.i32(0), ...first],
    ([k, ...now]) => {
      const within = new Map(known);
      setAll(within, state, now);
      r.again.region(b, before.region, within);
      const asked = r.again.value(within, condition!);
      const room = most === undefined ? undefined : b.cmp('lt', k, b.i32(most));
      const goOn = room ? b.and(asked, room) : asked;
      return [goOn, asked, k, ...now, ...last.map((v) => r.again.value(within, v))];
    },
    ([, k, ...rest]) => {
      keep(b, k, rest.slice(0, width));
      const within = new Map(known);
      setAll(within, before.received, rest.slice(width));
      r.again.region(b, after.region, within);
      return [b.add(k, b.i32(1)), ...after.ends.map((v) => r.again.value(within, v))];
    },
  );
  const [more, trips, ...rest] = out;
  if (most !== undefined) r.overflow(b, op, more, most);
  return { trips, final: rest.slice(0, width), results: rest.slice(width) };
};

import {
  handedOn,
  receivedBy,
  type Builder,
  type Control,
  type ControlEdge,
  type LoopCount,
  type Op,
  type Value,
} from '@filigree/ir';
import type { Known } from './again.js';
import { lostValue } from './lost.js';
import type { Owns } from './own.js';
import { captured, type Reversal } from './reversal.js';
import type { Sums } from './sums.js';

/**
 * The reverse of a counted loop: the same iterations, the last first. Adjoints of what the loop carries run through it, and those of
 * what it takes from around it are summed up. What the loop carries is not known in it; where it is linear in that, nobody asks.
 */
export const reverseLoop = (
  r: Reversal,
  b: Builder,
  op: Op,
  control: Control,
  known: Known,
  sums: Sums,
  owns: Owns,
): void => {
  const [body] = op.regions;
  const carried = carriedBy(op, control).filter(({ param }) => r.active.has(param.id));
  const taken = captured(r, op);
  const { lower, upper, step } = boundsOf(b, r, control.count!, known);
  /* The counter of the last iteration; of a loop that does not run it is not used. */
  const one = b.constant(1, lower.type);
  const last = b.sub(upper, b.add(one, b.rem(b.sub(b.sub(upper, lower), one), step)));
  const inits = [...carried.map(({ result }) => sums.orZero(b, result)), ...taken.map((v) => b.constant(0, v.type))];
  const out = b.for(lower, upper, step, {}, inits, (forwards, now) => {
    const within = new Map(known);
    const { counter } = control.count!;
    body.params.forEach((p, n) =>
      within.set(
        p.id,
        n === counter
          ? b.sub(b.add(last, lower), forwards)
          : lostValue(b, p, 'a value that a loop carries, as it was in each iteration', 'let the loop be linear in it'),
      ),
    );
    const inside = sums.inner();
    carried.forEach(({ next }, n) => inside.add(b, next, now[n]));
    r.region(b, body, within, inside, owns);
    return [
      ...carried.map(({ param }) => inside.orZero(b, param)),
      ...taken.map((v, n) => {
        const sum = inside.of(v);
        return sum ? b.add(now[carried.length + n], sum) : now[carried.length + n];
      }),
    ];
  });
  carried.forEach(({ first }, n) => sums.add(b, first, out[n]));
  taken.forEach((v, n) => sums.add(b, v, out[carried.length + n]));
};

/** A value that a loop carries: where it begins, what it is in an iteration, what it is in the next, and in the end. */
interface Carried {
  readonly first: Value;
  readonly param: Value;
  readonly next: Value;
  readonly result: Value;
}

const carriedBy = (op: Op, { edges }: Control): readonly Carried[] => {
  const way = (from: ControlEdge['from'], to: ControlEdge['to']): ControlEdge =>
    edges.find((e) => e.from === from && e.to === to)!;
  const params = receivedBy(op, way(0, 0));
  const first = handedOn(op, way('start', 0));
  const next = handedOn(op, way(0, 0));
  const results = receivedBy(op, way(0, 'end'));
  return params.map((param, n) => ({ first: first[n], param, next: next[n], result: results[n] }));
};

const boundsOf = (
  b: Builder,
  r: Reversal,
  { lower, upper, step }: LoopCount,
  known: Known,
): { readonly lower: Value; readonly upper: Value; readonly step: Value } => {
  const type = [lower, upper, step].find((x): x is Value => typeof x !== 'number')?.type ?? 'i32';
  const value = (x: Value | number): Value => (typeof x === 'number' ? b.constant(x, type) : r.again.value(known, x));
  return { lower: value(lower), upper: value(upper), step: value(step) };
};

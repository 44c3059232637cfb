import {
  handedOn,
  receivedBy,
  type Builder,
  type Control,
  type ControlEdge,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import type { Again, Instead, Known } from './again.js';

/**
 * A loop as what it does from one iteration to the next. Its state is what it carries. A counted loop and one that asks before each iteration
 * differ in little: the latter computes its condition, and what it hands on then, from the state.
 */
export interface Iterations {
  /** What the loop begins with. */
  readonly first: readonly Value[];
  /** The state in an iteration. */
  readonly state: readonly Value[];
  /** The regions that an iteration runs, one after the other, each with what it hands to the next; the last hands on the next state. */
  readonly parts: readonly Part[];
  /** The parameter that counts, if there is one. */
  readonly counter: Value | undefined;
  /** Of a loop that asks: the value that it asks for, of its first region. */
  readonly condition: Value | undefined;
  /** What the loop has when it ends: of the state, or of what the first region hands on. */
  readonly last: readonly Value[];
  readonly results: readonly Value[];
}

/** A region of an iteration: what it ends with is what the next one receives. */
export interface Part {
  readonly region: Region;
  readonly ends: readonly Value[];
  readonly received: readonly Value[];
}

/** Reads a loop; undefined of one that is neither counted nor asks first. */
export const iterationsOf = (op: Op, { edges, count }: Control): Iterations | undefined => {
  const way = (from: ControlEdge['from'], to: ControlEdge['to']): ControlEdge | undefined =>
    edges.find((e) => e.from === from && e.to === to);
  const begin = way('start', 0);
  const end = way(0, 'end');
  if (!begin || !end) return undefined;
  const [first, state, results] = [handedOn(op, begin), receivedBy(op, begin), receivedBy(op, end)];
  const again = way(0, 0);
  if (count && again && op.regions.length === 1)
    return {
      first,
      state,
      results,
      last: state,
      parts: [{ region: op.regions[0], ends: handedOn(op, again), received: state }],
      counter: count.counter === undefined ? undefined : op.regions[0].params[count.counter],
      condition: undefined,
    };
  const [onwards, back] = [way(0, 1), way(1, 0)];
  if (op.regions.length !== 2 || !onwards?.when?.is || onwards.first !== end.first || !back) return undefined;
  const { ops } = op.regions[0];
  return {
    first,
    state,
    results,
    last: handedOn(op, end),
    parts: [
      { region: op.regions[0], ends: handedOn(op, onwards), received: receivedBy(op, onwards) },
      { region: op.regions[1], ends: handedOn(op, back), received: state },
    ],
    counter: undefined,
    condition: ops[ops.length - 1].operands[onwards.when.operand],
  };
};

/** Computes an iteration again, from its state, and gives the next. */
export const nextState = (
  again: Again,
  b: Builder,
  { parts }: Pick<Iterations, 'parts'>,
  known: Known,
  instead?: Instead,
): readonly Value[] => {
  let next: readonly Value[] = [];
  for (const { region, ends, received } of parts) {
    again.region(b, region, known, instead);
    next = ends.map((v) => again.value(known, v));
    if (received !== parts[parts.length - 1].received) setAll(known, received, next);
  }
  return next;
};

/** Says what values are, one by one. */
export const setAll = (known: Known, values: readonly Value[], are: readonly Value[]): void =>
  values.forEach((v, n) => void known.set(v.id, are[n]));

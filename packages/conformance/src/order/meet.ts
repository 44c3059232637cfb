import { lanesIn } from '@filigree/backend/gpu';
import type { Op, RuntimeValue } from '@filigree/ir';

/** A lane that waits for others in step. */
export interface Waiting {
  readonly lane: number;
  readonly op: Op;
  readonly given: readonly RuntimeValue[];
}

/**
 * What some of those that wait are told, by lane; nothing where none can go on. Who is here in step is open: those at one op come together, or the last of
 * them too late. All of a set vote, or hand each other values, or none does.
 *
 * @param decide one of so many choices
 */
export const meeting = (
  waiting: readonly Waiting[],
  decide: (of: number) => number,
): ReadonlyMap<number, RuntimeValue> => {
  for (const w of waiting) {
    const told = w.op.name === 'gpu.here' ? undefined : amongAll(w, waiting);
    if (told) return told;
  }
  const here = waiting.filter((w) => w.op.name === 'gpu.here');
  const places = [...new Set(here.map((w) => w.op))];
  if (places.length === 0) return new Map();
  const place = places[decide(places.length)];
  const there = here.filter((w) => w.op === place);
  return toAll(there.slice(0, there.length - decide(there.length)), setOf);
};

/** What those of a set are told, all of which are at the op of this one with the same set; undefined where some are not, or look at others. */
const amongAll = ({ op, given }: Waiting, waiting: readonly Waiting[]): ReturnType<typeof meeting> | undefined => {
  const all = lanesIn(given[1] as bigint);
  const come = waiting.filter((w) => w.op === op && w.given[1] === given[1] && all.includes(w.lane));
  if (come.length < all.length) return undefined;
  if (op.name === 'gpu.ballot') return toAll(come, (some) => setOf(some.filter((w) => w.given[0] === true)));
  const seen = come.map((w) => come.find((other) => other.lane === w.given[2])?.given[0]);
  return seen.every((v) => v !== undefined) ? new Map(come.map((w, k) => [w.lane, seen[k]])) : undefined;
};

const toAll = (come: readonly Waiting[], what: (come: readonly Waiting[]) => RuntimeValue): Map<number, RuntimeValue> =>
  new Map(come.map((w) => [w.lane, what(come)]));

const setOf = (come: readonly Waiting[]): bigint => come.reduce((set, w) => set | (1n << BigInt(w.lane)), 0n);

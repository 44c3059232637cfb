import { fail } from '@filigree/ir';
import type { Seeds } from '../program/seeds.js';
import type { Recorder, Saved } from './recorder.js';

/** Steps, and what is kept of them. */
export interface Block {
  readonly n: number;
  readonly step: (k: number) => void;
  /** In how many segments only the first state is kept; 0 keeps every state. */
  readonly segments: number;
  /** The names of the scalar fields of the state. */
  readonly state: ReadonlySet<string>;
  /** Copies scalar fields. */
  readonly save: (fields: readonly string[]) => State;
}

/** A copy of a state. */
export interface State extends Saved {
  /** The field that differs now from what it was, by more than rounding in another order does. */
  readonly differs: () => string | undefined;
}

/**
 * Records steps (thesis App. D). What a launch overwrites of the state is saved before and put back after its adjoint; of segments
 * only the first state is kept, and their steps run again. A segment that then comes to another end is refused:
 * `tape/replay`.
 */
export const blockOf = (
  recorder: Recorder,
  seeds: Seeds,
  writesOf: (kernel: string) => readonly string[],
  { n, step, segments, state, save }: Block,
): void => {
  const before = (writes: readonly string[] | string): Saved | undefined => {
    const fields = (typeof writes === 'string' ? writesOf(writes) : writes).filter((f) => state.has(f));
    return fields.length > 0 ? save([...new Set(fields)]) : undefined;
  };
  const run = (from: number, to: number) => (): void => {
    for (let k = from; k < to; k++) step(k);
  };
  if (segments === 0) {
    for (const entry of recorder.within({ state, before }, run(0, n))) recorder.add(entry);
    return;
  }
  const all = [...state];
  let end = save(all);
  for (let s = 0; s < segments; s++) {
    const [from, to] = [s, s + 1].map((m) => Math.floor((m * n) / segments));
    const [first, drawn] = [end, seeds.state()];
    const entries = recorder.within({ state }, run(from, to));
    const last = (end = save(all));
    recorder.add({
      entries,
      bytes: first.bytes + (s === segments - 1 ? last.bytes : 0),
      again: () => {
        first.restore();
        const now = seeds.state();
        seeds.restore(drawn);
        const launched = recorder.within({ state, before }, run(from, to));
        seeds.restore(now);
        const field = last.differs();
        if (field !== undefined)
          fail('tape/replay', `steps ${from} to ${to - 1}, run again, left something else in field '${field}'`, {
            remedy: 'name in the state all fields that a step reads and another has changed',
          });
        return launched;
      },
    });
  }
};

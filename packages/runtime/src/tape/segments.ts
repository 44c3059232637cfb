import { fail } from '@filigree/ir';
import type { Seeds } from '../program/seeds.js';
import type { Leavings } from './leavings.js';
import { neededOf } from './needed.js';
import type { Flat, Recorder, Touched } from './recorder.js';
import type { Saved, State } from './saved.js';
import type { Structure } from './structure.js';

/** Steps, and what is kept of them. */
export interface Block {
  readonly n: number;
  readonly step: (k: number) => void;
  /** In how many segments only the first state is kept; 0 keeps every state. */
  readonly segments: number;
  /** The names of the scalar fields of the state. */
  readonly state: ReadonlySet<string>;
  /** Those of the state in which kernels keep where they have appended: steps that run again keep that anew, and it may be another place where iterations run at once. */
  readonly places: readonly string[];
}

/** How states are copied. */
export interface Copier {
  /** Which cells are active, of those of a state, and where launches may change that. */
  readonly structure: (state: ReadonlySet<string>) => Structure | undefined;
  /** What launches have left in fields outside of a state that they read and write. */
  readonly leavings: (entries: readonly Flat[], state: ReadonlySet<string>) => Leavings;
  /** Copies scalar fields. */
  readonly save: (fields: readonly string[]) => State;
  /** The scalar fields in the same cells as one. */
  readonly beside: (field: string) => readonly string[];
}

/**
 * Records steps (thesis App. D). What a launch overwrites of the state is saved before and put back after its adjoint; of segments
 * only the first state is kept, and their steps run again. A segment that then comes to another end is refused:
 * `tape/replay`.
 */
export const blockOf = (
  recorder: Recorder,
  seeds: Seeds,
  touchedBy: (kernel: string) => Touched,
  { structure, leavings, save, beside }: Copier,
  { n, step, segments, state, places }: Block,
): void => {
  const needs = neededOf(state, touchedBy, beside);
  const before = (launch: Touched | string): Saved | undefined => {
    const fields = needs.before(launch);
    return fields.length > 0 ? save(fields) : undefined;
  };
  const run = (from: number, to: number) => (): void => {
    for (let k = from; k < to; k++) step(k);
  };
  if (segments === 0) {
    for (const entry of recorder.within({ state, before }, run(0, n))) recorder.add(entry);
    return;
  }
  const passed = [...state].filter((f) => !places.includes(f));
  let [end, cells] = [save([...state]), structure(state)];
  for (let s = 0; s < segments; s++) {
    const [from, to] = [s, s + 1].map((m) => Math.floor((m * n) / segments));
    const [first, drawn, firstCells] = [end, seeds.state(), cells];
    const entries = recorder.within({ state }, run(from, to));
    const last = (end = save(passed));
    const lastCells = (cells = structure(state));
    const left = leavings(entries, state);
    recorder.add({
      entries,
      bytes: first.bytes + (s === segments - 1 ? last.bytes : 0) + (firstCells?.bytes ?? 0),
      structure: firstCells,
      again: (mixed) => {
        first.restore();
        const now = seeds.state();
        seeds.restore(drawn);
        needs.begin();
        const launched = recorder.within({ state, before }, run(from, to));
        seeds.restore(now);
        const field = last.differs(mixed) ?? left.differs(mixed);
        if (field !== undefined)
          fail('tape/replay', `steps ${from} to ${to - 1}, run again, left something else in field '${field}'`, {
            remedy:
              "name in the state all fields that a step reads and another has changed, or keep: 'all'; so it is with lists that a step takes from the one before, where several threads append in any order",
          });
        const other = lastCells?.differs();
        if (other !== undefined)
          fail('tape/replay', `steps ${from} to ${to - 1}, run again, activated others: ${other}`, {
            remedy: "name in the state all fields that tell a step what to activate, or keep: 'all'",
          });
        return launched;
      },
    });
  }
};

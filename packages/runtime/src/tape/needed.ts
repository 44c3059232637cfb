import type { Touched } from './recorder.js';

/** What adjoints of steps need of a state. */
export interface Needed {
  /** Steps begin, or begin again: all is to be put back to what it is now. */
  readonly begin: () => void;
  /** The fields that are to be saved before a launch, the same list where launches and what was before are alike. */
  readonly before: (launch: Touched | string) => readonly string[];
}

/**
 * Follows which fields of a state adjoints need. What none has needed since it was saved last need not be put back to what it is in between. Steps launch the same again and
 * again, so what a launch leads to is found once.
 *
 * @param beside the scalar fields in the same cells as one
 */
export const neededOf = (
  state: ReadonlySet<string>,
  touchedBy: (kernel: string) => Touched,
  beside: (field: string) => readonly string[],
): Needed => {
  const known = new Map<string, Situation>();
  const situation = (needed: ReadonlySet<string>, saved: ReadonlySet<string>): Situation => {
    const key = [needed, saved].map((all) => [...state].filter((f) => all.has(f)).join()).join('|');
    const found = known.get(key) ?? { needed, saved, after: new Map<string, Step>() };
    known.set(key, found);
    return found;
  };
  const step = ({ needed, saved }: Situation, { needs, writes, kept = [] }: Touched): Step => {
    const left = new Set(needed);
    for (const f of kept) left.delete(f);
    const fields = new Set(writes.filter((f) => left.has(f)));
    /* What lies in the same cells, and will be overwritten as it was before, is copied faster together. */
    for (const f of [...fields].flatMap(beside)) if (saved.has(f) && left.has(f)) fields.add(f);
    for (const f of fields) left.delete(f);
    for (const f of needs) if (state.has(f)) left.add(f);
    return { fields: [...fields], then: situation(left, new Set([...saved, ...fields])) };
  };
  let now = situation(state, new Set());
  return {
    begin: () => {
      now = situation(state, now.saved);
    },
    before: (launch) => {
      const host = typeof launch !== 'string';
      const next = (host ? undefined : now.after.get(launch)) ?? step(now, host ? launch : touchedBy(launch));
      if (!host) now.after.set(launch, next);
      now = next.then;
      return next.fields;
    },
  };
};

/** What is needed of a state, and has been saved once, and what launches lead to from there. */
interface Situation {
  readonly needed: ReadonlySet<string>;
  readonly saved: ReadonlySet<string>;
  readonly after: Map<string, Step>;
}

interface Step {
  readonly fields: readonly string[];
  readonly then: Situation;
}

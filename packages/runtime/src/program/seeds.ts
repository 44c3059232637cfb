import { describeValue, fail, launchSeed } from '@filigree/ir';

/** Seeds of launches: they follow from the program's seed and from how many launches drew one before. */
export interface Seeds {
  readonly next: () => number;
  /** Begins anew from a seed. Error: `program/seed`. */
  readonly set: (seed: number) => void;
  /** Where the sequence stands. */
  readonly state: () => { readonly seed: number; readonly launches: number };
  /** Goes on from there; a state that says nothing of seeds changes nothing. */
  readonly restore: (state: Readonly<Record<string, number>>) => void;
}

export const seeds = (first: number): Seeds => {
  let [seed, launches] = [0, 0];
  const set = (value: number): void => {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff)
      fail('program/seed', `a seed is a whole number from 0 to 4294967295, not ${describeValue(value)}`, {
        remedy: 'give one, or leave it out: it is 0 then',
      });
    [seed, launches] = [value, 0];
  };
  set(first);
  return {
    next: () => launchSeed(seed, launches++),
    set,
    state: () => ({ seed, launches }),
    restore: (state) => {
      if (state.seed === undefined || state.launches === undefined) return;
      set(state.seed);
      launches = state.launches;
    },
  };
};

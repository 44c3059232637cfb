import { randomNumbers } from '../../src/meshes/random.js';

/** A source of random choices; the same for the same seed. */
export interface Draw {
  /** A whole number, 0 ≤ n < `below`. */
  readonly int: (below: number) => number;
  readonly chance: (p: number) => boolean;
  readonly of: <T>(items: readonly T[]) => T;
  /** Between `least` and `most` results of `make`. */
  readonly list: <T>(least: number, most: number, make: (at: number) => T) => T[];
}

export const drawFrom = (seed: number): Draw => {
  const next = randomNumbers(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    chance: (p) => next() < p,
    of: (items) => items[int(items.length)],
    list: (least, most, make) => Array.from({ length: least + int(most - least + 1) }, (_, at) => make(at)),
  };
};

import type { Backend } from '@filigree/backend';

/** What random programs are drawn and where they run. */
export interface Fuzz {
  readonly seed: number;
  readonly count: number;
  /** How many programs of this seed to pass over, in whole batches; 0. */
  readonly first?: number;
  /** The first of them runs all programs. */
  readonly backends: readonly (Backend | string)[];
  /** All other ways to run programs, which are slower, take one batch in so many. */
  readonly every: number;
  /** Is told how far it is, and of each fault; of what it found at last, a program. */
  readonly say: (line: string) => void;
  /** Faults after which it stops. */
  readonly most: number;
}

export interface Findings {
  readonly tried: number;
  /** Programs that show the faults, minimised. */
  readonly faults: readonly string[];
  /** How many programs were refused, by code: what a generator cannot know, such as constants that overflow. */
  readonly refused: ReadonlyMap<string, number>;
}

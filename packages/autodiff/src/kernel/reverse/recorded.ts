import type { Builder, Value } from '@filigree/ir';

/** A loop that has been run forwards in the adjoint kernel. */
export interface Recorded {
  /** The state after the last iteration. */
  readonly final: readonly Value[];
  /** Runs the reverse of each iteration, the last first. */
  readonly backwards: (
    b: Builder,
    lost: (b: Builder) => readonly Value[],
    seeds: readonly Value[],
    back: Back,
  ) => readonly Value[];
}

/** The reverse of an iteration: from the state in it, its counter, and adjoints so far. */
export type Back = (
  b: Builder,
  state: readonly Value[],
  counter: Value | undefined,
  now: readonly Value[],
) => readonly Value[];

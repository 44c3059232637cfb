import { type OptionKind, type OptionSpec, option, wholeOption } from '@filigree/ir';
import type { Placement } from './placement.js';

/** How an artifact is loaded. */
export interface LoadOptions {
  /** Threads of a run that does not say otherwise; default 1. */
  readonly threads?: number;
  /** Where its buffers lie; default in a memory of its own. */
  readonly placement?: Placement;
}

/** How a run is executed. */
export interface RunOptions {
  /** Threads for this run; default those of `LoadOptions`. */
  readonly threads?: number;
}

/** The most threads that a run may have. */
export const MOST_THREADS = 1024;

/** A number of threads, as an option. */
export const threadsOption: OptionKind = wholeOption(1, MOST_THREADS);

/** What the options of loading take. */
export const loadSpec: OptionSpec<LoadOptions> = {
  threads: threadsOption,
  placement: option.object('where buffers lie, as placeModule says', 'memory', 'own', 'places'),
};

/** What the options of a run take. */
export const runSpec: OptionSpec<RunOptions> = { threads: threadsOption };

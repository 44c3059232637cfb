import type { Scalar } from '@filigree/ir';
import type { Placement } from './placement.js';

/** The code of a module over memory that exists: what a backend's `load` makes and hands to `executableOf`. */
export interface Library {
  readonly placement: Placement;
  /** Makes ready to launch kernels one after the other. */
  readonly commands: (list: readonly Command[]) => CommandList;
  /** Lets go of the code; memory is not its business. */
  readonly dispose: () => void;
}

/** The launch of a kernel. */
export interface Command {
  readonly kernel: string;
  readonly args: readonly Scalar[];
}

/**
 * Launches that are replayed by one native call. A list stops where a kernel traps: `run/trap`. It is run as it was last set, and not
 * set while it runs.
 */
export interface CommandList {
  /** Gives launch `k` of the list other arguments. Error: `run/arguments`. */
  readonly set: (k: number, args: readonly Scalar[]) => void;
  readonly run: (threads: number) => void;
  /** The same off the main thread; where it is missing, runs in the background are on this one. */
  readonly runAsync?: (threads: number) => Promise<void>;
}

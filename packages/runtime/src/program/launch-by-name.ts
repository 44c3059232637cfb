import type { Executable } from '@filigree/backend';
import type { Scalar, TypedArray } from '@filigree/ir';
import type { Call } from './launcher.js';
import type { Queue } from './queue/queue.js';

/** What a kernel of the program's own is launched with. */
export interface NamedLaunch {
  readonly args?: readonly Scalar[];
  /** What is written into buffers before. */
  readonly arrays?: readonly { readonly buffer: string; readonly values: TypedArray }[];
  /** Whether buffers are read when it has run. */
  readonly seen?: boolean;
}

/** Launches a kernel that no user named. */
export type LaunchByName = (kernel: string, given?: NamedLaunch) => void;

/**
 * Launches kernels by name, through the queue where there is one.
 *
 * @param check throws what a launch reported
 */
export const launchByName = (
  executable: Pick<Executable, 'launch' | 'buffer'>,
  check: (launch: string, shown: undefined, kernel: string) => void,
  queue: Queue | undefined,
): LaunchByName => {
  const known = new Map<string, (given: NamedLaunch) => void>();
  const made = (kernel: string, given: NamedLaunch): ((given: NamedLaunch) => void) => {
    const args: Scalar[] = [];
    const startWith = (of: readonly Scalar[]): void => {
      executable.launch(kernel, of);
      check(kernel, undefined, kernel);
    };
    const bind = ({ args: of = [], arrays = [] }: NamedLaunch): void => {
      args.length = of.length;
      for (let k = 0; k < of.length; k++) args[k] = of[k];
      for (const { buffer, values } of arrays) executable.buffer(buffer).write(values);
    };
    const call: Call = {
      launch: kernel,
      kernel,
      shown: undefined,
      args,
      inputs: given.arrays?.map(({ buffer }) => buffer) ?? [],
      copiesOut: false,
      returns: given.seen === true,
      bind: ([of]) => bind(of as NamedLaunch),
      record: undefined,
      start: () => startWith(args),
      startWith,
      startAsync: () => Promise.resolve(startWith(args)),
      finish: () => undefined,
    };
    if (queue) {
      const run = queue.launcherOf(call);
      return (of) => void run([of], undefined);
    }
    return (of) => {
      bind(of);
      startWith(args);
    };
  };
  return (kernel, given = {}) => {
    const launch = known.get(kernel) ?? made(kernel, given);
    known.set(kernel, launch);
    launch(given);
  };
};

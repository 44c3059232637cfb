import { allocateArray, fail, type Scalar, type TypedArray } from '@filigree/ir';
import type { Executable } from '@filigree/backend';
import type { Keeper } from './keeper.js';
import type { Kept, Saved } from './saved.js';
import type { Structure, Structures } from './structure.js';

/** A launch of one kernel, with what it was given: seeds of random numbers are arguments too. */
export interface Launched {
  readonly kernel: string;
  readonly args: readonly Scalar[];
  readonly arrays: readonly { readonly buffer: string; readonly values: TypedArray }[];
  /** What it overwrote of a state that steps pass on, to be put back. */
  readonly undo?: Saved | undefined;
  /** What it overwrote that derivatives need, of what is no state. */
  readonly kept?: Kept | undefined;
  /** Which cells were active before it, where it may have changed that. */
  readonly structure?: Structure | undefined;
}

/** What the host computed between launches, with its own derivative. */
export interface HostStep {
  /** The names of scalar fields that it reads and writes. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly backward: () => void;
  readonly undo?: Saved | undefined;
  readonly structure?: Structure | undefined;
}

/** Steps of which only the state before them is kept. */
export interface Segment {
  readonly entries: readonly Flat[];
  readonly bytes: number;
  /** Which cells were active before them. */
  readonly structure?: Structure | undefined;
  /**
   * Brings that state back, and runs the steps again.
   *
   * @param mixed whether lists may have the same in another order then, as where several threads append
   */
  readonly again: (mixed: boolean) => readonly Entry[];
}

/** A launch or a step of the host; within steps with their state, and whether they will run again for the derivative. */
export type Flat = (Launched | HostStep) & {
  readonly state?: ReadonlySet<string> | undefined;
  readonly again?: boolean;
};
export type Entry = Flat | Segment;

/** Whether an entry is of steps that run again. */
export const isSegment = (entry: Entry): entry is Segment => (entry as Partial<Segment>).entries !== undefined;

/** The names of the scalar fields whose values a derivative needs, of those that are written, and of those that are kept by themselves. */
export interface Touched {
  readonly needs: readonly string[];
  readonly writes: readonly string[];
  readonly kept?: readonly string[];
}

/** How launches are recorded: what they overwrite of the state is saved before, or they are only told. */
export interface Mode {
  readonly state: ReadonlySet<string>;
  readonly before?: (launch: Touched | string) => Saved | undefined;
}

/** Writes down what is launched, while somebody records. */
export interface Recorder {
  readonly recording: () => boolean;
  /** Writes down a launch that is about to run, as it finds arrays and fields. */
  readonly launches: (kernel: string, args: readonly Scalar[], buffers: readonly string[]) => void;
  /** Adds what is no launch. */
  readonly add: (entry: Entry) => void;
  /** Refuses what cannot be recorded, while somebody records. Error: `tape/outside`. */
  readonly refuse: (what: string, remedy: string) => void;
  /** What is launched while a function runs. */
  readonly record: (run: () => void) => readonly Entry[];
  /** The same within a recording or after it, in a mode of its own. */
  readonly within: (mode: Mode, run: () => void) => readonly Flat[];
  /** Runs a function of the host's that may write to fields, and launch kernels; gives what it overwrote of a state, and the kernels. */
  readonly aside: (
    touched: Touched,
    run: () => void,
  ) => Pick<HostStep, 'undo' | 'structure'> & { readonly launched: ReadonlySet<string> };
}

/**
 * A recorder of launches of an executable.
 *
 * @param keeper copies what a launch overwrites that derivatives need
 */
export const recorderOf = (executable: Executable, structures: Structures, keeper: Keeper): Recorder => {
  let entries: Entry[] | undefined;
  let mode: Mode | undefined;
  let noticed: Set<string> | undefined;
  const runsAgain = (): boolean => mode !== undefined && !mode.before;
  const add = (entry: Entry): void =>
    void entries?.push(mode && !isSegment(entry) ? { ...entry, state: mode.state, again: runsAgain() } : entry);
  const readNow = (name: string): Launched['arrays'][number] => {
    const buffer = executable.buffer(name);
    return { buffer: name, values: buffer.read(allocateArray(buffer.type, buffer.length)) };
  };
  const into = (list: Entry[], as: Mode | undefined, run: () => void): void => {
    const before = [entries, mode] as const;
    [entries, mode] = [list, as];
    try {
      const given: unknown = run();
      if (given instanceof Promise) {
        /* What it comes to is told here, whatever it would say of it. */
        given.catch(() => undefined);
        fail('tape/outside', 'what is differentiated ends before its launches do', {
          remedy: 'let forward be a plain function, which launches by run',
        });
      }
    } finally {
      [entries, mode] = before;
    }
  };
  return {
    recording: () => entries !== undefined,
    launches: (kernel, args, buffers) => {
      noticed?.add(kernel);
      if (!entries) return;
      const again = runsAgain();
      if (again) structures.skip(kernel);
      /* All of one shape: there are thousands. */
      entries.push({
        kernel,
        args: args.slice(),
        undo: mode?.before?.(kernel),
        kept: again ? undefined : keeper.before(kernel, args, mode?.state),
        structure: again ? undefined : structures.before(kernel),
        arrays: buffers.length === 0 ? NONE : buffers.map(readNow),
        state: mode?.state,
        again,
      });
    },
    add,
    refuse: (what, remedy) => {
      if (entries) fail('tape/outside', `${what}, which is not among the recorded launches`, { remedy });
    },
    record: (run) => {
      if (entries)
        fail('tape/nested', 'launches are recorded already', {
          remedy: 'call valueAndGradient outside of its forward',
        });
      const list: Entry[] = [];
      keeper.begin();
      structures.begin();
      into(list, undefined, run);
      return list;
    },
    within: (as, run) => {
      if (mode)
        fail('tape/nested', 'steps are within steps', {
          remedy: 'call steps for one of them, and a plain loop for the other',
        });
      if (!entries) keeper.begin();
      const list: Entry[] = [];
      into(list, as, run);
      return list as Flat[];
    },
    aside: (touched, run) => {
      const undo = mode?.before?.(touched);
      const structure = runsAgain() ? undefined : structures.beforeHost(touched.writes);
      const before = [entries, mode, noticed] as const;
      const launched = new Set<string>();
      [entries, mode, noticed] = [undefined, undefined, launched];
      try {
        run();
      } finally {
        [entries, mode, noticed] = before;
      }
      return { undo, structure, launched };
    },
  };
};

const NONE: Launched['arrays'] = [];

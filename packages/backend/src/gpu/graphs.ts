import { fail } from '@filigree/ir';
import type { GpuGraph } from './driver.js';

/** The names of a driver's calls for graphs. They take the same in all drivers. */
export interface GraphNames {
  /** Makes a stream on which launches are noted, and lets it go. */
  readonly stream: string;
  readonly noStream: string;
  /** Launches on a stream are noted from here on, until they are a graph. */
  readonly note: string;
  readonly noted: string;
  /** Makes a graph ready to be begun, and begins it. */
  readonly prepare: string;
  readonly begin: string;
  readonly dropNotes: string;
  readonly drop: string;
}

/** How the driver is called. */
export interface DriverCalls {
  /** Whether the driver has a call. */
  readonly has: (name: string, types: readonly string[]) => boolean;
  readonly call: (name: string, types: readonly string[], ...args: readonly unknown[]) => void;
  readonly handle: (begin: (into: BigUint64Array) => void) => bigint;
}

/**
 * What `begin` launches on the stream that it is given, as a graph. Error: `NAME/graphs` where the driver lacks one of the calls, `NAME/call` where
 * one fails.
 */
export const noteGraph = (
  space: string,
  names: GraphNames,
  { has, call, handle }: DriverCalls,
  begin: (stream: bigint) => void,
): GpuGraph => {
  for (const key of Object.keys(types) as (keyof GraphNames)[])
    if (!has(names[key], types[key]))
      fail(`${space}/graphs`, `the driver has no call ${names[key]}, so launches cannot be kept as a graph`, {
        remedy: 'install a newer driver, or leave the option graphs out',
      });
  const to = (key: keyof GraphNames, ...args: readonly unknown[]): void => call(names[key], types[key], ...args);
  const stream = handle((into) => to('stream', into, 0));
  try {
    to('note', stream, OWN_THREAD);
    let thrown: unknown;
    try {
      begin(stream);
    } catch (e) {
      thrown = e;
    }
    const notes = handle((into) => to('noted', stream, into));
    try {
      if (thrown !== undefined) throw thrown;
      const ready = handle((into) => to('prepare', into, notes, 0n));
      return { begin: () => to('begin', ready, 0n), close: () => to('drop', ready) };
    } finally {
      to('dropNotes', notes);
    }
  } finally {
    to('noStream', stream);
  }
};

/* Of calls that would disturb the notes, those of this thread only are refused. */
const OWN_THREAD = 1;

const types: Readonly<Record<keyof GraphNames, readonly string[]>> = {
  stream: ['void *', 'uint'],
  noStream: ['uint64_t'],
  note: ['uint64_t', 'int'],
  noted: ['uint64_t', 'void *'],
  prepare: ['void *', 'uint64_t', 'uint64_t'],
  begin: ['uint64_t', 'uint64_t'],
  dropNotes: ['uint64_t'],
  drop: ['uint64_t'],
};

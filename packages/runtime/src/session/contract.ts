import type { Backend, CompileOptions, Executable } from '@filigree/backend';
import type { LoadOptions, Memory } from '@filigree/backend/device';
import type { Module, Scalar } from '@filigree/ir';
import type { QueueReport, SyncOptions } from '../program/queue/report.js';
import type { Places, Stretch } from './places.js';
import type { Turns } from './turns.js';

/**
 * Programs in one memory whose launches wait together: `compile(f, { session })`, `einsum(formula, { session })`, `program({ …, session })`. What one
 * writes and another is bound to is one buffer; launches run when someone looks, in the order in which they were made or in one that
 * computes the same, several as one where that cannot be seen.
 */
export interface Session {
  /** What its programs are compiled with. */
  readonly backend: Backend;
  /** Where they lie. */
  readonly memory: Memory;
  /** Runs the launches that wait. Throws what one of them reports; those after it are dropped. */
  readonly flush: () => void;
  /** As `flush`; with `compiled` resolves when the code of all plans is there. */
  readonly sync: (options?: SyncOptions) => Promise<void>;
  /** What was launched so far, and what planning cost. */
  readonly queued: () => QueueReport;
  /** Runs what waits. No program can be made in it afterwards; those that were run at once from now on. */
  readonly dispose: () => void;
  /** For those who make programs: lets an instance wait here. Error: `session/disposed`. */
  readonly enter: <I extends Joining>(instance: I, options: LoadOptions & CompileOptions) => Promise<I>;
  /** For programs that have a queue of their own. */
  readonly turns: Turns;
  /** The buffers of its programs, and the names of those that the host holds. */
  readonly places: Places;
  readonly held: ReadonlySet<string>;
  /** A program of fields whose launches wait, until it is disposed of: others may wait with it. Gives how it leaves. */
  readonly hosts: (host: Host) => () => void;
  /** The host holds a stretch of its memory: what touches it runs at once from now on. */
  readonly hold: (stretch: Stretch) => void;
  /** Error: `session/disposed`. */
  readonly alive: () => void;
}

/** Someone with whose launches those of other programs may wait. */
export interface Host {
  /** Lets a program join, if it is to. */
  readonly join: (instance: Joining, options: LoadOptions & CompileOptions) => Entered | undefined;
  /** The user's code holds a stretch of memory. */
  readonly held: (stretch: Stretch) => void;
  readonly sync: (compiled: boolean) => Promise<void>;
  readonly report: () => QueueReport;
  /** Runs what waits; launches run at once from now on. */
  readonly end: () => void;
}

/** A program that is to wait in a session. */
export interface Joining extends Executable {
  /** As it runs, and as it was before it was made legal. */
  readonly module: Module;
  readonly given: Module;
}

/** What a program of a session asks of it. */
export interface Entered {
  /** Launches all kernels, or one of them: it waits, or runs at once. */
  readonly launch: (kernel: string | undefined, args: readonly Scalar[]) => void;
  /** Runs what waits. */
  readonly flush: () => void;
  /** The host holds a stretch of memory: what touches it runs at once from now on. */
  readonly hold: (stretch: Stretch) => void;
  /** The program goes. */
  readonly leave: () => void;
}

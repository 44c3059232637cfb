import type { Diagnostics } from '@filigree/ir';
import type { Plan, Span } from '@filigree/sched';
import type { TaskKind } from '@filigree/sparse/tasks';

/** What was launched so far, and what planning cost. */
export interface QueueReport {
  /** Launches of kernels, as the user made them. */
  readonly launches: number;
  /** Loops and serial stretches that were run. */
  readonly tasksLaunched: number;
  /** Of these so many loops, serial stretches, and tasks that make lists of active cells. */
  readonly kinds: Readonly<Record<TaskKind, number>>;
  /** Kernels that plans have been given as code, and how many of these another process had left compiled. */
  readonly tasksCompiled: number;
  readonly tasksKept: number;
  /** Windows that were planned. */
  readonly plans: number;
  /** Tasks of the windows whose plans are remembered. */
  readonly remembered: number;
  /** Milliseconds of planning, and of lowering and compiling what was planned. */
  readonly planMs: number;
  readonly compileMs: number;
  /** Plans whose code could not be made: their launches run one by one. */
  readonly warnings: Diagnostics;
  /** When windows were planned, lowered and compiled, and run: the first of them. */
  readonly timeline: readonly Span[];
  /** The plan of the last window. */
  readonly last: Plan | undefined;
}

/** What is waited for. */
export interface SyncOptions {
  /** Also the code of plans; default false. */
  readonly compiled?: boolean;
}

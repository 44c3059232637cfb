import { DiagnosticError, type Diagnostics, checkOptions, option, pass } from '@filigree/ir';
import {
  evaluateRegions,
  performWork,
  regionSteps,
  type Platform,
  type Regions,
  type SolvedProgram,
  type SparseInputs,
  type Steps,
} from '@filigree/sparse/equations';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { workCrew, type Crew } from './crew.js';

/** How many threads take part, and when. */
export interface ParallelRegionsOptions {
  /** Threads that take part, this one among them; default 1. */
  readonly threads?: number;
  /** Work below this is not shared. In visits of a node of a set, some 50 ns each; default a few milliseconds. */
  readonly leastShared?: number;
}

/**
 * `evaluateRegions` by several threads, with the same result. Joins are cut into ranges of rows, which this thread and
 * workers take in turn from shared memory; small work stays on this thread. Workers start with the first evaluation
 * that takes longer than starting them, are kept for the next, and do not keep the process alive. If none can be
 * started, this thread does everything. Fails with `equations/input`.
 */
export const evaluateRegionsInParallel =
  (
    solved: SolvedProgram,
    inputs: SparseInputs,
    options?: ParallelRegionsOptions,
  ): TE.TaskEither<Diagnostics, Regions> =>
  async () => {
    const checked = pass('options', (given: ParallelRegionsOptions | undefined) =>
      checkOptions<ParallelRegionsOptions>('evaluateRegionsInParallel', given, {
        threads: option.whole(1),
        leastShared: option.number(0),
      }),
    ).run(options);
    if (E.isLeft(checked)) return checked;
    const { threads = 1, leastShared = LEAST_SHARED } = checked.right;
    if (threads <= 1 || typeof SharedArrayBuffer === 'undefined') return evaluateRegions(solved, inputs);
    try {
      const allocate: Platform['allocate'] = (bytes) => new SharedArrayBuffer(bytes);
      const platform = { allocate, parts: PARTS * threads, leastPart: leastShared / 2 };
      return E.right(
        await runTogether(regionSteps(solved, inputs, platform), allocate, crewOf(threads - 1), leastShared),
      );
    } catch (e) {
      if (e instanceof DiagnosticError) return E.left(e.diagnostics);
      throw e;
    }
  };

/** Parts of a large work for each thread: rows differ, and some threads begin later. */
const PARTS = 4;

/** Work that takes less is done before others have heard of it. */
const LEAST_SHARED = 40_000;

/** Starting a worker takes as long as this many times the work that is worth sharing. */
const STARTING = 50;

const crews = new Map<number, Crew>();

/** Workers are shared by all evaluations of a process. */
const crewOf = (workers: number): Crew => {
  let crew = crews.get(workers);
  if (crew === undefined) crews.set(workers, (crew = workCrew(workers)));
  return crew;
};

/** A computation whose works are done by all. */
const runTogether = async <A>(
  steps: Steps<A>,
  allocate: Platform['allocate'],
  crew: Crew,
  leastShared: number,
): Promise<A> => {
  let step = steps.next();
  while (step.done !== true) {
    const works = step.value;
    const cost = works.reduce((n, w) => n + w.cost, 0);
    const alone = works.length < 2 || cost < (crew.isStarted() ? leastShared : STARTING * leastShared);
    step = steps.next(alone ? works.map((w) => performWork(w, allocate)) : await crew.perform(works, allocate));
  }
  return step.value;
};

import { option, type OptionSpec } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics, error } from '../diagnostics/diagnostic.js';
import type { Module } from '../kernel/module.js';
import { printModule } from '../text/print.js';
import type { Pass, Watch } from './pass.js';
import { runPass } from './run-pass.js';

/** Passes in a row, itself a pass. */
export interface Pipeline<A> extends Pass<A> {
  readonly passes: readonly Pass<A>[];
  /** Has no name, hooks or checks of its own, so that an enclosing pipeline may treat its passes as its own. */
  readonly plain: boolean;
}

/** One pass done: what it took, what it left, and the milliseconds it ran. */
export interface PassEvent<A> {
  readonly pass: Pass<A>;
  /** The position in the pipeline, from 0. */
  readonly index: number;
  readonly ms: number;
  readonly input: A;
  readonly output: A;
}

/** Hooks and limits of a pipeline. */
export interface PipelineOptions<A> {
  /** What it is called in text and messages; default `pipeline`. */
  readonly name?: string;
  /** Called after each pass of this pipeline: for timings, progress, or printing (`printAfter`). `Watch` looks at those inside of passes too. */
  readonly onPass?: (event: PassEvent<A>) => void;
  /** Run on what goes in and on the output of each pass, for example `verify(dialects)`; what it reports is attributed to that pass, or to none. */
  readonly check?: Pass<A, unknown>;
  /** Ends after the first pass of this name. */
  readonly stopAfter?: string;
}

/**
 * Passes in a row; the first that fails ends it. Plain pipelines among them are flattened, so hooks see each of their
 * passes. `stopAfter` naming a pass that is not there is `pipeline/stop-after` when run.
 */
export const pipeline = <A>(passes: readonly Pass<A>[], given?: PipelineOptions<A>): Pipeline<A> => {
  const options = checkOptions<PipelineOptions<A>>('pipeline', given, pipelineSpec);
  const steps = passes.flatMap((p) => (isPipeline(p) && p.plain ? p.passes : [p]));
  return {
    name: options.name ?? 'pipeline',
    passes: steps,
    plain: Object.keys(options).length === 0,
    run: (input, watch) => runSteps(steps, input, options, watch),
  };
};

/** Whether a pass is a pipeline, whose passes can be looked at. */
export const isPipeline = <A>(p: Pass<A>): p is Pipeline<A> => 'passes' in p;

/** A hook for `onPass` that writes the module's text after every pass, or after those named. */
export const printAfter =
  (write: (text: string) => void, names?: readonly string[]) =>
  (event: PassEvent<Module>): void => {
    if (names === undefined || names.includes(event.pass.name))
      write(`; after ${event.pass.name}\n${printModule(event.output)}`);
  };

const runSteps = <A>(
  steps: readonly Pass<A>[],
  input: A,
  options: PipelineOptions<A>,
  watch: Watch | undefined,
): E.Either<Diagnostics, A> => {
  const { onPass, check, stopAfter } = options;
  if (stopAfter !== undefined && !steps.some((p) => p.name === stopAfter))
    return E.left([
      error('pipeline/stop-after', `there is no pass '${stopAfter}' to stop after`, {
        remedy: `use one of ${steps.map((p) => p.name).join(', ')}`,
      }),
    ]);
  const given = check?.run(input);
  if (given !== undefined && E.isLeft(given)) return E.left(blamed(given.left, 'before the first pass'));
  let state = input;
  for (const [index, step] of steps.entries()) {
    const start = performance.now();
    const result = runPass(step, state, watch);
    const ms = performance.now() - start;
    if (E.isLeft(result)) return result;
    onPass?.({ pass: step, index, ms, input: state, output: result.right });
    state = result.right;
    const checked = check?.run(state);
    if (checked !== undefined && E.isLeft(checked)) return E.left(blamed(checked.left, `after pass '${step.name}'`));
    if (step.name === stopAfter) break;
  }
  return E.right(state);
};

const blamed = (found: Diagnostics, when: string): Diagnostics =>
  found.map((d) => ({ ...d, message: `${when}: ${d.message}` }));

const pipelineSpec: OptionSpec<PipelineOptions<unknown>> = {
  name: option.text,
  onPass: option.callback,
  check: option.object('a pass', 'run'),
  stopAfter: option.text,
};

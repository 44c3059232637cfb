import type { RunningEigen } from '@filigree/baselines';
import { peakRssMB } from '@filigree/runtime';
import { error, fail, type Arithmetic, type Diagnostic } from '@filigree/ir';
import type { Csr, CsrPattern } from '@filigree/sparse/formats';
import { ablate, parseAblation } from '../../api/ablation.js';
import { build, type Built, type Stage } from '../../api/build.js';
import { expressionProblem, RESULT, type Binding, type ExpressionProblem } from '../../api/expression.js';
import { mergeOverrides } from '../../api/options.js';
import { readMatrixFile } from '../../files/read-matrix.js';
import { backendOf } from '../backend-of.js';
import type { CommonOptions } from '../common-options.js';
import { compare, TOLERANCE, type Check } from '../compare.js';
import { loadBaselines, type Baselines } from '../load-baselines.js';
import { medians, QUICK, THOROUGH } from '../measure.js';
import { randomValues } from '../random.js';
import type { Session } from '../session.js';
import { writeExpression } from './write-expression.js';

export interface ExpressionRunOptions extends CommonOptions {
  readonly bind?: Readonly<Record<string, string>>;
  readonly bench?: boolean;
  /** A Matrix Market file for the result. */
  readonly out?: string;
  readonly ablate?: string;
  readonly values: 'random' | 'file';
  readonly complex?: 'real' | 'imag' | 'abs';
  readonly arithmetic?: Arithmetic;
}

/** What a run of an expression found; `summary` is the JSON document. */
export interface ExpressionRun {
  readonly problem: ExpressionProblem;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly built: Built;
  /** What the compiled program gave, in f64. */
  readonly result: Csr<Float64Array>;
  readonly summary: ExpressionSummary;
}

export interface ExpressionSummary {
  readonly expression: string;
  readonly matrices: Readonly<Record<string, { readonly rows: number; readonly cols: number; readonly nnz: number }>>;
  readonly rows: number;
  readonly cols: number;
  readonly nnzOut: number;
  readonly nodes: number;
  readonly kernels: number;
  readonly launches: number;
  readonly indexBytes: number;
  /** Scalar operations of a plain evaluation. */
  readonly flops: number;
  readonly ms: Readonly<Record<Stage | 'run', number>>;
  readonly cached: boolean;
  readonly peakRssMB: number;
  readonly check: Check;
  readonly baselines: Readonly<Record<string, number>>;
  /** Baselines that were not measured, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  readonly speedup: Readonly<Record<string, number>>;
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  readonly arithmetic: Arithmetic;
  readonly threads: number;
  readonly seed: number;
  readonly values: 'random' | 'file';
  readonly ablated: readonly string[];
}

/**
 * Compiles an expression for the matrices of files, runs it, compares it with a plain sparse evaluation of the same values in
 * f64, and times both. Throws `DiagnosticError`.
 */
export const runExpression = async (
  text: string,
  options: ExpressionRunOptions,
  session: Session,
): Promise<ExpressionRun> => {
  const { progress } = session;
  session.knowText('<expression>', text);
  const ablated = parseAblation(options.ablate ?? '');
  const benched = options.bench ? await loadBaselines() : undefined;
  await progress.at(0, 'reading matrices');
  const bindings = await readBindings(options);
  const problem = expressionProblem(text, bindings);
  for (const name of Object.keys(options.bind ?? {}))
    if (!Object.hasOwn(problem.program.inputs, name) && typeof bindings[name] !== 'number')
      session.message(`note: the expression does not use '${name}'`);
  const backend = await backendOf(options, session);
  const built = await build(problem.program, {
    backend,
    dtype: options.dtype,
    threads: options.threads,
    arithmetic: options.arithmetic,
    ...(options.cache ? {} : { cache: false }),
    specialize: mergeOverrides(ablate(ablated)),
    onProgress: async (stage) => {
      await progress.at(FRACTION[stage], STEP[stage]);
      if (stage === 'compile') progress.listen();
    },
  });
  session.warn(built.warnings);
  /* Before anything runs, which it cannot where there is no such device. */
  if (options.emit !== undefined) await writeExpression(options.emit, built, problem.pattern);
  await progress.at(0.85, 'running and checking');
  const { instance, specialized } = built;
  const values = fillInputs(problem, bindings, built, options);
  const buffer = instance.buffer(RESULT);
  const result = buffer.read() as Float32Array | Float64Array;
  /* What a kernel forgets to write is then seen. */
  buffer.write(result.fill(NaN));
  instance.run();
  buffer.read(result);
  const peakMB = peakRssMB();
  const expected = problem.evaluate(values);
  const check = compare(result, expected.values, TOLERANCE[options.dtype]);
  const { run, baselines, skipped } = await time(problem, built, values, expected, benched, options, session);
  return {
    problem,
    bindings,
    built,
    result: { pattern: problem.pattern, values: Float64Array.from(result) },
    summary: {
      expression: text,
      matrices: Object.fromEntries(
        Object.entries(bindings).flatMap(([name, b]) =>
          typeof b === 'number'
            ? []
            : [[name, { rows: b.pattern.rows, cols: b.pattern.cols, nnz: b.pattern.colIdx.length }]],
        ),
      ),
      rows: problem.pattern.rows,
      cols: problem.pattern.cols,
      nnzOut: result.length,
      nodes: specialized.nodes,
      kernels: specialized.kernels,
      launches: specialized.launches,
      indexBytes: specialized.indexBytes,
      flops: problem.flops,
      ms: { ...built.ms, run },
      cached: instance.artifact.cached,
      peakRssMB: peakMB,
      check,
      baselines,
      skipped,
      speedup: Object.fromEntries(Object.entries(baselines).map(([name, ms]) => [name, ms / run])),
      backend: instance.backend,
      dtype: options.dtype,
      arithmetic: built.arithmetic,
      threads: options.threads,
      seed: options.seed,
      values: options.values,
      ablated,
    },
  };
};

const FRACTION: Readonly<Record<Stage, number>> = { trace: 0.05, analyse: 0.25, generate: 0.6, compile: 0.65 };
const STEP: Readonly<Record<Stage, string>> = {
  trace: 'tracing the expression',
  analyse: 'finding kernels',
  generate: 'writing sources',
  compile: 'compiling',
};

const readBindings = async ({
  bind = {},
  complex,
  values,
}: ExpressionRunOptions): Promise<Readonly<Record<string, Binding>>> => {
  const bindings: Record<string, Binding> = {};
  const patternOnly = values === 'random';
  for (const [name, value] of Object.entries(bind)) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      fail('expr/name', `'${name}' cannot be a name of an expression`, {
        remedy: 'use letters, digits and _, not beginning with a digit',
      });
    /* A file whose name is a number can be named ./NUMBER. */
    const number = Number(value);
    bindings[name] =
      Number.isFinite(number) && value.trim() !== ''
        ? number
        : await readMatrixFile(value, { patternOnly, ...(complex ? { complex } : {}) });
  }
  return bindings;
};

/** Writes the inputs and gives their values as the compiled program sees them, rounded to its type. */
const fillInputs = (
  { program }: ExpressionProblem,
  bindings: Readonly<Record<string, Binding>>,
  { instance }: Built,
  { seed, values: from }: ExpressionRunOptions,
): Readonly<Record<string, Float64Array>> => {
  const values: Record<string, Float64Array> = {};
  for (const [i, name] of Object.keys(program.inputs).entries()) {
    const matrix = bindings[name] as Csr<Float64Array>;
    const buffer = instance.buffer(name);
    const given = buffer.read() as Float32Array | Float64Array;
    given.set(from === 'file' ? matrix.values : randomValues(given.length, seed + 7919 * i));
    buffer.write(given);
    values[name] = Float64Array.from(given);
  }
  return values;
};

/** Times the compiled program beside a plain evaluation and, for `--bench`, Eigen. */
const time = async (
  problem: ExpressionProblem,
  { instance }: Built,
  values: Readonly<Record<string, Float64Array>>,
  expected: Csr<Float64Array>,
  benched: Baselines | undefined,
  options: ExpressionRunOptions,
  { progress }: Session,
): Promise<{ run: number; baselines: Record<string, number>; skipped: Record<string, string> }> => {
  const runs: Record<string, () => void> = { run: () => instance.run(), generic: () => void problem.evaluate(values) };
  let eigen: RunningEigen | string | undefined;
  if (benched) {
    await progress.at(0.9, 'compiling the Eigen baseline');
    progress.listen();
    const matrices = Object.fromEntries(
      Object.entries(problem.program.inputs).map(([name, pattern]) => [
        name,
        { pattern: pattern as CsrPattern, values: values[name] },
      ]),
    );
    const { root } = problem.tree;
    const { numbers } = problem;
    const tolerance = TOLERANCE[options.dtype];
    eigen = await benched.prepare(
      benched.eigen,
      { root, matrices, numbers, dtype: options.dtype, expected, tolerance },
      options.cache ? undefined : false,
    );
    if (typeof eigen === 'object') runs['eigen'] = eigen.run;
  }
  try {
    await progress.at(0.93, 'timing');
    progress.listen();
    const { run, ...baselines } = await medians(runs, benched ? THOROUGH : QUICK);
    return { run, baselines, skipped: typeof eigen === 'string' ? { eigen } : {} };
  } finally {
    if (typeof eigen === 'object') eigen.close();
  }
};

/** What is wrong with a result that differs from the plain evaluation. */
export const wrongResult = ({ check }: ExpressionSummary): Diagnostic | undefined =>
  check.passed
    ? undefined
    : error(
        'expr/check',
        `the result differs from a plain evaluation by ${check.maxRelError ?? 'values that are not finite'}, more than ${check.tolerance}`,
        {
          remedy:
            'with values of very different size f32 is too coarse: use --dtype f64, or --values random; otherwise this is a defect: please report it with the matrices',
        },
      );

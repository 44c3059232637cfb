import { DiagnosticError, error, fail, type Diagnostic } from '@filigree/ir';
import { boundingBox, countNonzeros, fullPattern, unitePatterns, type BooleanTensor } from '@filigree/sparse/eqspp';
import {
  checkNotation,
  evaluateKernel,
  evaluationSteps,
  indexedIn,
  printMappings,
  scalarsOf,
  type Action,
  type KernelDecl,
  type Plan,
  type TensorDecl,
} from '@filigree/tensor/einsum';
import { compileTensors } from '../../api/tensors/compile.js';
import type { TensorProgram } from '../../api/tensors/program.js';
import { tensorBackend } from '../../api/tensors/target.js';
import { backendOf } from '../backend-of.js';
import { loadBaselines } from '../load-baselines.js';
import { randomValues } from '../random.js';
import type { Session } from '../session.js';
import { declarationOf, numberOf } from './declare-formula.js';
import type { EinsumRunOptions } from './einsum-options.js';
import { timeFormula } from './time-formula.js';
import { writeEinsum } from './write-einsum.js';

/** What a run of a formula found; `summary` is the JSON document. */
export interface EinsumRun {
  readonly decl: KernelDecl;
  readonly program: TensorProgram;
  readonly patterns: Readonly<Record<string, { readonly declared: BooleanTensor; readonly equivalent: BooleanTensor }>>;
  readonly summary: EinsumSummary;
}

export interface EinsumSummary {
  readonly formula: string;
  readonly tensors: Readonly<
    Record<
      string,
      { readonly shape: readonly number[]; readonly nnz: number; readonly layout: string; readonly size: number }
    >
  >;
  /** Of each tensor that is read what the result depends on; of those assigned what may come out. */
  readonly eqspp: Readonly<
    Record<string, { readonly nnz: number; readonly box: readonly (readonly [number, number])[] }>
  >;
  readonly order: readonly string[];
  /** What follows from known values alone and was computed while planning, by the name it has in the order. */
  readonly known: Readonly<
    Record<string, { readonly formula: string; readonly shape: readonly number[]; readonly nnz: number }>
  >;
  readonly steps: readonly EinsumStep[];
  readonly flops: { readonly nonzero: number; readonly hardware: number; readonly naive: number };
  readonly ms: { readonly plan: number; readonly generate: number; readonly compile: number; readonly run: number };
  /** Of what the hardware executes, products with stored zeros and padding included. */
  readonly gflops?: number;
  /** Of products and sums of non-zeros, in the same time. */
  readonly nonzeroGflops?: number;
  readonly peakGflops?: number;
  readonly check: { readonly maxRelError: number | null; readonly passed: boolean; readonly tolerance: number };
  readonly baselines: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  readonly speedup: Readonly<Record<string, number>>;
  readonly backend: string;
  readonly threads: number;
  readonly dtype: 'f32' | 'f64';
  readonly vectorBytes: number;
  readonly seed: number;
}

export interface EinsumStep {
  readonly kind: Action['operation']['kind'];
  /** Sizes of the product of matrices, or null for what is none. */
  readonly m: number | null;
  readonly n: number | null;
  readonly k: number | null;
  /** How often the product is done: the extents of its loops. */
  readonly loops: readonly number[];
  readonly target: string;
  readonly text: string;
}

/** Largest error accepted, relative to the largest entry. */
const TOLERANCE = { f32: 1e-4, f64: 1e-10 } as const;

/** Steps of the nested loops of the check, which are not compiled, within a minute or two. */
const MOST_STEPS = 2e9;

/** Refuses what would run for hours before anything is planned. */
const checkable = (decl: KernelDecl): KernelDecl => {
  const wrong = checkNotation(decl);
  if (wrong.length > 0) throw new DiagnosticError(wrong);
  const steps = evaluationSteps(decl);
  if (steps <= MOST_STEPS) return decl;
  const extents = decl.assignments.flatMap(({ target, value }) =>
    [target, ...indexedIn(value)].flatMap(({ tensor, indices }) =>
      [...indices].map((l, d) => [l, tensor.shape[d]!] as const),
    ),
  );
  const [letter, extent] = extents.reduce((a, b) => (b[1] > a[1] ? b : a));
  return fail(
    'einsum/size',
    `the nested loops that the result is checked against would go round ${steps.toExponential(1)} times, more than ${MOST_STEPS.toExponential(0)}; the longest index is '${letter}' of ${extent}`,
    { remedy: 'make extents smaller, or use einsum() of the package filigree, which does not check' },
  );
};

/**
 * Plans and compiles a formula for the shapes and patterns of its tensors, runs it on random values, compares it with nested
 * loops, and times it; for `bench` beside loops compiled by the C++ compiler, LIBXSMM, and the measured peak. Throws
 * `DiagnosticError`.
 */
export const runEinsum = async (formula: string, options: EinsumRunOptions, session: Session): Promise<EinsumRun> => {
  const { progress } = session;
  session.knowText('<kernel>', formula);
  const baselines = options.bench ? await loadBaselines() : undefined;
  await progress.at(0, 'reading patterns');
  const decl = checkable(await declarationOf(formula, options));
  const { backend, target } = await tensorBackend({ backend: await backendOf(options, session) });
  await progress.at(0.1, 'planning');
  progress.listen();
  const program = await compileTensors([decl], {
    backend,
    target,
    dtype: options.dtype,
    threads: options.threads,
    fastMath: options.fastMath,
    plan: {
      implicitSums: options.implicitSums,
      ...(options.maxTemporaryBytes === undefined ? {} : { maxTemporaryBytes: options.maxTemporaryBytes }),
    },
    ...(options.cache ? {} : { cache: false }),
  });
  try {
    session.warn(program.warnings);
    /* Before anything runs, which it cannot where there is no such device. */
    if (options.emit !== undefined) await writeEinsum(options.emit, decl, program, options);
    await progress.at(0.6, 'running and checking');
    const kernel = program.kernels[decl.name]!;
    const { plan } = kernel;
    const scalars = Object.fromEntries(
      scalarsOf(decl).map((s, k) => [s, numberOf(options.scalar?.[s], s) ?? 0.75 + 0.125 * k]),
    );
    const values = fill(
      program,
      plan.tensors.map((t) => t.tensor),
      options.seed,
    );
    const expected = evaluateKernel(decl, values, scalars);
    /* What a kernel forgets to write is then seen. */
    for (const t of plan.tensors) if (t.access === 'write') program.tensors[t.tensor.name]!.data.fill(NaN);
    kernel.run({ scalars: Object.fromEntries(plan.scalars.map((s) => [s, scalars[s]!])) });
    const tolerance = TOLERANCE[options.dtype];
    const check = compare(program, expected, tolerance);
    const timed = await timeFormula({
      program,
      decl,
      values,
      scalars,
      expected,
      tolerance,
      options,
      session,
      backend,
      target,
      baselines,
    });
    const patterns = patternsOf(plan);
    const perSecond = (flops: number): number => flops / (timed.run * 1e6);
    const { run, skipped } = timed;
    return {
      decl,
      program,
      patterns,
      summary: {
        formula,
        tensors: Object.fromEntries(
          plan.tensors.map(({ tensor, layout }) => [
            tensor.name,
            {
              shape: tensor.shape,
              nnz: countNonzeros(tensor.pattern ?? fullPattern(tensor.shape)),
              layout: layout.kind,
              size: layout.size,
            },
          ]),
        ),
        eqspp: Object.fromEntries(
          Object.entries(patterns).map(([name, { equivalent }]) => [
            name,
            { nnz: countNonzeros(equivalent), box: boundingBox(equivalent) },
          ]),
        ),
        order: printMappings(plan.actions).split('\n'),
        known: Object.fromEntries(
          (plan.known ?? []).map(({ tensor: { name, shape, pattern }, formula }) => [
            name,
            { formula, shape, nnz: countNonzeros(pattern!) },
          ]),
        ),
        steps: plan.actions.map(stepOf),
        flops: plan.flops,
        ms: { ...program.ms, run },
        ...(options.bench
          ? {
              gflops: perSecond(plan.flops.hardware),
              nonzeroGflops: perSecond(plan.flops.nonzero),
              peakGflops: timed.peak,
            }
          : {}),
        check,
        baselines: timed.baselines,
        skipped,
        speedup: Object.fromEntries(Object.entries(timed.baselines).map(([name, ms]) => [name, ms / run])),
        backend: program.backend,
        threads: options.threads,
        dtype: options.dtype,
        vectorBytes: target.vectorBytes,
        seed: options.seed,
      },
    };
  } catch (e) {
    program.dispose();
    throw e;
  }
};

/** Fills the tensors with random values within their patterns, and gives all entries as the kernel sees them. */
const fill = (program: TensorProgram, tensors: readonly TensorDecl[], seed: number): Record<string, Float64Array> => {
  const all: Record<string, Float64Array> = {};
  tensors.forEach((t, k) => {
    const data = program.tensors[t.name]!;
    const entries = t.shape.reduce((n, x) => n * x, 1);
    if (!t.values) data.set(randomValues(entries, seed + 7919 * k).map((x, i) => (t.pattern?.bits[i] === 0 ? 0 : x)));
    all[t.name] = data.get();
  });
  return all;
};

const compare = (
  program: TensorProgram,
  expected: Readonly<Record<string, Float64Array>>,
  tolerance: number,
): EinsumSummary['check'] => {
  let worst = 0;
  for (const [name, entries] of Object.entries(expected)) {
    const found = program.tensors[name]!.get();
    const largest = entries.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    entries.forEach((x, i) => {
      const d = Math.abs(found[i]! - x);
      worst = d === 0 ? worst : Number.isNaN(d) ? Infinity : Math.max(worst, largest > 0 ? d / largest : d);
    });
  }
  return { maxRelError: Number.isFinite(worst) ? worst : null, passed: worst <= tolerance, tolerance };
};

const stepOf = (action: Action): EinsumStep => {
  const { operation, ranges, target } = action;
  const size = (l: string): number => ranges[l]![1] - ranges[l]![0];
  const log = operation.kind === 'log' ? operation : undefined;
  return {
    kind: operation.kind,
    m: log?.gemm.m ?? null,
    n: log?.gemm.n ?? null,
    k: log?.gemm.k ?? null,
    loops: log ? [...log.loops].map(size) : Object.keys(ranges).map(size),
    target: target.name,
    text: printMappings([action]),
  };
};

/** What of each tensor the actions read or write, or planning needed. */
const patternsOf = ({ actions, known = [], tensors }: Plan): EinsumRun['patterns'] => {
  const used = new Map<string, BooleanTensor>();
  const use = (name: string, pattern: BooleanTensor): void => {
    const before = used.get(name);
    used.set(name, before ? unitePatterns(before, pattern) : pattern);
  };
  for (const { target, operation } of actions)
    for (const o of [target, ...('source' in operation ? [operation.source] : [operation.left, operation.right])])
      use(o.name, o.pattern);
  for (const { name, pattern } of known.flatMap((k) => k.of)) use(name, pattern);
  return Object.fromEntries(
    tensors.map(({ tensor: t }) => [
      t.name,
      {
        declared: t.pattern ?? fullPattern(t.shape),
        equivalent: used.get(t.name) ?? { shape: t.shape, bits: new Uint8Array(t.shape.reduce((n, x) => n * x, 1)) },
      },
    ]),
  );
};

/** What is wrong with a result that differs from nested loops. */
export const wrongEinsum = ({ check }: EinsumSummary): Diagnostic | undefined =>
  check.passed
    ? undefined
    : error(
        'einsum/check',
        `the result differs from nested loops by ${check.maxRelError ?? 'values that are not finite'}, more than ${check.tolerance}`,
        { remedy: 'this is a defect: please report it with the formula, shapes and patterns' },
      );

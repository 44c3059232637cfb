import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { allocateArray, byteSize, fail, type Diagnostics, orThrow } from '@filigree/ir';
import { instantiate, peakRssMB, type Instance } from '@filigree/runtime';
import {
  describeElements,
  overridesFor,
  specialize,
  templatePicture,
  trace,
  traceFor,
  type SpecializeOptions,
  type Trace,
} from '@filigree/specialize';
import { ablate, mergeOptions, resolveBackend, type ExampleOptions, type ExampleResult } from 'filigree';
import type { CsrPattern } from '@filigree/sparse/formats';
import type { Problem, Values } from './problem.js';
import { maxRelError } from './max-rel-error.js';

/** A problem compiled and in memory, and what it cost. */
export interface CompiledProblem {
  readonly problem: Problem;
  readonly instance: Instance;
  /** Patterns of the outputs that are sparse matrices. */
  readonly patterns: Readonly<Record<string, CsrPattern>>;
  readonly dtype: 'f32' | 'f64';
  /** The inputs as the kernels see them: rounded to `dtype`. */
  readonly inputs: Values;
  readonly cost: CompileCost;
  /** Writes an input. Error: `example/length`. */
  readonly set: (name: string, values: ArrayLike<number>) => void;
  /** What an output holds, as a copy. */
  readonly get: (name: string) => Float64Array;
  /** Runs all kernels once. */
  readonly run: () => void;
  /** Largest error of the last run against `expected`, over all outputs; each relative to its largest entry. */
  readonly maxRelError: (expected: Values) => number;
  /** Largest error that counts as right. */
  readonly tolerance: number;
}

export interface CompileCost {
  readonly nodes: number;
  /** Distinct kernels, in the paper's sense. */
  readonly kernels: number;
  /** Kernels of the module, each launched once a run. */
  readonly launches: number;
  readonly indexBytes: number;
  /** Bytes that a run must move: every table and input once, every output once, intermediates written and read. */
  readonly bytesMoved: number;
  readonly peakRssMB: number;
  readonly ms: {
    readonly trace: number;
    readonly analyse: number;
    readonly generate: number;
    readonly compile: number;
    readonly load: number;
  };
}

export type CompileProblemOptions = Pick<
  ExampleOptions,
  'backend' | 'dtype' | 'arithmetic' | 'threads' | 'ablate' | 'emit' | 'warn'
> & {
  readonly progress?: ExampleOptions['progress'];
  /** `false`: compile even if the artifact is in the cache, so that the time says what compiling costs. */
  readonly cache?: false;
  /** Is shown the trace before it is specialised; its time is not counted. */
  readonly inspect?: (trace: Trace, options: SpecializeOptions) => void;
};

/** Trace, specialise, generate, compile, load, and fill in the inputs. Throws `DiagnosticError`. */
export const compileProblem = async (problem: Problem, options: CompileProblemOptions): Promise<CompiledProblem> => {
  const { dtype, arithmetic, threads, progress = () => undefined } = options;
  const backend = await resolveBackend(options.backend);
  const specializeOptions = mergeOptions(overridesFor(backend.capabilities), { dtype }, ablate(options.ablate));

  const begin = performance.now();
  progress(0, 'trace');
  const traced = orThrow(
    trace({ ...traceFor(specializeOptions), ...(arithmetic ? { arithmetic } : {}) }).run(problem.program),
  );
  const tracedAt = performance.now();
  options.inspect?.(traced, specializeOptions);
  const inspected = performance.now();
  progress(0.3, 'analyse');
  const { module, nodes, kernels, launches, indexBytes } = orThrow(
    specialize(specializeOptions)(traced, backend.watch),
  );
  const analysed = performance.now();
  progress(0.6, `generate and compile for ${backend.name}`);
  const instance = await settle(
    instantiate(module, backend, { threads, ...(options.cache === false ? { cache: false } : {}) }),
  );

  options.emit?.(problem.title, instance.sources);
  options.warn?.(instance.artifact.warnings ?? []);
  const inputs = roundedTo(dtype, problem.values);
  for (const [name, values] of Object.entries(inputs)) fill(instance, name, values);
  const bytes = (role: string): number =>
    module.buffers
      .filter((b) => b.role === role && Object.hasOwn(instance.buffers, b.name))
      .reduce((sum, b) => sum + b.length * byteSize(b.type), 0);
  return {
    problem,
    instance,
    patterns: Object.fromEntries(traced.outputs.flatMap(({ name, pattern }) => (pattern ? [[name, pattern]] : []))),
    dtype,
    inputs,
    cost: {
      nodes,
      kernels,
      launches,
      indexBytes,
      bytesMoved: bytes('const') + bytes('input') + bytes('output') + 2 * bytes('temp'),
      peakRssMB: peakRssMB(),
      ms: {
        trace: tracedAt - begin,
        analyse: analysed - inspected,
        generate: instance.ms.emit,
        compile: instance.ms.compile,
        load: instance.ms.load,
      },
    },
    set: (name, values) => fill(instance, name, values),
    get: (name) => Float64Array.from(instance.buffer(name).read() as Float64Array),
    run: () => instance.run({ threads }),
    maxRelError: (expected) =>
      Object.entries(expected).reduce(
        (worst, [name, e]) => Math.max(worst, maxRelError(instance.buffer(name).read() as Float64Array, e)),
        0,
      ),
    tolerance: (problem.tolerance ?? TOLERANCE)[dtype],
  };
};

/** Shows what elements of a trace compute: the template of each call, how many there are, and what they read. */
const drawTemplates =
  ({ title }: Problem, draw: NonNullable<ExampleOptions['draw']>) =>
  ({ graph, inputs, elements }: Trace): void => {
    for (const e of elements) {
      const described = describeElements(graph, inputs, e);
      const picture = templatePicture(described);
      if (picture !== undefined) draw(`${title}: ${described.title}`, picture);
    }
  };

/** The common way of every example: compile, run, check against the plain code, time both side by side, report. */
export const runProblem = async (problem: Problem, options: ExampleOptions): Promise<ExampleResult> => {
  const compiled = await compileProblem(problem, {
    ...options,
    ...(options.draw && { inspect: drawTemplates(problem, options.draw) }),
  });
  try {
    options.progress(0.8, 'run and check');
    const { result } = timeAndCheck(compiled, options.bench);
    options.progress(1, 'done');
    return result;
  } finally {
    compiled.instance.dispose();
  }
};

/**
 * Runs a compiled problem, compares it with the plain program on the same numbers, and times both in turns. The report is that
 * of an example; `expected` is what the plain program returned.
 */
export const timeAndCheck = (
  compiled: CompiledProblem,
  bench: boolean,
): { readonly result: ExampleResult; readonly expected: Values } => {
  const { problem, inputs, cost } = compiled;
  compiled.run();
  let expected: Values = {};
  const plain = (): void => void (expected = problem.evaluate(inputs));
  plain();
  const maxRelError = compiled.maxRelError(expected);
  const [runMs, plainMs] = interleavedMedians([compiled.run, plain], bench ? 15 : 5);
  const outputs = Object.values(expected).reduce((n, v) => n + v.length, 0);
  return {
    expected,
    result: {
      metrics: {
        title: problem.title,
        backend: compiled.instance.backend,
        outputs,
        launches: cost.launches,
        indexBytes: cost.indexBytes,
        bytesMoved: cost.bytesMoved,
        peakRssMB: cost.peakRssMB,
        speedup: plainMs / runMs,
      },
      check: { passed: maxRelError <= compiled.tolerance, maxRelError },
      ms: { ...cost.ms, run: runMs },
      nodes: cost.nodes,
      kernels: cost.kernels,
      baselines: { plain: plainMs },
    },
  };
};

/** Medians in milliseconds: one sample of each function a round; short functions repeat to fill two milliseconds. */
export const interleavedMedians = (functions: readonly (() => void)[], rounds: number): number[] =>
  interleavedSamples(functions, rounds).map((sorted) => sorted[Math.floor(sorted.length / 2)]);

/** All samples of each function, the least first. */
export const interleavedSamples = (functions: readonly (() => void)[], rounds: number): number[][] => {
  const repetitions = functions.map((f) => Math.max(1, Math.ceil(2 / Math.max(sample(f, 1), 1e-3))));
  const samples = functions.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    functions.forEach((f, k) => samples[k].push(sample(f, Math.min(repetitions[k], 1000))));
  return samples.map((s) => s.sort((a, b) => a - b));
};

const sample = (f: () => void, repetitions: number): number => {
  const begin = performance.now();
  for (let i = 0; i < repetitions; i++) f();
  return (performance.now() - begin) / repetitions;
};

const TOLERANCE = { f64: 1e-10, f32: 1e-4 };

const fill = (instance: Instance, name: string, values: ArrayLike<number>): void => {
  const buffer = Object.hasOwn(instance.buffers, name) ? instance.buffer(name) : undefined;
  if (buffer === undefined || buffer.length !== values.length)
    return fail(
      'example/length',
      `input '${name}' has ${values.length} values, the program wants ${buffer?.length ?? 'none'}`,
    );
  const numbers = allocateArray(buffer.type, buffer.length) as Float64Array;
  numbers.set(values);
  buffer.write(numbers);
};

const roundedTo = (dtype: 'f32' | 'f64', values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, v]) => [name, dtype === 'f32' ? Float32Array.from(v) : Float64Array.from(v)]),
  );

const settle = async <A>(task: TaskEither<Diagnostics, A>): Promise<A> => orThrow(await task());

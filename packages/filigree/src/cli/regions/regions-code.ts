import type { Backend, Sources } from '@filigree/backend';
import { orThrow, type Module } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { instantiate, type Instance } from '@filigree/runtime';
import { specializeRegions, type Regions, type SpecializedRegions } from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';
import type { CommonOptions } from '../common-options.js';
import { medians, QUICK, THOROUGH } from '../measure.js';
import { randomValues } from '../random.js';
import type { Session } from '../session.js';
import { sourcesOf, writeProgram } from '../write-sources.js';

/** What came of running a program over its regions, beside the dense program. */
export interface CodeSummary {
  readonly statements: SpecializedRegions['statements'];
  readonly indexBytes: number;
  readonly backend: string;
  readonly ms: { readonly compile: number; readonly run?: number; readonly dense?: number };
  /** dense ÷ run. */
  readonly speedup?: number;
  readonly check: CodeCheck;
}

/** The results over the regions beside those of the dense program. */
export interface CodeCheck {
  /** Null where nothing was compared. */
  readonly passed: boolean | null;
  readonly maxRelError?: number;
  /** Why nothing was compared. */
  readonly skipped?: string;
}

export interface CodeOptions extends CommonOptions {
  readonly bench?: boolean;
}

/** Bytes of arrays, and iterations of the dense program, up to which programs are run. */
const MOST_BYTES = 2 ** 31;
const MOST_ITERATIONS = 2 ** 33;

/** Largest error accepted, relative to the largest value of an array: sums may be taken in another order. */
const TOLERANCE = 1e-9;

/** What is written of a program over its regions, and what it did. */
export interface RegionsCode {
  readonly summary: CodeSummary;
  readonly sources: Sources;
}

/** Compiles the program over its regions; runs it and the dense one on random values, where that can be waited for. */
export const runCode = async (
  regions: Regions,
  sizes: Readonly<Record<string, number>>,
  backend: Backend,
  options: CodeOptions,
  session: Session,
): Promise<RegionsCode> => {
  const { statements, indexBytes, module } = orThrow(specializeRegions(regions));
  const common = { statements, indexBytes, backend: backend.name };
  const write = async (sources: Sources): Promise<void> => {
    if (options.emit !== undefined) await writeProgram(options.emit, sources, module);
  };
  await session.progress.at(0.85, 'compiling');
  const started = performance.now();
  const bytes = module.buffers.reduce((n, b) => n + 8 * b.length, 0);
  if (bytes > MOST_BYTES) {
    const sources = sourcesOf(module, [defaultPipeline()], backend);
    await write(sources);
    const skipped = `the arrays take ${bytes} bytes, more than ${MOST_BYTES}`;
    return {
      sources,
      summary: { ...common, ms: { compile: performance.now() - started }, check: { passed: null, skipped } },
    };
  }
  const special = await Runner.of(module, sizes, backend, options);
  const compile = performance.now() - started;
  try {
    const { sources } = special.instance;
    /* Before anything runs, which it cannot where there is no such device. */
    await write(sources);
    const iterations = regions.statements.reduce((n, s) => n + s.dense, 0);
    if (iterations > MOST_ITERATIONS) {
      const skipped = `the dense program takes ${iterations} iterations, more than ${MOST_ITERATIONS}`;
      return { sources, summary: { ...common, ms: { compile }, check: { passed: null, skipped } } };
    }
    await session.progress.at(0.9, 'running both programs');
    const dense = await Runner.of(regions.solved.module, sizes, backend, options);
    try {
      const values = valuesOf(regions, options.seed);
      for (const r of [dense, special]) {
        r.fill(values);
        r.run();
      }
      const check = compareResults(regions, dense, special);
      const times = await medians(
        { dense: () => dense.run(), run: () => special.run() },
        options.bench ? THOROUGH : QUICK,
      );
      const ms = { compile, run: times.run, dense: times.dense };
      return { sources, summary: { ...common, ms, speedup: times.dense / times.run, check } };
    } finally {
      dense.instance.dispose();
    }
  } finally {
    special.instance.dispose();
  }
};

type Values = Readonly<Record<string, Float64Array>>;

/** A compiled module with the arguments of its kernels. */
class Runner {
  private constructor(
    readonly instance: Instance,
    private readonly module: Module,
    private readonly sizes: Readonly<Record<string, number>>,
  ) {}

  static async of(
    module: Module,
    sizes: Readonly<Record<string, number>>,
    backend: Backend,
    { threads, cache }: CodeOptions,
  ): Promise<Runner> {
    const lowered = orThrow(defaultPipeline().run(module, backend.watch));
    const instance = orThrow(
      await instantiate(lowered, backend, { threads, ...(cache ? {} : { cache: false as const }) })(),
    );
    return new Runner(instance, module, sizes);
  }

  run(): void {
    for (const { name, params } of this.module.kernels) {
      const args = params.map((p) =>
        p.type === 'f64' || p.type === 'f32' ? SCALAR : this.sizes[p.hint ?? `p${p.id}`],
      );
      const wide = args.map((x, k) => (/64$/.test(String(params[k].type)) && params[k].type !== 'f64' ? BigInt(x) : x));
      this.instance.launch(name, wide);
    }
  }

  fill(values: Values): void {
    for (const [name, from] of Object.entries(values)) {
      if (!Object.hasOwn(this.instance.buffers, name)) continue;
      const buffer = this.instance.buffer(name);
      const to = buffer.read();
      for (let i = 0; i < from.length; i++)
        to[i] = to instanceof BigInt64Array || to instanceof BigUint64Array ? BigInt(Math.ceil(from[i])) : from[i];
      buffer.write(to);
    }
  }
}

/** What parameters that are no sizes are. */
const SCALAR = 1.5;

/** Random numbers where arrays have something; small beside their diagonal, so that solving stays finite. */
const valuesOf = ({ solved, inputs }: Regions, seed: number): Values =>
  Object.fromEntries(
    solved.program.arrays
      .filter((a) => a.role === 'input' || a.role === 'inout')
      .map((a, k) => {
        const length = a.shape.reduce((n, x) => n * x, 1);
        const random = randomValues(length, seed + k);
        const pattern: CsrPattern | undefined = inputs[a.name];
        if (pattern === undefined) return [a.name, random.map((x) => 1.5 + x / 2)];
        const out = new Float64Array(length);
        for (let i = 0; i < pattern.rows; i++) {
          const [from, to] = [pattern.rowPtr[i], pattern.rowPtr[i + 1]];
          for (let e = from; e < to; e++) {
            const at = i * pattern.cols + pattern.colIdx[e];
            out[at] = (1.5 + random[at] / 2) / (pattern.colIdx[e] === i ? 1 : 2 * (to - from));
          }
        }
        return [a.name, out];
      }),
  );

/** Compares by the largest difference of an output relative to its largest value; what the dense program makes no number is left out. */
const compareResults = ({ solved }: Regions, dense: Runner, special: Runner): CodeCheck => {
  let worst = 0;
  let compared = 0;
  for (const { name, role } of solved.program.arrays) {
    if (role !== 'output' && role !== 'inout') continue;
    const [a, b] = [dense, special].map(({ instance }) => instance.buffer(name).read());
    let [error, largest] = [0, 0];
    for (let i = 0; i < a.length; i++) {
      const x = Number(a[i]);
      if (!Number.isFinite(x)) continue;
      compared++;
      largest = Math.max(largest, Math.abs(x));
      const difference = Math.abs(x - Number(b[i]));
      if (!(difference <= error)) error = difference;
    }
    if (error > 0) worst = Math.max(worst, largest > 0 ? error / largest : Infinity);
  }
  return compared > 0
    ? { passed: worst <= TOLERANCE, maxRelError: worst }
    : { passed: null, skipped: 'the dense program computes no number' };
};

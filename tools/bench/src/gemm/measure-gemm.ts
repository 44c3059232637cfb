import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finished, type Toolchain, findToolchain, runProcess } from '@filigree/backend/native';
import { compilerFlags, libxsmm } from '@filigree/backend-cpp';
import { fail, orThrow } from '@filigree/ir';
import { machineTarget } from 'filigree';
import { quantile } from '../measure.js';
import { type GemmCase, gemmCases } from './cases.js';
import { gemmProgram } from './program.js';

/** A product's rates in operations a second, by medians; a product of rows that are padded counts its own rows. */
export interface GemmResult {
  readonly case: GemmCase;
  readonly peak: number;
  readonly ours: number;
  readonly plain: number;
  /** LIBXSMM, and the median of the ratios of samples of one round: how many times faster we are. */
  readonly library?: { readonly rate: number; readonly ratio: number };
  readonly plainRatio: number;
}

export interface GemmResults {
  readonly results: readonly GemmResult[];
  /** What the compiler took for all kernels. */
  readonly compileMs: number;
  /** Why LIBXSMM was not measured. */
  readonly missing?: string;
}

/** Compiles and runs the program for one type. Errors: `bench/compile`, `bench/run`, `bench/wrong-result`. */
export const measureGemm = async (type: 'f32' | 'f64', rounds: number, seconds: number): Promise<GemmResults> => {
  const toolchain = orThrow(await findToolchain()());
  const plugin = libxsmm();
  const missing = await plugin.missing(toolchain);
  const cases = gemmCases(type);
  const folder = mkdtempSync(join(tmpdir(), 'filigree-gemm-'));
  try {
    writeFileSync(join(folder, 'gemm.cpp'), gemmProgram(cases, machineTarget(), missing === undefined));
    const started = performance.now();
    await compile(toolchain, folder, missing ? [] : plugin.link);
    const compileMs = performance.now() - started;
    const done = await runProcess(join(folder, 'gemm'), [String(rounds), String(seconds)], { limitMs: 600_000 });
    if (done.status !== 0) fail('bench/run', `the program ended with ${ended(done)}`);
    const lines = done.stdout.trim().split('\n');
    const results = lines.map((line, k) => resultOf(cases[k], JSON.parse(line) as Line));
    return { results, compileMs, ...(missing ? { missing: missing.reason } : {}) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What the program prints: seconds a product of each function and round, and the peak measured in that round. */
interface Line {
  readonly flops: number;
  readonly error: number;
  readonly peak: readonly number[];
  readonly times: readonly (readonly number[])[];
}

const resultOf = (c: GemmCase, { flops, error, peak, times }: Line): GemmResult => {
  if (error > 0) fail('bench/wrong-result', `${c.name} is off by ${error}`);
  const [ours, plain, library] = times;
  const rate = (t: readonly number[]): number => flops / quantile(t, 0.5);
  const ratio = (t: readonly number[]): number =>
    quantile(
      t.map((x, round) => x / ours[round]),
      0.5,
    );
  return {
    case: c,
    peak: quantile(peak, 0.5),
    ours: rate(ours),
    plain: rate(plain),
    plainRatio: ratio(plain),
    ...(library ? { library: { rate: rate(library), ratio: ratio(library) } } : {}),
  };
};

const compile = async (toolchain: Toolchain, folder: string, link: readonly string[]): Promise<void> => {
  const flags = compilerFlags(toolchain, true).filter((f) => !/^-(shared|fPIC|fno-exceptions|Wl)/.test(f));
  const args = [...toolchain.args, ...flags, 'gemm.cpp', '-o', 'gemm', ...link, '-lm'];
  const done = await runProcess(toolchain.path, args, { cwd: folder, limitMs: 600_000 });
  if (done.status !== 0) fail('bench/compile', `${toolchain.path} failed:\n${done.stderr.slice(0, 4000)}`);
};

const ended = ({ status, signal, failure }: Finished): string => String(signal ?? failure ?? `status ${status}`);

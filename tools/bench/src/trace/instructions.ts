import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import { layoutSlab } from '@filigree/backend';
import { findToolchain, runProcess, type Toolchain } from '@filigree/backend/native';
import { compilerFlags, cpp } from '@filigree/backend-cpp';
import { bytesOf, type Module, type TypedArray, orThrow } from '@filigree/ir';
import { type CsrPattern } from '@filigree/sparse/formats';
import { packValues, reconstructPattern, spmvFromPieces, spmvKernel, type SparseKernel } from '@filigree/sparse/trace';
import { readMatrixFile } from 'filigree';

/** Instructions that one product with a vector executes. */
export interface Instructions {
  /** Figure 1a of the paper. */
  readonly csr: number;
  /** The chosen kernel. */
  readonly chosen: number;
  /** The affine code of all pieces and nothing else; null where it was left out or a compiler took too long. */
  readonly affine: number | null;
}

/** Counts instructions of the products of a matrix in double precision on one thread. */
export interface InstructionCounter {
  /** The counts, or why there are none. `affine`: whether the affine code is counted too. */
  readonly count: (file: string, affine: boolean) => Promise<Instructions | string>;
}

/**
 * What the code that is counted is compiled for. Valgrind does not know AVX-512; this is the processor on which the paper
 * counted, so that counts do not depend on the machine.
 */
const COUNTED_FOR = process.arch === 'x64' ? '-march=haswell' : undefined;
const COUNTED_BYTES = process.arch === 'x64' ? 32 : 16;

/** Milliseconds that a compiler may take over a kernel. */
const LIMIT_MS = 60_000;

/** Counts by Valgrind's callgrind, or why that cannot be. */
export const instructionCounter = async (): Promise<InstructionCounter | string> => {
  const asked = spawnSync('valgrind', ['--version'], { encoding: 'utf8' });
  if (asked.status !== 0) return 'Valgrind is not installed (apt: valgrind)';
  const found = await findToolchain()();
  if (E.isLeft(found)) return found.left[0].message;
  const toolchain = found.right;
  return {
    count: async (file, affine) => {
      const folder = mkdtempSync(join(tmpdir(), 'filigree-count-'));
      try {
        return await countIn(folder, toolchain, file, affine);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};

const countIn = async (
  folder: string,
  toolchain: Toolchain,
  file: string,
  affine: boolean,
): Promise<Instructions | string> => {
  const { pattern } = await readMatrixFile(file, { patternOnly: true });
  const driver = join(folder, 'spmv_count');
  const unfit = await compile(toolchain, [...DRIVER_FLAGS, ...counted, DRIVER, '-o', driver, '-ldl']);
  if (unfit !== undefined) return unfit;
  const values = Float64Array.from(pattern.colIdx, (_, e) => 1 + (e % 7) / 8);
  const counts = async (
    module: Module,
    fill: (A: Float64Array) => void,
    functions: readonly string[],
  ): Promise<readonly number[] | string> => {
    const [text, library, data] = ['kernels.cpp', 'kernels.so', 'case.bin'].map((name) => join(folder, name));
    writeFileSync(text, kernelText(module));
    const flags = [...compilerFlags({ ...toolchain, target: [], openmp: false }, true), ...counted];
    const failure = await compile(toolchain, [...flags, text, '-o', library, '-lm']);
    if (failure !== undefined) return failure;
    writeFileSync(data, caseOf(pattern, values, module, fill));
    const found: number[] = [];
    for (const name of functions) {
      const n = await collected(folder, name, [driver, data, library]);
      if (typeof n === 'string') return n;
      found.push(n);
    }
    return found;
  };
  const kernel: SparseKernel = spmvKernel(pattern, { dtype: 'f64' });
  const both = await counts(kernel.module, (A) => packValues(kernel, values, A), ['figure_1a', ENTRY]);
  if (typeof both === 'string') return both;
  const alone = affine ? await counts(affineModule(pattern), (A) => A.set(values), [ENTRY]) : 'left out';
  return { csr: both[0]!, chosen: both[1]!, affine: typeof alone === 'string' ? null : alone[0]! };
};

const ENTRY = 'filigree_run';

const counted = COUNTED_FOR === undefined ? [] : [COUNTED_FOR];

/** As the loop is compiled where it is timed: nothing that reorders sums. */
const DRIVER_FLAGS = ['-std=gnu++17', '-O3'];

const DRIVER = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'native', 'spmv_count.cpp');

const affineModule = (pattern: CsrPattern): Module => {
  const found = orThrow(reconstructPattern(pattern, { maxDimensions: 8 }));
  return spmvFromPieces(found.pieces, pattern.rows, pattern.cols, { dtype: 'f64' });
};

const kernelText = (module: Module): string => {
  const backend = cpp({ vectorBytes: COUNTED_BYTES });
  const { files } = orThrow(backend.emit.run(orThrow(backend.legalize.run(module))));
  return files.find((f) => f.name === 'kernels.cpp')!.contents as string;
};

/** What `native/spmv_count.cpp` reads. */
const caseOf = (
  { rows, cols, rowPtr, colIdx }: CsrPattern,
  values: Float64Array,
  module: Module,
  fill: (A: Float64Array) => void,
): Uint8Array => {
  const { offsets, offsetOf, bytes } = layoutSlab(module);
  const slab = new Uint8Array(bytes);
  const x = Float64Array.from({ length: cols }, (_, j) => 1 + (j % 5) / 4);
  module.buffers.forEach((b, k) => {
    if (b.role === 'const') slab.set(bytesOf(b.data as TypedArray), offsets[k]);
    if (b.name === 'A') fill(new Float64Array(slab.buffer, offsets[k], b.length));
    if (b.name === 'x') slab.set(bytesOf(x), offsets[k]);
  });
  const head = [rows, cols, colIdx.length, offsets.length, bytes, offsetOf.get('y')!, ...offsets];
  const parts = [BigInt64Array.from(head, BigInt), Int32Array.from(colIdx), Int32Array.from(rowPtr), values, x, slab];
  return Buffer.concat(parts.map((p) => new Uint8Array(p.buffer, p.byteOffset, p.byteLength)));
};

/** What the compiler says against it. */
const compile = async (toolchain: Toolchain, args: readonly string[]): Promise<string | undefined> => {
  const done = await runProcess(toolchain.path, [...toolchain.args, ...args], { limitMs: LIMIT_MS });
  return done.status === 0
    ? undefined
    : (done.failure ?? (done.stderr.slice(0, 500) || 'the compiler ended by a signal'));
};

/** Instructions within a function and all that it calls. */
const collected = async (folder: string, name: string, command: readonly string[]): Promise<number | string> => {
  const out = join(folder, 'callgrind.out');
  const options = ['--tool=callgrind', `--toggle-collect=${name}`, `--callgrind-out-file=${out}`];
  const done = await runProcess('valgrind', [...options, ...command], { limitMs: 10 * LIMIT_MS });
  if (done.status !== 0) return done.failure ?? (done.stderr.slice(-500) || 'Valgrind ended by a signal');
  const total = /^(?:summary|totals): (\d+)/m.exec(readFileSync(out, 'utf8'));
  return total ? Number(total[1]) : 'callgrind wrote no total';
};

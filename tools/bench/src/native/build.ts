import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { cpus, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instructionSet } from '@filigree/backend/native';
import { fail } from '@filigree/ir';
import type { Compiler, Eigen } from './toolchain.js';

/**
 * The flags of every baseline: those of the paper's evaluation (§5), for the instruction set that Filigree's own code is made
 * for. Tests, which time nothing, are quicker with `FILIGREE_BASELINE_LEVEL=-O1`. Throws `DiagnosticError` `toolchain/target`.
 */
export const baselineFlags = (): readonly string[] => [
  '-std=c++17',
  process.env['FILIGREE_BASELINE_LEVEL'] ?? '-O3',
  ...instructionSet().flags,
  '-DNDEBUG',
  '-ffast-math',
];

/** A source in `native/` and how to compile it. */
export interface NativeSource {
  readonly file: string;
  readonly defines?: Readonly<Record<string, string>>;
}

/**
 * The shared library of a source, built if it is not in the cache yet (Eigen takes seconds a file). The cache lies in the
 * user's cache folder, or in `$FILIGREE_BENCH_CACHE`; a library is named by the hash of all it depends on.
 * Fails with `bench/compile` and the compiler's own words.
 */
export const buildLibrary = (source: NativeSource, compiler: Compiler, eigen?: Eigen): string => {
  const defines = Object.entries(source.defines ?? {}).map(([name, value]) => `-D${name}=${value}`);
  const includes = eigen ? [`-I${eigen.folder}`] : [];
  const key = createHash('sha256');
  for (const part of [compiler.version, cpus()[0]?.model ?? '', eigen?.version ?? '', ...baselineFlags(), ...defines])
    key.update(`${part}\0`);
  for (const name of [source.file, ...headers()]) key.update(name).update(readFileSync(join(NATIVE, name)));
  const name = `${source.file.replace(/\.cpp$/, '')}-${key.digest('hex').slice(0, 20)}${EXTENSION}`;
  const cached = join(cacheFolder(), name);
  if (existsSync(cached)) return cached;

  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'build-'));
  try {
    const object = join(work, 'baseline.o');
    const library = join(work, name);
    const path = join(NATIVE, source.file);
    compile(compiler, source.file, [
      ...baselineFlags(),
      '-fPIC',
      '-fvisibility=hidden',
      ...includes,
      ...defines,
      '-c',
      path,
      '-o',
      object,
    ]);
    // Linked without -ffast-math: with it GCC adds start-up code that flushes subnormals in the whole process, Node included.
    compile(compiler, source.file, ['-shared', '-pthread', object, '-o', library]);
    renameSync(library, cached);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return cached;
};

/** `native/` lies beside `src/`, and beside `dist/` of a build. */
const NATIVE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'native');

const EXTENSION = process.platform === 'win32' ? '.dll' : process.platform === 'darwin' ? '.dylib' : '.so';

const headers = (): string[] =>
  readdirSync(NATIVE)
    .filter((f) => f.endsWith('.hpp'))
    .sort();

const cacheFolder = (): string =>
  process.env.FILIGREE_BENCH_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'filigree', 'bench');

const compile = (compiler: Compiler, file: string, args: readonly string[]): void => {
  const result = spawnSync(compiler.command, args, { encoding: 'utf8' });
  if (result.status !== 0)
    fail(
      'bench/compile',
      `${compiler.command} failed on ${file}:\n${(result.stderr || String(result.error ?? '')).slice(0, 4000)}`,
      {
        remedy: 'set CXX to a C++17 compiler',
      },
    );
};

import { createHash } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { arch, cpus, platform, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { type Diagnostics, fail } from '@filigree/ir';
import { atExit } from './at-exit.js';
import { attempt } from './attempt.js';
import { firstLines, runProcess } from './process.js';

/** A C++ compiler of this machine and what it can do. */
export interface Toolchain {
  /** Absolute path. */
  readonly path: string;
  /** Arguments that belong to the command, such as `g++` in `ccache g++`. */
  readonly args: readonly string[];
  readonly family: 'gcc' | 'clang';
  /** First line of `--version`. */
  readonly version: string;
  /** `-fopenmp` compiles and links. */
  readonly openmp: boolean;
  /** `-march=native` is understood. */
  readonly native: boolean;
  /** Says which processor `-march=native` means, for cache keys. */
  readonly cpu: string;
}

export interface ToolchainOptions {
  /** This compiler and no other: a path, a name on PATH, or a command such as `ccache g++`. */
  readonly compiler?: string;
  /** Environment to look in; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one trial of a compiler may take; default 20 000, a hundred times what it takes. */
  readonly limitMs?: number;
}

/**
 * Finds a C++ compiler: `options.compiler`, `$FILIGREE_CXX`, `$CXX`, else the first on PATH of the newest clang++ with a
 * version in its name, g++, c++, clang++; among those, one with OpenMP before one without. Each compiler is probed once in
 * a process. Errors: `toolchain/missing` when there is none, `toolchain/unusable` when the one asked for does not work.
 */
export const findToolchain = (options: ToolchainOptions = {}): TaskEither<Diagnostics, Toolchain> =>
  attempt(() => find(options));

const find = async ({ compiler, env = process.env, limitMs = 20_000 }: ToolchainOptions): Promise<Toolchain> => {
  const asked = [
    ['the compiler option', compiler],
    ['FILIGREE_CXX', env['FILIGREE_CXX']],
    ['CXX', env['CXX']],
  ].find(([, command]) => command !== undefined && command.trim() !== '');
  if (asked) {
    const [source, command] = asked as [string, string];
    const found = await probeCommand(command, env, limitMs);
    return typeof found !== 'string'
      ? found
      : fail('toolchain/unusable', `${source} names '${command}', which ${found}`, {
          remedy: 'name a working g++ or clang++, or unset it',
        });
  }
  const reasons: string[] = [];
  let fallback: Toolchain | undefined;
  for (const name of candidates) {
    const found = await probeCommand(name, env, limitMs);
    if (typeof found === 'string') {
      if (found !== notOnPath) reasons.push(`${name} ${found}`);
    } else if (found.openmp) return found;
    else fallback ??= found;
  }
  return (
    fallback ??
    fail('toolchain/missing', ['no working C++ compiler was found on PATH', ...reasons].join('; '), {
      remedy:
        'install g++ or clang++ (Debian, Ubuntu: apt install g++; macOS: xcode-select --install), or set FILIGREE_CXX to one',
    })
  );
};

const candidates = [...Array.from({ length: 6 }, (_, k) => `clang++-${24 - k}`), 'g++', 'c++', 'clang++'];

const notOnPath = 'is not on PATH';

const probes = new Map<string, Promise<Toolchain | string>>();

/** A toolchain, or why this command is none; remembered by the compiler's file and its age. */
const probeCommand = async (
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<Toolchain | string> => {
  const [name, ...args] = command.trim().split(/\s+/) as [string, ...string[]];
  const path = await locate(name, env['PATH'] ?? '');
  if (path === undefined) return name.includes(sep) ? 'does not exist or cannot be run' : notOnPath;
  const { mtimeMs, size } = await stat(path);
  const key = [path, ...args, mtimeMs, size].join('\0');
  const known = probes.get(key) ?? probe(path, args, limitMs);
  probes.set(key, known);
  return known;
};

const locate = async (name: string, path: string): Promise<string | undefined> => {
  const places =
    isAbsolute(name) || name.includes(sep)
      ? [name]
      : path
          .split(delimiter)
          .filter(Boolean)
          .map((folder) => join(folder, name));
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      if ((await stat(place)).isFile()) return place;
    } catch {
      /* Not here: the next folder may have it. */
    }
  }
  return undefined;
};

const probe = async (path: string, args: readonly string[], limitMs: number): Promise<Toolchain | string> => {
  const asked = await runProcess(path, [...args, '--version'], { limitMs });
  if (asked.timedOut) return `does not answer within ${limitMs / 1000} s`;
  if (asked.status !== 0) return `does not run (${asked.failure ?? asked.signal ?? firstLines(asked.stderr, 1)})`;
  const version = firstLines(asked.stdout, 1).split('\n')[0]!;
  const folder = await mkdtemp(join(tmpdir(), 'filigree-probe-')).catch((e: Error) => e);
  if (folder instanceof Error) return `cannot be tried out: no temporary files can be made (${folder.message})`;
  const done = atExit(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const source = join(folder, 'probe.cpp');
    await writeFile(source, 'extern "C" int omp_get_thread_num();\nextern "C" int probe() { return PROBE; }\n');
    const tries = async (openmp: boolean, native: boolean): Promise<string | undefined> => {
      const flags = [
        ...(openmp ? ['-fopenmp', '-DPROBE=omp_get_thread_num()'] : ['-DPROBE=0']),
        ...(native ? ['-march=native'] : []),
      ];
      const library = join(folder, 'probe.so');
      const r = await runProcess(path, [...args, '-shared', '-fPIC', ...flags, source, '-o', library], { limitMs });
      if (r.timedOut) return `it takes longer than ${limitMs / 1000} s`;
      if (r.status !== 0) return r.failure ?? r.signal ?? firstLines(r.stderr, 2);
      return await access(library).then(
        () => undefined,
        () => 'it ends without an error and writes no file',
      );
    };
    const family = /clang/i.test(asked.stdout) ? 'clang' : 'gcc';
    const toolchain = async (openmp: boolean, native: boolean): Promise<Toolchain> => ({
      ...{ path, args, family, version, openmp, native },
      cpu: await cpuFingerprint(),
    });
    /* Nearly every compiler passes the first. */
    for (const [openmp, native] of [
      [true, true],
      [false, true],
      [true, false],
    ] as const)
      if ((await tries(openmp, native)) === undefined) return await toolchain(openmp, native);
    const problem = await tries(false, false);
    return problem === undefined ? await toolchain(false, false) : `cannot build a shared library: ${problem}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
    done();
  }
};

/* A cache folder may be shared by machines that differ in instruction sets. */
const cpuFingerprint = async (): Promise<string> => {
  const model = cpus()[0]?.model ?? 'unknown';
  const flags = await readFile('/proc/cpuinfo', 'utf8').then(
    (t) => /^(?:flags|Features)\s*:.*$/m.exec(t)?.[0] ?? '',
    () => '',
  );
  return `${platform()}-${arch()}-${createHash('sha256').update(model).update(flags).digest('hex').slice(0, 16)}`;
};

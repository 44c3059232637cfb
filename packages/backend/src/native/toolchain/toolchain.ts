import { rmSync } from 'node:fs';
import { access, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt, fail, type Diagnostics, checkOptions, option, type OptionSpec } from '@filigree/ir';
import { atExit } from './at-exit.js';
import { cpuFingerprint } from './cpu.js';
import { type InstructionSet, instructionSet } from './instruction-set.js';
import { locate } from './locate.js';
import { firstLines, runProcess } from './process.js';
import { remembered } from './remembered.js';

/** A compiler of this machine and what it can do. */
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
  /** Flags that make code for the instruction set of `instructionSet`, and tune it; none where the compiler does not know `-march=native`. */
  readonly target: readonly string[];
  /** Says which processors the code is for, for cache keys. */
  readonly cpu: string;
}

/** Which compiler to look for, and where. */
export interface ToolchainOptions {
  /** What it is to compile; default C++. */
  readonly language?: 'cpp' | 'c';
  /** This compiler and no other: a path, a name on PATH, or a command such as `ccache g++`. */
  readonly compiler?: string;
  /** Environment to look in; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one trial of a compiler may take; default 20 000, a hundred times what it usually takes. */
  readonly limitMs?: number;
  /** Where the abilities of a compiler are remembered; as `cache` of `cachedFile`. */
  readonly cache?: string | false | undefined;
}

/**
 * Finds a C++ compiler: `options.compiler`, `$FILIGREE_CXX`, `$CXX`, else the first on PATH of the newest clang++ with a
 * version in its name, g++, c++, clang++; for C, `$FILIGREE_CC`, `$CC`, clang, gcc and cc in the same way. Among those, one with OpenMP before one without. Each compiler is probed once
 * on a machine, until its file changes or, where it lacks something, a folder in which it looks for libraries. `$FILIGREE_TARGET` names the
 * instruction set that it is to make code for. Errors: `toolchain/missing` when there is none, `toolchain/unusable` when the
 * one asked for does not work, `toolchain/target` as `instructionSet`.
 */
export const findToolchain = (options?: ToolchainOptions): TaskEither<Diagnostics, Toolchain> =>
  attempt(async () => find(checkOptions('findToolchain', options, toolchainSpec)));

const toolchainSpec: OptionSpec<ToolchainOptions> = {
  language: option.choice('cpp', 'c'),
  compiler: option.text,
  env: option.object('an environment such as process.env'),
  limitMs: option.number(0),
  cache: option.or(false, option.text),
};

const find = async ({
  language = 'cpp',
  compiler,
  env = process.env,
  limitMs = 20_000,
  cache,
}: ToolchainOptions): Promise<Toolchain> => {
  const { called, variables, candidates, remedy } = compilers[language];
  const trial: Trial = { language, env, set: instructionSet(env), limitMs, cache };
  const asked = [
    ['the compiler option', compiler] as const,
    ...variables.map((variable) => [variable, env[variable]] as const),
  ].find(([, command]) => command !== undefined && command.trim() !== '');
  if (asked) {
    const [source, command] = asked as [string, string];
    const found = await probeCommand(command, trial);
    return typeof found !== 'string'
      ? found
      : fail('toolchain/unusable', `${source} names '${command}', which ${found}`, {
          remedy: `name a working ${called}, or unset it`,
        });
  }
  const reasons: string[] = [];
  let fallback: Toolchain | undefined;
  for (const name of candidates) {
    const found = await probeCommand(name, trial);
    if (typeof found === 'string') {
      if (found !== notOnPath) reasons.push(`${name} ${found}`);
    } else if (found.openmp) return found;
    else fallback ??= found;
  }
  return (
    fallback ??
    fail(
      'toolchain/missing',
      [`no working ${language === 'c' ? 'C' : 'C++'} compiler was found on PATH`, ...reasons].join('; '),
      {
        remedy,
      },
    )
  );
};

const versions = (name: string): readonly string[] => Array.from({ length: 6 }, (_, k) => `${name}-${24 - k}`);

const compilers = {
  cpp: {
    called: 'g++ or clang++',
    variables: ['FILIGREE_CXX', 'CXX'],
    candidates: [...versions('clang++'), 'g++', 'c++', 'clang++'],
    remedy:
      'install g++ or clang++ (Debian, Ubuntu: apt install g++; macOS: xcode-select --install), or set FILIGREE_CXX to one',
  },
  c: {
    called: 'gcc or clang',
    variables: ['FILIGREE_CC', 'CC'],
    candidates: [...versions('clang'), 'gcc', 'cc', 'clang'],
    remedy:
      'install gcc or clang (Debian, Ubuntu: apt install gcc; macOS: xcode-select --install), or set FILIGREE_CC to one',
  },
} as const;

const notOnPath = 'is not on PATH';

const probes = new Map<string, Promise<Toolchain | string>>();

interface Trial {
  readonly language: 'cpp' | 'c';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly set: InstructionSet;
  readonly limitMs: number;
  readonly cache: string | false | undefined;
}

/** A toolchain, or why this command is none; remembered by the compiler's file and its age. */
const probeCommand = async (
  command: string,
  { language, env, set, limitMs, cache }: Trial,
): Promise<Toolchain | string> => {
  const [path, name, args] = await program(command.trim(), env['PATH'] ?? '');
  if (path === undefined) return name.includes(sep) ? 'does not exist or cannot be run' : notOnPath;
  /* What stands behind a launcher such as ccache is a file too. */
  const behind = await Promise.all(args.map((arg) => locate(arg, env['PATH'] ?? '')));
  const files = [path, ...behind.filter((f) => f !== undefined)];
  const ages = await Promise.all(
    files.map(async (f) => stat(f).then(({ mtimeMs, size }) => `${f} ${mtimeMs} ${size}`)),
  );
  const key = [...(language === 'c' ? ['c'] : []), path, ...args, ...ages, ...set.flags, ...set.tuning].join('\0');
  const known =
    probes.get(key) ?? remembered(key, { path, args, limitMs, cache }, () => probe(language, path, args, set, limitMs));
  probes.set(key, known);
  return known;
};

/** The file that a command begins with, whose path may have spaces in it, its name, and what follows. */
const program = async (
  command: string,
  path: string,
): Promise<readonly [file: string | undefined, name: string, args: readonly string[]]> => {
  const ends = [...[...command.matchAll(/\s+/g)].map((m) => m.index), command.length];
  const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
  for (const end of ends) {
    const file = await locate(command.slice(0, end), path);
    if (file !== undefined) return [file, command.slice(0, end), words(command.slice(end))];
  }
  return [undefined, words(command)[0]!, []];
};

const probe = async (
  language: 'cpp' | 'c',
  path: string,
  args: readonly string[],
  set: InstructionSet,
  limitMs: number,
): Promise<Toolchain | string> => {
  const asked = await runProcess(path, [...args, '--version'], { limitMs });
  if (asked.timedOut) return `does not answer within ${limitMs / 1000} s`;
  if (asked.status !== 0) return `does not run (${asked.failure ?? asked.signal ?? firstLines(asked.stderr, 1)})`;
  const version = firstLines(asked.stdout, 1).split('\n')[0]!;
  const folder = await mkdtemp(join(tmpdir(), 'filigree-probe-')).catch((e: Error) => e);
  if (folder instanceof Error) return `cannot be tried out: no temporary files can be made (${folder.message})`;
  const done = atExit(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const source = join(folder, `probe.${language}`);
    const entry = language === 'cpp' ? 'extern "C" ' : '';
    await writeFile(source, `${entry}int omp_get_thread_num();\n${entry}int probe() { return PROBE; }\n`);
    let tried = 0;
    const tries = async (openmp: boolean, target: readonly string[]): Promise<string | undefined> => {
      const flags = [...(openmp ? ['-fopenmp', '-DPROBE=omp_get_thread_num()'] : ['-DPROBE=0']), ...target];
      const library = join(folder, `probe-${tried++}.so`);
      const r = await runProcess(path, [...args, '-shared', '-fPIC', ...flags, source, '-o', library], { limitMs });
      if (r.timedOut) return `it takes longer than ${limitMs / 1000} s`;
      if (r.status !== 0) return r.failure ?? r.signal ?? firstLines(r.stderr, 2);
      return await access(library).then(
        () => undefined,
        () => 'it ends without an error and writes no file',
      );
    };
    const family = /clang/i.test(asked.stdout) ? 'clang' : 'gcc';
    const toolchain = async (openmp: boolean, target: readonly string[]): Promise<Toolchain> => ({
      ...{ path, args, family, version, openmp, target },
      cpu: set.named ? `${platform()}-${arch()}-${set.name}` : await cpuFingerprint(),
    });
    const tuned = async (): Promise<readonly string[]> => {
      for (const flag of family === 'gcc' ? set.tuning : [])
        if ((await tries(false, [...set.flags, flag])) === undefined) return [...set.flags, flag];
      return set.flags;
    };
    /* Nearly every compiler passes the first, and each trial starts a process: side by side. What was named is not left out. */
    const [lacking, target] = await Promise.all([tries(true, set.flags), tuned()]);
    for (const openmp of [true, false])
      if ((openmp ? lacking : await tries(false, set.flags)) === undefined) return await toolchain(openmp, target);
    const problem = await tries(false, []);
    if (problem !== undefined) return `cannot build a shared library: ${problem}`;
    if (set.named && set.flags.length > 0)
      return `does not know ${set.flags.join(' ')}, which FILIGREE_TARGET asks for`;
    return await toolchain((await tries(true, [])) === undefined, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
    done();
  }
};

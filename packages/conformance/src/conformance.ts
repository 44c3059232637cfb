import {
  type Buffer,
  type Dialect,
  type Extension,
  DiagnosticError,
  type TypedArray,
  allocateBuffers,
  interpret,
  checkOptions,
  option,
  type OptionSpec,
  optionsOf,
} from '@filigree/ir';
import { type Backend, type CompileOptions, dialectsOf, type Executable } from '@filigree/backend';
import { compileSpec } from '@filigree/backend/options';
import { difference } from './compare.js';
import { contract } from './contract.js';
import { expect, settle } from './expect.js';
import { joined } from './joined.js';
import type { ConformanceCase, Outcome } from './outcome.js';
import { checkSmaller } from './smaller.js';
import { type Explanation, prepare, skip } from './prepare.js';
import type { Launch, Program } from './program.js';
import { conformancePrograms } from './programs/index.js';

/** What to run, and how strictly results are compared. */
export interface ConformanceOptions {
  /** Default: all of `conformancePrograms()`. */
  readonly programs?: readonly Program[];
  /**
   * How many programs are compiled at a time, as the kernels of one module each; default 1. A compiler begins, and code is loaded, once for all of them: for suites
   * that run once more with other options. Of those that go wrong together the one that does so is shown.
   */
  readonly together?: number;
  /** Whose ops programs may have, beside the core ones; the backend is to know them too. */
  readonly extensions?: readonly Extension[];
  /** How to compile; default `{ fastMath: false }`, under which results must be exact where IEEE 754 says so. */
  readonly compile?: CompileOptions;
  /** Thread counts that each program is run with; those above 1 are left out where the backend has no threads. Default `[1, 2]`. */
  readonly threads?: readonly number[];
  /** Least ulps to allow in floats, for options such as `fastMath: true`. */
  readonly ulps?: number;
  /** Set if the compile options let the compiler reorder sums: programs that depend on their order are then skipped. */
  readonly reorders?: boolean;
  /** Reasons for which programs may be left out: any other fails, and a program that is refused for one of them is skipped. */
  readonly explained?: readonly Explanation[];
}

/**
 * The suite for a backend, as cases for any test runner. Each compiles a program, runs it on several thread counts, sync
 * and async, and compares every buffer with the interpreter's, constants included. Without `programs` there are also cases of what the
 * contract says beside results.
 */
export const conformance = (backend: Backend, chosen?: ConformanceOptions): readonly ConformanceCase[] => {
  const options = checkOptions('conformance', chosen, conformanceSpec);
  const { programs: given = conformancePrograms(), together = 1 } = options;
  const programs = joined(backend, given, together).map((program) => ({
    name: program.name,
    run: () => checkSmaller(program, (p) => check(backend, p, options)),
  }));
  return options.programs ? programs : [...contract(backend, options.compile), ...programs];
};

const conformanceSpec: OptionSpec<ConformanceOptions> = {
  extensions: option.array('a list of extensions'),
  programs: option.list(option.object('a program', 'name', 'module', 'inputs')),
  together: option.whole(1),
  compile: optionsOf(compileSpec),
  threads: option.list(option.whole(1)),
  ulps: option.number(0),
  reorders: option.truth,
  explained: option.list(option.object('an explanation', 'reason', 'why')),
};

const check = async (backend: Backend, program: Program, options: ConformanceOptions): Promise<Outcome> => {
  const { compile, load } = backend;
  if (!compile || !load)
    return { status: 'skipped', reason: skip(program, `backend ${backend.name} only emits sources`, options).reason };
  const ready = prepare(backend, program, options);
  if ('reason' in ready) return { status: 'skipped', reason: ready.reason };
  const { module, sources } = ready;
  const artifact = await settle(compile(sources, { fastMath: false, ...options.compile }), 'compile');
  const executable = await settle(load(artifact, module), 'load');
  try {
    const counts = (options.threads ?? [1, 2]).filter((n) => n === 1 || backend.capabilities.threads);
    for (const threads of counts)
      for (const mode of modes(program)) await once(executable, program, mode, threads, options);
  } finally {
    executable.dispose();
  }
  return { status: 'passed' };
};

type Mode = 'run' | 'runAsync' | 'launch' | 'launchAsync' | 'commands';

const modes = (program: Program): readonly Mode[] =>
  program.launches ? ['launch', 'launchAsync', 'commands'] : ['run', 'runAsync', 'commands'];

const once = async (
  x: Executable,
  program: Program,
  mode: Mode,
  threads: number,
  { ulps = 0, extensions = [] }: ConformanceOptions,
): Promise<void> => {
  const where = `${mode} on ${threads} thread${threads === 1 ? '' : 's'}`;
  const memory = freshMemory(program);
  const visible = program.module.buffers.filter((b) => b.role !== 'scratch');
  const there = new Set(Object.keys(x.buffers));
  for (const b of visible) if (b.role !== 'const' && there.has(b.name)) x.buffer(b.name).write(memory[b.name]!);
  const failed = await failure(async () => {
    if (mode === 'run') x.run({ threads });
    else if (mode === 'runAsync') await x.runAsync({ threads });
    else if (mode === 'commands') x.commands(launchesOf(program)).run({ threads });
    else
      for (const l of program.launches!)
        if (mode === 'launch') x.launch(l.kernel, l.args, { threads });
        else await x.launchAsync(l.kernel, l.args, { threads });
  });
  if (program.fails) {
    if (!failed) throw new Error(`${where}: expected a diagnostic, the run succeeded`);
    return;
  }
  if (failed) throw new Error(`${where}: ${failed.message}`);
  const right = interpreted(program, dialectsOf(extensions));
  for (const b of visible.filter((v) => program.compared?.includes(v.name) ?? true)) {
    if (!there.has(b.name)) {
      if (mayBeDropped(b)) continue;
      throw new Error(`${where}: buffer @${b.name} is missing, which the host is to read`);
    }
    const got = x.buffer(b.name).read();
    const want = b.role === 'const' ? b.data! : right[b.name]!;
    const problem = difference(got, want, Math.max(program.ulps ?? 0, ulps));
    if (problem !== undefined) throw new Error(`${where}: buffer @${b.name} ${problem}`);
  }
};

const launchesOf = ({ module, launches }: Program): readonly Launch[] =>
  launches ?? module.kernels.map((k) => ({ kernel: k.name, args: [] }));

/* What is dead may go in `legalize`: what only kernels see, and what none of them reads. */
const mayBeDropped = ({ role }: Buffer): boolean => role === 'temp' || role === 'const' || role === 'input';

/* Only a diagnostic counts as a clean failure. */
const failure = async (run: () => Promise<void>): Promise<DiagnosticError | undefined> => {
  try {
    await run();
    return undefined;
  } catch (e) {
    if (e instanceof DiagnosticError) return e;
    throw e;
  }
};

type Memory = Readonly<Record<string, TypedArray>>;

const freshMemory = ({ module, inputs }: Program): Memory => {
  const memory = allocateBuffers(module.buffers);
  /* `set` of a union of typed arrays wants one element type; the buffers' types agree by construction. */
  for (const [name, input] of Object.entries(inputs))
    (memory[name] as Float64Array | undefined)?.set(input as Float64Array);
  return memory;
};

/** What memory holds when the interpreter has run a program: found once, for all ways to run it on all backends. */
const interpreted = (program: Program, dialects: readonly Dialect[]): Memory => {
  const found = known.get(program);
  if (found) return found;
  const memory = freshMemory(program);
  const runs = program.launches ? program.launches.map((l) => ({ kernel: l.kernel, args: l.args })) : [{}];
  for (const r of runs) expect(interpret(program.module, dialects, memory, r), 'interpret');
  known.set(program, memory);
  return memory;
};

const known = new WeakMap<Program, Memory>();

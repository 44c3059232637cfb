import { access, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import {
  type Artifact,
  type CompileOptions,
  type Finished,
  type Sources,
  type Toolchain,
  cachedFile,
  contentHash,
  findToolchain,
  firstLines,
  runProcess,
} from '@filigree/backend';
import { type Diagnostics, DiagnosticError, attempt, fail } from '@filigree/ir';
import { compilerFlags } from './flags.js';

/**
 * Compiles `kernels.cpp` of the sources into a shared library, or finds it in the cache, by the hash of the source text,
 * the flags, the compiler's version and the processor. Long sources are compiled in units at the same time, and units that
 * are in the cache are not compiled again. Errors: `toolchain/…`, `cpp/sources`, `cpp/compile`, `cpp/killed`, `cpp/timeout`,
 * `cache/…`.
 */
export const compileSources = (sources: Sources, options: CompileOptions = {}): TaskEither<Diagnostics, Artifact> =>
  attempt(async () => {
    const started = performance.now();
    const toolchain = await toolchainOf(options);
    const text = sources.files.find((f) => f.name === 'kernels.cpp')?.contents;
    if (typeof text !== 'string')
      return fail('cpp/sources', `these sources of backend '${sources.backend}' have no kernels.cpp`, {
        remedy: "pass what this backend's emit made",
      });
    const flags = [...compilerFlags(toolchain, options.fastMath ?? true), ...(options.flags ?? [])];
    const link = sources.link ?? [];
    const limitMs = options.limitMs ?? 600_000;
    const compiler: Compiler = { toolchain, flags, limitMs, deadline: started + limitMs };
    const keyOf = (kind: string, text: string): string =>
      contentHash(kind, text, toolchain.version, toolchain.cpu, ...toolchain.args, ...flags, ...link);
    const hash = keyOf('cpp', text);
    const { path, cached, warnings } = await cachedFile({
      cache: options.cache,
      key: hash,
      file: 'kernels.so',
      build: async (file) => {
        await writeFile(join(dirname(file), 'kernels.cpp'), text);
        const units = sources.units ?? [];
        if (units.length === 0) return build(compiler, ['kernels.cpp', '-o', file, ...link, '-lm'], file);
        const objects = await eachOf(longestFirst(units), availableParallelism(), (unit) =>
          cachedFile({
            cache: options.cache,
            key: keyOf('cpp-unit', unit),
            file: 'kernels.o',
            build: async (object) => {
              await writeFile(join(dirname(object), 'kernels.cpp'), unit);
              await build(compiler, ['-c', 'kernels.cpp', '-o', object], object);
            },
          }),
        );
        return build(compiler, [...objects.map((o) => o.path), '-o', file, ...link, '-lm'], file);
      },
    });
    return {
      backend: 'cpp',
      hash,
      path,
      cached,
      compileMs: performance.now() - started,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });

const longestFirst = (units: readonly string[]): readonly string[] => [...units].sort((a, b) => b.length - a.length);

/** Does something with each item, with so many at the same time; after a failure no more are begun. */
const eachOf = async <A, B>(
  items: readonly A[],
  atOnce: number,
  act: (item: A) => Promise<B>,
): Promise<readonly B[]> => {
  const done: B[] = [];
  const state = { next: 0 };
  const worker = async (): Promise<void> => {
    try {
      while (state.next < items.length) {
        const at = state.next++;
        done[at] = await act(items[at]!);
      }
    } finally {
      state.next = items.length;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failed = ended.find((e) => e.status === 'rejected');
  if (failed) throw failed.reason;
  return done;
};

const toolchainOf = async ({ compiler, cache }: CompileOptions): Promise<Toolchain> => {
  const found = await findToolchain({ cache, ...(compiler === undefined ? {} : { compiler }) })();
  if (E.isLeft(found)) throw new DiagnosticError(found.left);
  return found.right;
};

/** A compiler and how it is called, until when. */
interface Compiler {
  readonly toolchain: Toolchain;
  readonly flags: readonly string[];
  readonly limitMs: number;
  readonly deadline: number;
}

/** Runs the compiler in the folder of the file that it is to write. */
const build = async (
  { toolchain, flags, limitMs, deadline }: Compiler,
  args: readonly string[],
  file: string,
): Promise<void> => {
  const done = await runProcess(toolchain.path, [...toolchain.args, ...flags, ...args], {
    cwd: dirname(file),
    limitMs: Math.max(1, deadline - performance.now()),
  });
  if (done.timedOut)
    fail('cpp/timeout', `${toolchain.path} did not finish within ${limitMs / 1000} s and was stopped`, {
      remedy: 'set FILIGREE_CXX to another compiler, or compile a smaller program',
    });
  if (done.status !== 0) explain(toolchain, done);
  await access(file).catch(() =>
    fail('cpp/compile', `${toolchain.path} ended without an error and wrote no file`, {
      remedy: 'install it again, or set FILIGREE_CXX to another compiler',
    }),
  );
};

const explain = (toolchain: Toolchain, done: Finished): never => {
  const said = firstLines(done.stderr);
  if (/no space left on device/i.test(said)) throw Object.assign(new Error(said), { code: 'ENOSPC' });
  if (done.failure !== undefined)
    return fail('cpp/compile', `${toolchain.path} cannot be started (${done.failure})`, {
      remedy: 'install it again, or set FILIGREE_CXX to another compiler',
    });
  /* A driver reports its killed compiler proper by a status and this text. */
  if (done.signal !== undefined || /\b(killed|terminated) signal\b|\bKilled\b/i.test(said))
    return fail(
      'cpp/killed',
      `${toolchain.path} was killed${done.signal === undefined ? '' : ` by ${done.signal}`}${said ? `: ${said}` : ''}`,
      {
        remedy: 'most often memory ran out: compile smaller kernels, or fewer at once',
      },
    );
  return fail('cpp/compile', `${toolchain.path} failed with status ${done.status}:\n${said}`, {
    remedy:
      'if the flags are yours, check them; otherwise this is a defect of the emitter: please report it with the sources',
  });
};

import { access, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import {
  type Artifact,
  type CompileOptions,
  type Finished,
  type Sources,
  type Toolchain,
  attempt,
  cachedFile,
  contentHash,
  findToolchain,
  firstLines,
  runProcess,
} from '@filigree/backend';
import { DiagnosticError, type Diagnostics, fail } from '@filigree/ir';
import { compilerFlags } from './flags.js';

/**
 * Compiles `kernels.cpp` of the sources into a shared library, or finds it in the cache, by the hash of the source text,
 * the flags, the compiler's version and the processor. Errors: `toolchain/…`, `cpp/sources`, `cpp/compile`, `cpp/killed`,
 * `cpp/timeout`, `cache/…`.
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
    const hash = contentHash('cpp', text, toolchain.version, toolchain.cpu, ...toolchain.args, ...flags);
    const { path, cached, warnings } = await cachedFile({
      cache: options.cache,
      key: hash,
      file: 'kernels.so',
      build: (file) => build(toolchain, flags, text, file, options.limitMs ?? 600_000),
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

const toolchainOf = async ({ compiler, cache }: CompileOptions): Promise<Toolchain> => {
  const found = await findToolchain({ cache, ...(compiler === undefined ? {} : { compiler }) })();
  if (E.isLeft(found)) throw new DiagnosticError(found.left);
  return found.right;
};

const build = async (
  toolchain: Toolchain,
  flags: readonly string[],
  text: string,
  file: string,
  limitMs: number,
): Promise<void> => {
  const source = join(dirname(file), 'kernels.cpp');
  await writeFile(source, text);
  const done = await runProcess(toolchain.path, [...toolchain.args, ...flags, source, '-o', file, '-lm'], {
    cwd: dirname(file),
    limitMs,
  });
  if (done.timedOut)
    fail('cpp/timeout', `${toolchain.path} did not finish within ${limitMs / 1000} s and was stopped`, {
      remedy: 'set FILIGREE_CXX to another compiler, or compile a smaller program',
    });
  if (done.status !== 0) explain(toolchain, done);
  await access(file).catch(() =>
    fail('cpp/compile', `${toolchain.path} ended without an error and wrote no library`, {
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

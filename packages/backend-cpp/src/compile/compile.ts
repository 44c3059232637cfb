import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { cachedFile } from '@filigree/backend/native';
import { compileSpec } from '@filigree/backend/options';
import { type Diagnostics, DiagnosticError, attempt, fail, checkOptions } from '@filigree/ir';
import { type NativeLanguage, sourceName } from '../native-language.js';
import { beginObject, objectOf } from './objects.js';
import { compilerOf, keyOf, runCompiler } from './run-compiler.js';

/**
 * Compiles `kernels.cpp` (of C `kernels.c`) of the sources into a shared library, or finds it in the cache, by the hash of the source text,
 * the flags, the compiler's version and the processor. Long sources are compiled in units at the same time, and units that
 * are in the cache are not compiled again. Errors: `toolchain/…`, `cpp/sources`, `cpp/compile`, `cpp/killed`, `cpp/timeout`, with
 * the name of the language's backend, `cache/…`.
 */
export const compileSources = (
  language: NativeLanguage,
  sources: Sources,
  given?: CompileOptions,
): TaskEither<Diagnostics, Artifact> =>
  attempt(async () => {
    const file = sourceName(language);
    const options = checkOptions('compile', given, compileSpec);
    const started = performance.now();
    const compiler = await compilerOf(language, options);
    const text = sources.files.find((f) => f.name === file)?.contents;
    if (typeof text !== 'string')
      return fail(`${language.name}/sources`, `these sources of backend '${sources.backend}' have no ${file}`, {
        remedy: "pass what this backend's emit made",
      });
    const link = sources.link ?? [];
    const loading = sources.loading ?? '';
    const hash = keyOf(compiler, language.name, text + loading, link);
    const { path, cached, warnings } = await cachedFile({
      cache: options.cache,
      key: hash,
      file: 'kernels.so',
      build: async (library) => {
        await writeFile(join(dirname(library), file), text + loading);
        const units = sources.units ?? [];
        if (units.length === 0) return runCompiler(compiler, [file, '-o', library, ...link, '-lm'], library);
        const objects = await eachOf(
          [...longestFirst(units), (sources.joint ?? '') + loading],
          availableParallelism(),
          (unit) => objectOf(compiler, unit, link, options),
        );
        return runCompiler(compiler, [...objects.map((o) => o.path), '-o', library, ...link, '-lm'], library);
      },
    });
    return {
      backend: language.name,
      hash,
      path,
      cached,
      compileMs: performance.now() - started,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });

/** Begins to compile the lasting units of the sources, the longest first; see `Backend.ahead`. */
export const compileAhead = async (
  language: NativeLanguage,
  sources: Sources,
  given?: CompileOptions,
): Promise<void> => {
  const units = sources.lasting ?? [];
  if (units.length === 0) return;
  try {
    const options = checkOptions('ahead', given, compileSpec);
    const compiler = await compilerOf(language, options);
    for (const unit of longestFirst(units)) await beginObject(compiler, unit, sources.link ?? [], options);
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
  }
};

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

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { sourceText } from '@filigree/backend/gpu';
import { cachedFile, contentHash } from '@filigree/backend/native';
import { compileSpec } from '@filigree/backend/options';
import { type Diagnostics, attempt, checkOptions } from '@filigree/ir';
import { metalLanguage } from '../emit/language.js';
import { metalCompiler } from './compiler.js';

/**
 * Compiles `kernels.metal` to a library, or finds it in the cache. Where there is no compiler, the text itself is kept: macOS compiles it when it
 * is loaded. Errors: `toolchain/unusable`, `metal/sources`, `metal/compile`, `metal/timeout`, `cache/…`.
 */
export const compileMetal = (sources: Sources, given?: CompileOptions): TaskEither<Diagnostics, Artifact> =>
  attempt(async () => {
    const options = checkOptions('compile', given, compileSpec);
    const started = performance.now();
    const { file } = metalLanguage;
    const written = sourceText(metalLanguage, sources);
    const text = [...metalLines(options.fastMath ?? true), written].join('\n');
    const compiler = await metalCompiler(options.compiler);
    const flags = compiler ? [...metalFlags, ...(options.flags ?? [])] : [];
    const hash = contentHash('metal', text, compiler?.version ?? 'text', ...flags);
    const { path, cached, warnings } = await cachedFile({
      cache: options.cache,
      key: hash,
      file: compiler ? 'kernels.metallib' : file,
      build: async (into) => {
        const source = join(dirname(into), file);
        await writeFile(source, text);
        await compiler?.compile({ source, into, flags, limitMs: options.limitMs ?? 600_000 });
      },
    });
    return {
      ...{ backend: 'metal', hash, path, cached, compileMs: performance.now() - started },
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });

/** Sums and products stay in the order in which they are written: what is quicker is not near enough. */
const metalFlags: readonly string[] = ['-fno-fast-math'];

/** What the text begins with, so that it means the same whoever compiles it. */
const metalLines = (fastMath: boolean | 'contract'): readonly string[] => [
  ...(fastMath === false ? ['#pragma METAL fp contract(off)'] : []),
  ...(fastMath === true ? ['#define FILIGREE_FAST_MATH'] : []),
];

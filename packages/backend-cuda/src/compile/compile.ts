import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { cachedFile, contentHash, locate } from '@filigree/backend/native';
import { sourceText } from '@filigree/backend/gpu';
import { compileSpec } from '@filigree/backend/options';
import { type Diagnostics, attempt, checkOptions, fail } from '@filigree/ir';
import { cudaLanguage } from '../emit/language.js';
import type { CudaCompiler } from './compiler.js';
import { nvcc } from './nvcc.js';
import { nvrtc } from './nvrtc.js';

/**
 * Compiles `kernels.cu` to code of an architecture, or finds it in the cache. Errors: `toolchain/missing`, `toolchain/unusable`,
 * `cuda/sources`, `cuda/compile`, `cuda/timeout`, `cache/…`.
 *
 * @param architectureOf asked when it is needed: that of the device, or one that all drivers translate
 */
export const compileCuda =
  (architectureOf: () => Promise<string>) =>
  (sources: Sources, given?: CompileOptions): TaskEither<Diagnostics, Artifact> =>
    attempt(async () => {
      const options = checkOptions('compile', given, compileSpec);
      const started = performance.now();
      const { file } = cudaLanguage;
      const text = sourceText(cudaLanguage, sources);
      const compiler = await cudaCompiler(options.compiler);
      const architecture = await architectureOf();
      const flags = [...cudaFlags(options.fastMath ?? true), ...(options.flags ?? [])];
      const hash = contentHash('cuda', text, compiler.version, architecture, ...flags);
      const name = architecture.startsWith('compute_') ? 'kernels.ptx' : 'kernels.cubin';
      const { path, cached, warnings } = await cachedFile({
        cache: options.cache,
        key: hash,
        file: name,
        build: async (into) => {
          const folder = dirname(into);
          await writeFile(join(folder, file), text);
          await compiler.compile({
            folder,
            file,
            into: name,
            architecture,
            flags,
            limitMs: options.limitMs ?? 600_000,
          });
        },
      });
      return {
        ...{ backend: 'cuda', hash, path, cached, compileMs: performance.now() - started },
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    });

/** What compilers are told of arithmetic. Division and roots are exact and small numbers stay: what is quicker is not near enough. */
export const cudaFlags = (fastMath: boolean | 'contract'): readonly string[] => [
  fastMath === false ? '-fmad=false' : '-fmad=true',
  ...(fastMath === true ? ['-DFILIGREE_FAST_MATH'] : []),
];

/**
 * The compiler that is asked for, `$FILIGREE_NVCC`, nvcc on PATH, else the library NVRTC (`$FILIGREE_NVRTC`). Error: `toolchain/missing` where
 * there is none of them.
 */
export const cudaCompiler = async (asked: string | undefined): Promise<CudaCompiler> => {
  const { env } = process;
  if (asked !== undefined) return nvcc(asked, 'the compiler option');
  if (env['FILIGREE_NVCC']) return nvcc(env['FILIGREE_NVCC'], 'FILIGREE_NVCC');
  if (await locate('nvcc', env['PATH'] ?? '')) return nvcc('nvcc', 'PATH');
  return (
    (await nvrtc(env['FILIGREE_NVRTC'])) ??
    fail('toolchain/missing', 'there is neither nvcc nor the library NVRTC on this machine', {
      remedy: 'install the CUDA toolkit (or: pip install nvidia-cuda-nvrtc), and set FILIGREE_NVCC or FILIGREE_NVRTC',
    })
  );
};

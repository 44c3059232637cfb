import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { cachedFile, contentHash, hasCompiled, locate, runProcess } from '@filigree/backend/native';
import { sourceText } from '@filigree/backend/gpu';
import { compileSpec } from '@filigree/backend/options';
import { type Diagnostics, attempt, checkOptions, fail } from '@filigree/ir';
import { hipLanguage } from '../emit/language.js';

/**
 * Compiles `kernels.hip` by hipcc to code of an architecture, or finds it in the cache. Errors: `toolchain/missing`,
 * `toolchain/unusable`, `hip/sources`, `hip/compile`, `hip/timeout`, `cache/…`.
 *
 * @param architecture `gfx90a` and the like, `native` for the device of this machine
 */
export const compileHip =
  (architecture: string) =>
  (sources: Sources, given?: CompileOptions): TaskEither<Diagnostics, Artifact> =>
    attempt(async () => {
      const options = checkOptions('compile', given, compileSpec);
      const started = performance.now();
      const { file } = hipLanguage;
      const text = sourceText(hipLanguage, sources);
      const compiler = await hipCompiler(options.compiler);
      const flags = [
        '--genco',
        `--offload-arch=${architecture}`,
        '-O3',
        ...arithmeticFlags(options.fastMath ?? true),
        ...(options.flags ?? []),
      ];
      const hash = contentHash('hip', text, compiler.version, ...flags);
      const limitMs = options.limitMs ?? 600_000;
      const { path, cached, warnings } = await cachedFile({
        cache: options.cache,
        key: hash,
        file: 'kernels.hsaco',
        build: async (into) => {
          const folder = dirname(into);
          await writeFile(join(folder, file), text);
          const done = await runProcess(compiler.path, [...flags, '-x', 'hip', file, '-o', into], {
            cwd: folder,
            env: { HIP_PLATFORM: 'amd', ...process.env, TMPDIR: folder },
            limitMs,
          });
          hasCompiled(done, { space: 'hip', path: compiler.path, limitMs });
        },
      });
      return {
        ...{ backend: 'hip', hash, path, cached, compileMs: performance.now() - started },
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    });

const arithmeticFlags = (fastMath: boolean | 'contract'): readonly string[] => [
  fastMath === false ? '-ffp-contract=off' : '-ffp-contract=fast',
  ...(fastMath === true ? ['-DFILIGREE_FAST_MATH'] : []),
];

/** hipcc and its version: the one that is asked for, `$FILIGREE_HIPCC`, or that on PATH. Errors: `toolchain/missing`, `toolchain/unusable`. */
export const hipCompiler = async (
  asked: string | undefined,
): Promise<{ readonly path: string; readonly version: string }> => {
  const { env } = process;
  const command = asked ?? env['FILIGREE_HIPCC'] ?? 'hipcc';
  const path =
    (await locate(command, env['PATH'] ?? '')) ??
    fail(
      asked === undefined && !env['FILIGREE_HIPCC'] ? 'toolchain/missing' : 'toolchain/unusable',
      `${command} does not exist or cannot be run`,
      { remedy: 'install ROCm (Debian, Ubuntu: apt install hipcc), or set FILIGREE_HIPCC to a working hipcc' },
    );
  const done = await runProcess(path, ['--version'], {
    env: { HIP_PLATFORM: 'amd', ...env },
    limitMs: 20_000,
  });
  const version = /HIP version: (\S+)/.exec(done.stdout)?.[1];
  return version === undefined
    ? fail('toolchain/unusable', `${path} does not say what version of HIP it is`, {
        remedy: 'set FILIGREE_HIPCC to a working hipcc',
      })
    : { path, version: `hipcc ${version}` };
};

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { cachedFile, contentHash, firstLines, locate, runProcess } from '@filigree/backend/native';
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
      const text = sources.files.find((f) => f.name === file)?.contents;
      if (typeof text !== 'string')
        return fail('hip/sources', `these sources of backend '${sources.backend}' have no ${file}`, {
          remedy: "pass what this backend's emit made",
        });
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
          if (done.timedOut)
            fail('hip/timeout', `${compiler.path} did not finish within ${limitMs / 1000} s and was stopped`, {
              remedy: 'compile a smaller program',
            });
          if (done.status !== 0)
            fail(
              'hip/compile',
              `${compiler.path} failed with ${done.failure ?? done.signal ?? `status ${done.status}`}:\n${firstLines(done.stderr)}`,
              {
                remedy:
                  'if the flags are yours, check them; otherwise this is a defect of the emitter: please report it with the sources',
              },
            );
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

import { hasCompiled, locate, runProcess } from '@filigree/backend/native';
import { fail } from '@filigree/ir';

/** What makes a library for a device of text. */
export interface MetalCompiler {
  /** Its name and version, for people and for cache keys. */
  readonly version: string;
  readonly compile: (request: MetalRequest) => Promise<void>;
}

/** A file to be compiled. */
export interface MetalRequest {
  readonly source: string;
  readonly into: string;
  readonly flags: readonly string[];
  readonly limitMs: number;
}

/**
 * The compiler that is asked for, that of `$FILIGREE_METAL`, else what `xcrun` knows as `metal`, which comes with Xcode. Undefined where there is
 * none: macOS has one of its own for text. Error: `toolchain/unusable` where what is asked for does not answer.
 */
export const metalCompiler = async (asked?: string): Promise<MetalCompiler | undefined> => {
  const { env } = process;
  const named = asked ?? (env['FILIGREE_METAL'] || undefined);
  if (named !== undefined) {
    const source = asked === undefined ? 'FILIGREE_METAL' : 'the compiler option';
    return (
      (await compilerAt(await locate(named, env['PATH'] ?? ''))) ??
      fail('toolchain/unusable', `${source} names '${named}', which is no compiler of Metal that can be run`, {
        remedy: 'name a working one, or none: macOS compiles text itself',
      })
    );
  }
  const xcrun = await locate('xcrun', env['PATH'] ?? '');
  if (xcrun === undefined) return undefined;
  const { status, stdout } = await runProcess(xcrun, ['-sdk', 'macosx', '-f', 'metal'], { limitMs: 20_000 });
  return status === 0 ? compilerAt(stdout.trim()) : undefined;
};

const compilerAt = async (path: string | undefined): Promise<MetalCompiler | undefined> => {
  if (path === undefined) return undefined;
  const asked = await runProcess(path, ['--version'], { limitMs: 20_000 });
  if (asked.status !== 0) return undefined;
  return {
    version: asked.stdout.split('\n')[0]!.trim(),
    compile: async ({ source, into, flags, limitMs }) => {
      const done = await runProcess(path, [...flags, source, '-o', into], { limitMs });
      hasCompiled(done, { space: 'metal', path, limitMs });
    },
  };
};

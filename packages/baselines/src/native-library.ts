import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cachedFile, contentHash, firstLines, runProcess, type Toolchain } from '@filigree/backend/native';
import { fail } from '@filigree/ir';

export interface NativeSource {
  /** C++ that exports its entry points as C. */
  readonly text: string;
  /** Flags of the compiler; `-fPIC`, hidden symbols and no warnings come by themselves. */
  readonly flags: readonly string[];
  /** Flags of the linker, after those of the toolchain. */
  readonly link?: readonly string[];
  /** What the library depends on besides, such as the release of headers. */
  readonly key?: readonly string[];
}

/**
 * A baseline as a shared library, from the cache or newly compiled: its path, or what the compiler says against it. It is
 * linked without `-ffast-math`, for which gcc adds start-up code that turns off subnormals in the whole process.
 */
export const nativeLibrary = async (
  { path: compiler, args, version, cpu }: Toolchain,
  { text, flags, link = [], key = [] }: NativeSource,
  cache: string | false | undefined,
): Promise<{ readonly path: string } | { readonly failure: string }> => {
  let failure = '';
  const step = async (...rest: string[]): Promise<void> => {
    const done = await runProcess(compiler, [...args, ...rest]);
    if (done.status === 0) return;
    failure = firstLines(done.stderr, 3) || done.failure || `it ended by ${done.signal ?? `status ${done.status}`}`;
    fail('baseline/compile', failure);
  };
  try {
    return await cachedFile({
      cache,
      key: contentHash('baseline', text, version, cpu, ...args, ...flags, ...link, ...key),
      file: 'baseline.so',
      build: async (file) => {
        const [source, object] = [join(dirname(file), 'baseline.cpp'), join(dirname(file), 'baseline.o')];
        await writeFile(source, text);
        await step(...flags, '-fPIC', '-fvisibility=hidden', '-w', '-c', source, '-o', object);
        await step('-shared', object, '-o', file, ...link);
      },
    });
  } catch (e) {
    if (failure !== '') return { failure };
    throw e;
  }
};

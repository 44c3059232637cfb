import { findToolchain, runProcess } from '@filigree/backend/native';
import { existsSync } from 'node:fs';

/** What is set of the environment of a process, for the library of the address sanitizer to be loaded before all else. */
export type SanitizerFirst = Readonly<Record<'LD_PRELOAD' | 'ASAN_OPTIONS' | 'UBSAN_OPTIONS', string>>;

/**
 * The environment in which kernels that are compiled with sanitizers run, by a process that is not: the library must come first. Undefined where
 * the compiler is not GCC, or has no such library.
 */
export const sanitizerFirst = async (): Promise<SanitizerFirst | undefined> => {
  const toolchain = await findToolchain()();
  if (toolchain._tag === 'Left' || toolchain.right.family !== 'gcc') return undefined;
  const { path, args } = toolchain.right;
  const said = await runProcess(path, [...args, '-print-file-name=libasan.so']);
  const library = said.stdout.trim();
  return existsSync(library)
    ? {
        LD_PRELOAD: library,
        /* What a process that is no test of leaks leaves behind is not looked for. */
        ASAN_OPTIONS: 'detect_leaks=0',
        UBSAN_OPTIONS: 'print_stacktrace=1',
      }
    : undefined;
};

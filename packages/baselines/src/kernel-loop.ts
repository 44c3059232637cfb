import { compilerFlags } from '@filigree/backend-cpp';
import type { Baseline, Repeated } from './baseline.js';
import type { Slab } from './slab.js';

/** A kernel of the C++ backend, and the memory that it works on. */
export interface KernelLoopProblem extends Slab {
  /** The text that the backend wrote, and what the kernel is called in it. */
  readonly text: string;
  readonly kernel: string;
  /** The kernel's parameters. */
  readonly scalars: readonly number[];
  readonly fastMath: boolean;
}

/**
 * The kernel that is measured, behind the same loop of calls as the baselines: calls from JavaScript cost as much as small
 * kernels do.
 */
export const kernelLoop: Baseline<KernelLoopProblem, Repeated> = {
  name: 'kernel',
  called: 'the kernel in a loop',
  source: ({ text, kernel, scalars, fastMath }, toolchain) =>
    Promise.resolve({
      text: [
        text,
        'extern "C" __attribute__((visibility("default"))) void baseline_run(char* slab, const long long* offsets, int times) {',
        '  for (int time = 0; time < times; ++time) {',
        `    filigree_kernel_${kernel}(slab, offsets, 1${scalars.map((s) => `, ${s}`).join('')});`,
        '    __asm__ volatile("" ::: "memory");',
        '  }',
        '}',
        '',
      ].join('\n'),
      flags: compilerFlags(toolchain, fastMath).filter((f) => f !== '-shared'),
      link: ['-lm', ...(toolchain.openmp ? ['-fopenmp'] : []), '-Wl,-z,nodelete'],
    }),
  open: async (path, { slab, offsets }) => {
    const { default: koffi } = await import('koffi');
    const library = koffi.load(path);
    const run = library.func('void baseline_run(void *slab, void *offsets, int times)');
    const places = BigInt64Array.from(offsets, BigInt);
    return {
      run: (times) => {
        run(slab, places, times);
      },
      close: () => library.unload(),
    };
  },
};

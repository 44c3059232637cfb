import * as E from 'fp-ts/lib/Either.js';
import { findToolchain, layoutSlab } from '@filigree/backend';
import { compilerFlags } from '@filigree/backend-cpp';
import { identifiersOf } from '@filigree/tensor/einsum';
import type { TensorProgram } from '../../api/tensors/program.js';
import type { EinsumBaseline } from './einsum-baseline.js';
import { nativeLibrary } from '../native-library.js';

/**
 * The kernel of a program of the C++ backend, on the program's memory, behind the same loop of calls as the baselines: calls
 * from JavaScript cost as much as small kernels do. `undefined` for programs of other backends.
 */
export const nativeKernel = async (
  program: TensorProgram,
  name: string,
  scalars: Readonly<Record<string, number>>,
  fastMath: boolean,
  cache: string | false | undefined,
): Promise<EinsumBaseline | undefined> => {
  const text = program.sources.files.find((f) => f.name === 'kernels.cpp')?.contents;
  const toolchain = await findToolchain()();
  if (typeof text !== 'string' || E.isLeft(toolchain)) return undefined;
  const { plan } = program.kernels[name]!;
  const values = plan.scalars.map((s) => `, ${scalars[s]!}`).join('');
  const source = [
    text,
    'extern "C" __attribute__((visibility("default"))) void baseline_run(char* slab, const long long* offsets, int times) {',
    '  for (int time = 0; time < times; ++time) {',
    `    filigree_kernel_${identifiersOf([name]).get(name)!}(slab, offsets, 1${values});`,
    '    __asm__ volatile("" ::: "memory");',
    '  }',
    '}',
    '',
  ].join('\n');
  const library = await nativeLibrary(
    toolchain.right,
    {
      text: source,
      flags: compilerFlags(toolchain.right, fastMath).filter((f) => f !== '-shared'),
      link: ['-lm', ...(toolchain.right.openmp ? ['-fopenmp'] : []), '-Wl,-z,nodelete'],
    },
    cache,
  );
  if (!('path' in library)) return undefined;
  const { default: koffi } = await import('koffi');
  const opened = koffi.load(library.path);
  const run = opened.func('void baseline_run(void *slab, void *offsets, int times)');
  const { offsets, bytes } = layoutSlab(program.module);
  const [first] = plan.tensors;
  const { data } = program.tensors[first!.tensor.name]!;
  const buffer = program.module.buffers.findIndex(
    (b) => b.name === identifiersOf([first!.tensor.name]).get(first!.tensor.name),
  );
  const slab = new Uint8Array(data.buffer, data.byteOffset - offsets[buffer]!, bytes);
  const places = BigInt64Array.from(offsets, BigInt);
  return {
    run: (times) => {
      run(slab, places, times);
    },
    close: () => opened.unload(),
  };
};

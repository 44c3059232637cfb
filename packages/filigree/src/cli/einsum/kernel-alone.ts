import type { KernelLoopProblem } from '@filigree/baselines';
import { identifiersOf } from '@filigree/tensor/einsum';
import type { TensorProgram } from '../../api/tensors/program.js';
import { slabOf } from '../slab-of.js';

/** A kernel of a program of the C++ backend, to be run on the program's memory; `undefined` for programs of other backends. */
export const kernelAlone = (
  program: TensorProgram,
  name: string,
  scalars: Readonly<Record<string, number>>,
  fastMath: boolean,
): KernelLoopProblem | undefined => {
  const text = program.sources.files.find((f) => f.name === 'kernels.cpp')?.contents;
  if (typeof text !== 'string') return undefined;
  const { plan } = program.kernels[name]!;
  const [first] = plan.tensors;
  const tensor = first!.tensor.name;
  const buffer = identifiersOf([tensor]).get(tensor)!;
  return {
    text,
    kernel: identifiersOf([name]).get(name)!,
    scalars: plan.scalars.map((s) => scalars[s]!),
    fastMath,
    ...slabOf(program.module, buffer, program.tensors[tensor]!.data),
  };
};

import type * as E from 'fp-ts/lib/Either.js';
import { emitHelpers, emitKernel, kernelNames, type CFamilyDialect } from '@filigree/backend';
import { pass, walk, type Diagnostics, type Kernel, type Module } from '@filigree/ir';
import { cppDialect } from './dialect.js';
import { preambleOf } from './emit-module.js';

/** Kernels as functions of one C++ file, for programs that keep their buffers themselves. */
export interface CppFunctions {
  /** Everything that the functions need, and the functions themselves, all local to the file. */
  readonly text: string;
  /** How each kernel is called, in the order of the module. */
  readonly kernels: readonly CppFunction[];
}

/** A kernel as a C++ function. */
export interface CppFunction {
  readonly name: string;
  /** Buffers by name: the first arguments, as pointers that do not overlap. */
  readonly buffers: readonly string[];
  /** Then `int threads`, where the kernel has parallel loops. */
  readonly takesThreads: boolean;
  /** Then `int* status`, which is left alone unless the kernel traps. */
  readonly takesStatus: boolean;
  /** Then those of the kernel's parameters that it uses, by their numbers. */
  readonly params: readonly number[];
}

/** The functions of a module that `legalize` has passed, without entry points, slab or tables. */
export const emitFunctions = (
  module: Module,
  language: CFamilyDialect = cppDialect,
): E.Either<Diagnostics, CppFunctions> =>
  pass('cpp-emit-functions', (legal: Module): CppFunctions => {
    const kernels = kernelNames(legal).map((name, k) => {
      const kernel = legal.kernels[k]!;
      const params = usedParams(kernel);
      const taking = { ...kernel, params: params.map((n) => kernel.params[n]!) };
      return { ...emitKernel(legal, taking, name, language), params };
    });
    const helpers = new Set(kernels.flatMap((k) => [...k.helpers]));
    return {
      text: [preambleOf(language), emitHelpers(helpers, language), '', ...kernels.map((k) => k.text)].join('\n'),
      kernels: kernels.map(({ name, buffers, takesThreads, takesStatus, params }) => ({
        name,
        buffers: buffers.map((b) => b.name),
        takesThreads,
        takesStatus,
        params,
      })),
    };
  }).run(module);

/* Compilers warn of a parameter that a function of a file's own does not use. */
const usedParams = ({ params, body }: Kernel): readonly number[] => {
  const used = new Set<number>();
  walk(body, (op) => op.operands.forEach((v) => used.add(v.id)));
  return [...params.keys()].filter((n) => used.has(params[n]!.id));
};

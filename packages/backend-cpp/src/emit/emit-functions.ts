import type * as E from 'fp-ts/lib/Either.js';
import { emitHelpers, emitKernel, kernelNames, type CFamilyDialect } from '@filigree/backend';
import { pass, type Diagnostics, type Module } from '@filigree/ir';
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
  /** Then `int* status`, which is left alone unless the kernel traps; then the kernel's parameters. */
  readonly takesStatus: boolean;
}

/** The functions of a module that `legalize` has passed, without entry points, slab or tables. */
export const emitFunctions = (
  module: Module,
  language: CFamilyDialect = cppDialect,
): E.Either<Diagnostics, CppFunctions> =>
  pass('cpp-emit-functions', (legal: Module): CppFunctions => {
    const kernels = kernelNames(legal).map((name, k) => emitKernel(legal, legal.kernels[k]!, name, language));
    const helpers = new Set(kernels.flatMap((k) => [...k.helpers]));
    return {
      text: [preambleOf(language), emitHelpers(helpers, language), '', ...kernels.map((k) => k.text)].join('\n'),
      kernels: kernels.map(({ name, buffers, takesThreads, takesStatus }) => ({
        name,
        buffers: buffers.map((b) => b.name),
        takesThreads,
        takesStatus,
      })),
    };
  }).run(module);

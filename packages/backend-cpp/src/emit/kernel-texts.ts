import { type CFamilyDialect, type EmitOptions, type EmittedKernel, emitKernel } from '@filigree/backend';
import type { Buffer, Kernel, Module } from '@filigree/ir';

/** The text of a kernel of a module under this name. */
export type KernelTexts = (module: Module, kernel: Kernel, name: string) => EmittedKernel;

/** Writes kernels, each once: a kernel is written by itself to be compiled ahead, and then among others. */
export const kernelTexts = (dialect: CFamilyDialect, options: EmitOptions): KernelTexts => {
  const known = new WeakMap<Kernel, { readonly buffers: readonly Buffer[]; readonly emitted: EmittedKernel }>();
  return (module, kernel, name) => {
    const before = known.get(kernel);
    if (before?.emitted.name === name) {
      const here = new Set(module.buffers);
      if (before.buffers.every((b) => here.has(b))) return before.emitted;
    }
    const emitted = emitKernel(module, kernel, name, dialect, options);
    known.set(kernel, { buffers: module.buffers, emitted });
    return emitted;
  };
};

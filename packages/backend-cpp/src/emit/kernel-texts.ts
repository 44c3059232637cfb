import { type CFamilyDialect, type EmitOptions, type EmittedKernel, emitKernel, literal } from '@filigree/backend';
import { type Buffer, type Kernel, type Module, type Op, scalarOf } from '@filigree/ir';
import { withoutNumbers } from '@filigree/opt';

/** The text of a kernel, which several may share, and what this one hands to its last parameters, as text. */
export interface KernelText {
  readonly emitted: EmittedKernel;
  readonly numbers: readonly string[];
}

/** The texts of the kernels of a module under these names. */
export type KernelTexts = (module: Module, names: readonly string[]) => readonly KernelText[];

/**
 * Writes kernels, each once: a kernel is written by itself to be compiled ahead, and then among others. Those that `withNumbers` made of one are
 * written once, with the numbers as parameters and by the name of the first.
 */
export const kernelTexts = (dialect: CFamilyDialect, options: EmitOptions): KernelTexts => {
  const known = new WeakMap<Op, Written[]>();
  const textOf = (module: Module, kernel: Kernel, name: string): EmittedKernel => {
    const { ops } = kernel.body;
    const here = new Set(module.buffers);
    const all = known.get(ops[0]!) ?? [];
    const before = all.find(
      (w) => w.emitted.name === name && isSame(w.ops, ops) && w.buffers.every((b) => here.has(b)),
    );
    if (before) return before.emitted;
    const emitted = emitKernel(module, kernel, name, dialect, options);
    known.set(ops[0]!, [{ ops, buffers: module.buffers, emitted }, ...all.filter((w) => w.emitted.name !== name)]);
    return emitted;
  };
  return (module, names) => {
    const open: { readonly ops: readonly Op[]; readonly emitted: EmittedKernel }[] = [];
    return module.kernels.map((given, k) => {
      const { kernel, numbers: values } = withoutNumbers(given);
      const { ops } = kernel.body;
      const last = kernel.params.slice(given.params.length);
      const numbers = values.map((value, n) => literal(value, scalarOf(last[n]!.type), dialect.tokens).text);
      const like = numbers.length > 0 ? open.find((o) => isSame(o.ops, ops)) : undefined;
      if (like) return { emitted: like.emitted, numbers };
      const emitted = textOf(module, kernel, names[k]!);
      if (numbers.length > 0) open.push({ ops, emitted });
      return { emitted, numbers };
    });
  };
};

interface Written {
  readonly ops: readonly Op[];
  readonly buffers: readonly Buffer[];
  readonly emitted: EmittedKernel;
}

const isSame = (a: readonly Op[], b: readonly Op[]): boolean =>
  a.length === b.length && a.every((op, k) => op === b[k]);

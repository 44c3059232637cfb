import * as E from 'fp-ts/lib/Either.js';
import type { Backend, CompileOptions } from '@filigree/backend';
import { walk, type Buffer, type Diagnostics, type Kernel, type Module } from '@filigree/ir';
import { alikeKernels, withNumbers } from '@filigree/opt';
import type { FieldPasses } from './field-passes.js';

/**
 * Lowers the kernels of a module one by one, and lets the backend begin with each while the next is lowered: the longest
 * first, since the last one to be compiled is waited for. For passes that do the same to a kernel whatever others there are. Of kernels that differ in numbers alone when they are on memory, one is optimised
 * and written (`alikeKernels`).
 */
export const lowerAhead = async (
  module: Module,
  passes: FieldPasses,
  backend: Backend,
  options: CompileOptions,
): Promise<E.Either<Diagnostics, Module>> => {
  const steps = oneByOne(module, passes, backend);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await beginWith(step.value, backend, options);
  }
};

/** The same module without a compiler that begins. */
export const lowerAgain = (module: Module, passes: FieldPasses, backend: Backend): E.Either<Diagnostics, Module> => {
  const steps = oneByOne(module, passes, backend);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** Gives what is lowered and legal of some kernels when that is so, and at the end all of them. */
const oneByOne = function* (
  module: Module,
  passes: FieldPasses,
  backend: Backend,
): Generator<Module, E.Either<Diagnostics, Module>> {
  const { watch } = backend;
  if (!backend.ahead || module.kernels.length < 2) return passes.run(module, watch);
  const [onFields, onMemory] = passes.parts;
  const done = new Map<Kernel, Kernel>();
  /* What one kernel declared, and the places that were numbered in it, the next one finds. */
  let around: Module = { ...module, buffers: keptBetween(module) };
  for (const kernels of longestFirst(module.kernels)) {
    const lowered: Kernel[] = [];
    for (const kernel of kernels) {
      const next = onFields.run(
        { ...around, ...(module.layout && { layout: module.layout }), kernels: [kernel] },
        watch,
      );
      /* Faults are reported in the order of the program, as those of the whole are. */
      if (E.isLeft(next)) return passes.run(module, watch);
      around = next.right;
      lowered.push(around.kernels[0]);
    }
    for (const { members, kernel, numbers } of alikeKernels(lowered)) {
      const made = onMemory.run({ ...around, kernels: [kernel] }, watch);
      if (E.isLeft(made)) return passes.run(module, watch);
      const legal = backend.legalize.run(made.right);
      around = E.isRight(legal) ? legal.right : made.right;
      const [one] = around.kernels;
      const all = members.map((m, k) => withNumbers(one, lowered[m].name, numbers[k]));
      /* Each is legal, as all of them together are. */
      const each = members.length > 1 && E.isRight(legal) ? backend.legalize.run({ ...around, kernels: all }) : legal;
      const own = members.length === 1 ? [one] : E.isRight(each) ? each.right.kernels : all;
      members.forEach((m, k) => done.set(kernels[m], own[k]));
      if (E.isRight(each)) yield { ...around, kernels: own };
    }
  }
  const roles = new Map(module.buffers.map((b) => [b.name, b.role]));
  const buffers = around.buffers.map((b) => ({ ...b, role: roles.get(b.name) ?? b.role }));
  return E.right({ ...around, buffers, kernels: module.kernels.map((k) => done.get(k)!) });
};

/** The buffers of a module, those of several kernels as such that outlive each: an adjoint has the sums of its kernel, which this alone may not need. */
const keptBetween = ({ buffers, kernels }: Module): readonly Buffer[] => {
  const users = new Map<unknown, Set<Kernel>>();
  for (const kernel of kernels)
    walk(kernel.body, ({ attrs }) => {
      const name = typeof attrs.buffer === 'string' ? attrs.buffer.replace(/^@/, '') : undefined;
      if (name !== undefined) users.set(name, (users.get(name) ?? new Set()).add(kernel));
    });
  return buffers.map((b) => (b.role === 'temp' && (users.get(b.name)?.size ?? 0) > 1 ? { ...b, role: 'inout' } : b));
};

/** Sources that cannot be made are refused when those of the whole are. */
const beginWith = async (module: Module, backend: Backend, options: CompileOptions): Promise<void> => {
  const sources = backend.emit.run(module);
  if (E.isRight(sources)) await backend.ahead?.(sources.right, options);
};

/** Kernels of one sequence of ops together, which may be alike when they are lowered. */
const longestFirst = (kernels: readonly Kernel[]): readonly (readonly Kernel[])[] => {
  const groups = new Map<string, { readonly ops: number; readonly kernels: Kernel[] }>();
  for (const kernel of kernels) {
    const names: string[] = [];
    walk(kernel.body, ({ name }) => void names.push(name));
    const key = names.join();
    const group = groups.get(key) ?? { ops: names.length, kernels: [] };
    group.kernels.push(kernel);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.ops - a.ops).map((group) => group.kernels);
};

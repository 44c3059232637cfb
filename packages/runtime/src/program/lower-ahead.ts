import * as E from 'fp-ts/lib/Either.js';
import type { Backend, CompileOptions } from '@filigree/backend';
import { walk, type Diagnostics, type Kernel, type Module, type Pass } from '@filigree/ir';

/**
 * Lowers the kernels of a module one by one, and lets the backend begin with each while the next is lowered: the longest
 * first, since the last one to be compiled is waited for. For passes that do the same to a kernel whatever others there are,
 * on modules of which each `temp` buffer belongs to one kernel.
 */
export const lowerAhead = async (
  module: Module,
  passes: Pass<Module>,
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
export const lowerAgain = (module: Module, passes: Pass<Module>, backend: Backend): E.Either<Diagnostics, Module> => {
  const steps = oneByOne(module, passes, backend);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** Gives what is lowered and legal of each kernel when that is so, and at the end all of them. */
const oneByOne = function* (
  module: Module,
  passes: Pass<Module>,
  backend: Backend,
): Generator<Module, E.Either<Diagnostics, Module>> {
  if (!backend.ahead || module.kernels.length < 2) return passes.run(module, backend.watch);
  const done = new Map<Kernel, Kernel>();
  /* What one kernel declared, and the places that were numbered in it, the next one finds. */
  let around = module;
  for (const kernel of longestFirst(module.kernels)) {
    const lowered = passes.run(
      { ...around, ...(module.layout && { layout: module.layout }), kernels: [kernel] },
      backend.watch,
    );
    /* Faults are reported in the order of the program, as those of the whole are. */
    if (E.isLeft(lowered)) return passes.run(module, backend.watch);
    const legal = backend.legalize.run(lowered.right);
    around = E.isRight(legal) ? legal.right : lowered.right;
    done.set(kernel, around.kernels[0]);
    if (E.isRight(legal)) yield around;
  }
  return E.right({ ...around, kernels: module.kernels.map((k) => done.get(k)!) });
};

/** Sources that cannot be made are refused when those of the whole are. */
const beginWith = async (module: Module, backend: Backend, options: CompileOptions): Promise<void> => {
  const sources = backend.emit.run(module);
  if (E.isRight(sources)) await backend.ahead?.(sources.right, options);
};

const longestFirst = (kernels: readonly Kernel[]): readonly Kernel[] =>
  kernels
    .map((kernel) => {
      let ops = 0;
      walk(kernel.body, () => void ops++);
      return { kernel, ops };
    })
    .sort((a, b) => b.ops - a.ops)
    .map(({ kernel }) => kernel);

import { option, type OptionSpec } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import type * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics, fail } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';
import { opTable } from '../dialects/op-table.js';
import type { Dialect, Scalar } from '../kernel/dialect.js';
import type { Kernel, TypedArray } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { verifyModule } from '../verify/verify.js';
import { scalarArgument } from './arguments.js';
import { type Scratch, compileKernel } from './compile.js';
import { bindBuffers } from './memory.js';
import { hasTeams, watchingRaces } from './races.js';

/** How to run a module in the interpreter. */
export interface InterpretOptions {
  /** Run this kernel only; without it all kernels run in the order of the module. */
  readonly kernel?: string;
  /** Scalar arguments of `kernel`. */
  readonly args?: readonly Scalar[];
  /** How many ops may run before the interpreter gives up with `interpret/steps`; default 10⁹. */
  readonly maxSteps?: number;
  /** Skips verification, for a module that is known to be well-formed. */
  readonly trusted?: boolean;
}

/**
 * Runs a module. This is the meaning of kernel IR, against which every pass and every backend is tested. Execution is
 * serial, one op at a time; the iterations of a parallel loop run in order, and so do those of a loop for a team, where two that race trap.
 *
 * @param buffers the memory by buffer name, mutated in place. Inputs, outputs and inouts must be given; a temp buffer
 * that is missing starts as zeros and is discarded; const buffers come from the module and must not be given.
 * @returns problems of the module (`verify/…`), of the call (`interpret/…`), or of the run: `interpret/trap` names
 * kernel and op. After a trap the buffers hold what was written so far.
 */
export const interpret = (
  module: Module,
  dialects: readonly Dialect[],
  buffers: Readonly<Record<string, TypedArray>>,
  options?: InterpretOptions,
): E.Either<Diagnostics, void> => {
  return orLeft(() => run(module, dialects, buffers, checkOptions('interpret', options, interpretSpec)));
};

const run = (
  module: Module,
  dialects: readonly Dialect[],
  given: Readonly<Record<string, TypedArray>>,
  options: InterpretOptions,
): void => {
  const errors = options.trusted === true ? [] : verifyModule(module, dialects).filter((d) => d.severity === 'error');
  if (errors.length > 0) throw new DiagnosticError(errors);
  const memory = bindBuffers(module, given);
  const table = hasTeams(module) ? watchingRaces(opTable(dialects)) : opTable(dialects);
  const scratch = scratchOf(module);
  const budget = { steps: options.maxSteps ?? 1e9 };
  for (const kernel of chosen(module, options)) {
    const args = argumentsOf(kernel, options.kernel === undefined ? [] : (options.args ?? []));
    compileKernel(kernel, table, memory, scratch, budget)(args);
  }
};

/** Scratch buffers with nothing written yet. */
const scratchOf = (module: Module): Scratch => {
  const clock = { now: 0 };
  const own = module.buffers.filter((b) => b.role === 'scratch');
  return { clock, states: new Map(own.map((b) => [b.name, { clock, written: new Float64Array(b.length) }])) };
};

const chosen = (module: Module, options: InterpretOptions): readonly Kernel[] => {
  if (options.kernel === undefined) {
    if (options.args !== undefined)
      fail('interpret/arguments', 'arguments were given, and no kernel to pass them to', { remedy: 'name the kernel' });
    return module.kernels;
  }
  const found = module.kernels.filter((k) => k.name === options.kernel);
  return found.length > 0
    ? found
    : fail('interpret/unknown-kernel', `module @${module.name} has no kernel @${options.kernel}`, {
        remedy: `use one of ${module.kernels.map((k) => `@${k.name}`).join(', ')}`,
      });
};

const argumentsOf = (kernel: Kernel, args: readonly Scalar[]): readonly Scalar[] =>
  args.length === kernel.params.length
    ? kernel.params.map((p, i) => scalarArgument(kernel, p, args[i]))
    : fail(
        'interpret/arguments',
        `kernel @${kernel.name} takes ${kernel.params.length} arguments, got ${args.length}`,
        {
          remedy: `run it alone, with { kernel: '${kernel.name}', args: […] }`,
        },
      );

const interpretSpec: OptionSpec<InterpretOptions> = {
  kernel: option.text,
  args: option.array('the scalar arguments, as a list'),
  maxSteps: option.number(0),
  trusted: option.truth,
};

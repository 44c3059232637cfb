import { integerRange } from '../dialects/integer.js';
import { fail } from '../diagnostics/diagnostic.js';
import type { Scalar } from './dialect.js';
import type { Kernel } from './op.js';
import { type ScalarType, isFloat } from './type.js';

/**
 * Makes a function that writes the arguments of a launch into an array, starting at position `at`, after checking their
 * number, types and ranges. The check is prepared once for each kernel. Error: `run/arguments`.
 *
 * @param convert what a target makes of a value of a type
 */
export const argumentsInto = (
  kernel: Kernel,
  frame: unknown[],
  at: number,
  convert: (type: ScalarType, value: Scalar) => unknown = (_type, value) => value,
): ((args: readonly Scalar[]) => void) => {
  const types = kernel.params.map((p) => p.type as ScalarType);
  const checks = types.map(argumentProblem);
  const count = types.length;
  return (args) => {
    if (args.length !== count)
      fail('run/arguments', `kernel @${kernel.name} takes ${count} arguments, got ${args.length}`, {
        remedy: 'pass one for each parameter',
      });
    for (let k = 0; k < count; k++) {
      const problem = checks[k](args[k]);
      if (problem !== undefined) refuse(kernel, k, problem, args[k]);
      frame[at + k] = convert(types[k], args[k]);
    }
  };
};

const refuse = (kernel: Kernel, k: number, problem: string, value: Scalar): never => {
  const { type, hint } = kernel.params[k];
  const name = hint ? ` (${hint})` : '';
  return fail('run/arguments', `argument ${k} of kernel @${kernel.name}${name} ${problem}, it is ${String(value)}`, {
    remedy: `pass ${type === 'i1' ? 'true or false' : `a value of type ${String(type)}`}`,
  });
};

/** Says what is wrong with a value as an argument of a type: `must be a whole number`. */
const argumentProblem = (type: ScalarType): ((value: Scalar) => string | undefined) => {
  if (type === 'i1') return (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
  if (isFloat(type)) return (value) => (typeof value === 'number' ? undefined : 'must be a number');
  const [min, max] = integerRange(type);
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isSafeInteger(value)))
      return 'must be a whole number';
    /* A safe integer is compared exactly even with the rounded ends of 64-bit types. */
    const inside = typeof value === 'number' ? value >= least && value <= most : value >= min && value <= max;
    return inside ? undefined : `must be from ${min} to ${max}`;
  };
};

import { type Kernel, type Scalar, type ScalarType, fail, integerRange, isFloat, isWide } from '@filigree/ir';

/** The arguments of a launch as WebAssembly takes them, after a check of number, type and range. Error: `run/arguments`. */
export const wasmArguments = (kernel: Kernel, args: readonly Scalar[]): readonly (number | bigint)[] => {
  if (args.length !== kernel.params.length)
    fail('run/arguments', `kernel @${kernel.name} takes ${kernel.params.length} arguments, got ${args.length}`, {
      remedy: 'pass one for each parameter',
    });
  return kernel.params.map((p, k) => {
    const type = p.type as ScalarType;
    const value = args[k];
    const problem = problemOf(value, type);
    if (problem !== undefined)
      fail('run/arguments', `argument ${k} of kernel @${kernel.name} ${problem}, it is ${String(value)}`, {
        remedy: `pass a value of type ${type}`,
      });
    return isWide(type) ? BigInt(value) : Number(value);
  });
};

const problemOf = (value: Scalar, type: ScalarType): string | undefined => {
  if (type === 'i1') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (isFloat(type)) return typeof value === 'number' ? undefined : 'must be a number';
  if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isSafeInteger(value)))
    return 'must be a whole number';
  const [min, max] = integerRange(type);
  return BigInt(value) < min || BigInt(value) > max ? `must be from ${min} to ${max}` : undefined;
};

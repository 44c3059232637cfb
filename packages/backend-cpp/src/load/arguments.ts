import { type Kernel, type Scalar, type ScalarType, fail, integerRange, isFloat } from '@filigree/ir';

/** The arguments of a launch, checked against the kernel's parameters: number, type and range. Error: `run/arguments`. */
export const checkedArguments = (kernel: Kernel, args: readonly Scalar[]): readonly Scalar[] => {
  if (args.length !== kernel.params.length)
    fail('run/arguments', `kernel @${kernel.name} takes ${kernel.params.length} arguments, got ${args.length}`, {
      remedy: 'pass one for each parameter',
    });
  return kernel.params.map((p, k) => {
    const type = p.type as ScalarType;
    const problem = problemOf(args[k], type);
    return problem === undefined
      ? args[k]
      : fail(
          'run/arguments',
          `argument ${k} of kernel @${kernel.name}${p.hint ? ` (${p.hint})` : ''} ${problem}, it is ${String(args[k])}`,
          {
            remedy: `pass ${type === 'i1' ? 'true or false' : `a value of type ${type}`}`,
          },
        );
  });
};

const problemOf = (value: Scalar, type: ScalarType): string | undefined => {
  if (type === 'i1') return typeof value === 'boolean' ? undefined : 'must be a boolean';
  if (isFloat(type)) return typeof value === 'number' ? undefined : 'must be a number';
  if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isSafeInteger(value)))
    return 'must be a whole number';
  const [min, max] = integerRange(type);
  return BigInt(value) >= min && BigInt(value) <= max ? undefined : `must be from ${min} to ${max}`;
};

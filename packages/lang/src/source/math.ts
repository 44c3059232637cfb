import { binaryFunctions, symbolicMath, unaryFunctions, type BinaryFunction, type UnaryFunction } from '@filigree/ir';

/** A function of the table of scalar operations as programs call it. */
export type FunctionName = UnaryFunction | BinaryFunction;

/**
 * The elementary functions that programs and kernels may call, by name: those of `Math` and those that `Math` does not have, such as
 * `math.rsqrt(x)`, which is 1 / √x. On numbers they are plain functions, in a traced program they take symbols as well, and kernels know each by
 * identity, also one that was taken out of here: `const { rsqrt } = math`.
 */
export const math: Readonly<Record<UnaryFunction, (x: number) => number>> &
  Readonly<Record<BinaryFunction, (x: number, y: number) => number>> = Object.freeze(
  Object.fromEntries([...unaryFunctions, ...binaryFunctions].map((name) => [name, symbolicMath[name]])),
) as never;

/** The name of a function of `math`; undefined of anything else. */
export const functionName = (value: unknown): FunctionName | undefined => names.get(value);

const names: ReadonlyMap<unknown, FunctionName> = new Map(
  (Object.entries(math) as [FunctionName, unknown][]).map(([name, f]) => [f, name]),
);

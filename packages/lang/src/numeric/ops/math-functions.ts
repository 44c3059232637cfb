import { binaryFunctions, unaryFunctions, type BinaryFunction, type UnaryFunction } from '@filigree/ir';

/** Functions of `Math` with one argument that numeric programs may call. */
export type UnaryMath = UnaryFunction & keyof Math;

/** Functions of `Math` with two arguments that numeric programs may call; `min`, `max` and `hypot` take more by folding. */
export type BinaryMath = 'min' | 'max' | (BinaryFunction & keyof Math);

export const unaryMath = unaryFunctions.filter((name): name is UnaryMath => name in Math);

export const binaryMath: readonly BinaryMath[] = [
  'min',
  'max',
  ...binaryFunctions.filter((name): name is BinaryFunction & keyof Math => name in Math),
];

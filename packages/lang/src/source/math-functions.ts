/** Functions of `Math` with one argument that both front ends know. */
export const unaryMath = [
  'abs',
  'sqrt',
  'cbrt',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'exp',
  'expm1',
  'log',
  'log1p',
  'log2',
  'log10',
  'floor',
  'ceil',
  'round',
  'trunc',
  'sign',
] as const;

/** Functions of `Math` with two arguments that both front ends know; `min`, `max` and `hypot` take more by folding. */
export const binaryMath = ['min', 'max', 'hypot', 'atan2', 'pow'] as const;

export type UnaryMath = (typeof unaryMath)[number];

export type BinaryMath = (typeof binaryMath)[number];

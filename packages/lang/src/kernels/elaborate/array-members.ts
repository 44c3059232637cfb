/** The methods of arrays of known length. */
export const arrayMethods = [
  'map',
  'forEach',
  'reduce',
  'reduceRight',
  'entries',
  'some',
  'every',
  'includes',
  'indexOf',
  'findIndex',
  'find',
  'findLast',
  'findLastIndex',
  'lastIndexOf',
  'sort',
  'toSorted',
  'filter',
  'concat',
  'slice',
  'at',
  'flat',
  'flatMap',
  'reverse',
  'toReversed',
  'keys',
  'values',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'join',
] as const;

/** Whether something is called as methods of arrays are. */
export const isArrayMethod = (name: string): name is (typeof arrayMethods)[number] =>
  (arrayMethods as readonly string[]).includes(name);

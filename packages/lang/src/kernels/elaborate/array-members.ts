/** The methods of arrays of known length. */
export const arrayMethods = [
  'map',
  'forEach',
  'reduce',
  'entries',
  'some',
  'every',
  'includes',
  'indexOf',
  'findIndex',
  'filter',
  'concat',
  'slice',
] as const;

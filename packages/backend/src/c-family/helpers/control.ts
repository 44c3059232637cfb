import { statusCodes } from './status-codes.js';

/** Helpers of no type, by name; LOCAL stands for what stands before every helper. */
export const controlHelpers: Readonly<Record<string, readonly string[]>> = {
  trip_count: [
    'LOCAL long long trip_count(long long from, long long to, long long step, int* status) {',
    '  if (step <= 0) {',
    `    __atomic_store_n(status, ${statusCodes.step}, __ATOMIC_RELAXED);`,
    '    return 0;',
    '  }',
    '  if (from >= to) return 0;',
    '  return (long long)(((unsigned long long)to - (unsigned long long)from - 1) / (unsigned long long)step + 1);',
    '}',
  ],
  unknown_zero: [
    'LOCAL long long unknown_zero() {',
    '  long long zero = 0;',
    '  __asm__("" : "+r"(zero));',
    '  return zero;',
    '}',
  ],
  in_bounds: [
    'LOCAL long long in_bounds(long long index, long long length, int* status) {',
    '  if (index >= 0 && index < length) return index;',
    `  __atomic_store_n(status, ${statusCodes.bounds}, __ATOMIC_RELAXED);`,
    '  return 0;',
    '}',
  ],
};

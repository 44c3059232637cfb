/** Ops on floats that vectors do for all lanes as fast as for one. */
export const inRegisters: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.div',
  'arith.neg',
  'math.fma',
  'math.sqrt',
  'math.rsqrt',
  'math.abs',
  'math.floor',
  'math.ceil',
  'math.trunc',
]);

/** Ops that vectors do as fast where lanes are words of 32 bits, floats, or truth values beside them. */
export const onWords: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.neg',
  'arith.min',
  'arith.max',
  'arith.and',
  'arith.or',
  'arith.xor',
  'arith.not',
  'arith.cmp',
  'arith.select',
]);

/** So much arithmetic, at least, makes good what one op costs that is done lane by lane. */
export const ARITHMETIC_PER_LANE_BY_LANE = 16;

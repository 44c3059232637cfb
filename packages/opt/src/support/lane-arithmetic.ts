/** Ops on floats that vectors do with operators alone, for all lanes as fast as for one. */
export const laneArithmetic: readonly string[] = [
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.div',
  'arith.neg',
];

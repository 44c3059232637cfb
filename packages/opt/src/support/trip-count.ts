import type { Op, Scalar, Value } from '@filigree/ir';

/**
 * How often an `scf.for` runs, where that can be told; undefined otherwise. A step that is not known to be positive
 * may trap, so nothing is said about it.
 */
export const tripCount = (op: Op, constantOf: (v: Value) => Scalar | undefined): bigint | undefined => {
  const step = integer(constantOf(op.operands[2]!));
  if (step === undefined || step <= 0n) return undefined;
  if (op.operands[0]!.id === op.operands[1]!.id) return 0n;
  const lb = integer(constantOf(op.operands[0]!));
  const ub = integer(constantOf(op.operands[1]!));
  if (lb === undefined || ub === undefined) return undefined;
  return ub <= lb ? 0n : (ub - lb + step - 1n) / step;
};

const integer = (s: Scalar | undefined): bigint | undefined =>
  s === undefined || typeof s === 'boolean' ? undefined : BigInt(s);

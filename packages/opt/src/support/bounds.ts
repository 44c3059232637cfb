import { bufferName, lanesOf, type Buffers, type Op, type Scalar, type Value } from '@filigree/ir';

/**
 * Whether an op is a load from a constant index inside its buffer, so that it cannot trap. What is not written yet in a
 * scratch buffer must not be read, so those are left out.
 */
export const inBounds = (op: Op, constantOf: (v: Value) => Scalar | undefined, buffers: Buffers): boolean => {
  if (op.name !== 'mem.load') return false;
  const index = constantOf(op.operands[0]!);
  const buffer = buffers.get(bufferName(op));
  if (buffer === undefined || buffer.role === 'scratch' || index === undefined || typeof index === 'boolean')
    return false;
  return index >= 0 && Number(index) + lanesOf(op.results[0]!.type) <= buffer.length;
};

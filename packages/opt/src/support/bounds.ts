import { bufferName, lanesOf, type Buffers, type Op } from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';

/**
 * Whether an op is a load from an index that is known to be inside its buffer, so that it cannot trap. What is not written
 * yet in a scratch buffer must not be read, and a promise holds where the load stands, so those are left out.
 */
export const inBounds = (op: Op, ranges: Ranges, buffers: Buffers): boolean => {
  if (op.name !== 'mem.load' || op.attrs['range'] !== undefined) return false;
  const index = ranges.of(op.operands[0]!);
  const buffer = buffers.get(bufferName(op));
  if (buffer === undefined || buffer.role === 'scratch' || index === undefined) return false;
  return index.lo >= 0 && index.hi + lanesOf(op.results[0]!.type) <= buffer.length;
};

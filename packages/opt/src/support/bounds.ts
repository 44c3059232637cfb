import type { Buffers, Op } from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';
import { accessIn, type Facts } from './facts.js';

/**
 * Whether an op is a read from an index that is known to be inside its buffer, so that it cannot trap. What is not written
 * yet in a scratch buffer must not be read, and a promise holds where the read stands, so those are left out.
 */
export const inBounds = (op: Op, facts: Facts, ranges: () => Ranges, buffers: Buffers): boolean => {
  const access = accessIn(op, facts);
  if (access?.kind !== 'read' || access.index.length !== 1 || op.attrs['range'] !== undefined) return false;
  const buffer = buffers.get(access.place);
  if (buffer === undefined || buffer.role === 'scratch') return false;
  const index = ranges().of(access.index[0]!);
  return index !== undefined && index.lo >= 0 && index.hi + access.count <= buffer.length;
};

import type { Op } from '@filigree/ir';
import type { Lane, Lanes } from '../lanes.js';

/** A coordinate that a number is added to. */
export const coordinate = (loop: Lanes, { operands, results }: Op, negative: boolean): Lane | undefined => {
  if (results[0].type !== 'i32') return undefined;
  const [x, y] = operands.map((v) => loop.lane(v));
  if ([x, y].some((lane) => lane.is === 'coordinate' && lane.around !== undefined)) return undefined;
  if (x.is === 'coordinate' && y.is === 'number') return { ...x, plus: x.plus + Number(negative ? -y.n : y.n) };
  if (y.is === 'coordinate' && x.is === 'number' && !negative) return { ...y, plus: y.plus + Number(x.n) };
  if (x.is === 'number' && y.is === 'number')
    return { is: 'number', n: BigInt.asIntN(32, negative ? x.n - y.n : x.n + y.n) };
  return undefined;
};

/** A coordinate behind the last of which the first follows, where what is to be left of it has as many values as there are elements. */
const wrappedCoordinate = (loop: Lanes, lane: Lane, many: bigint): Lane | undefined => {
  if (lane.is !== 'coordinate' || lane.around !== undefined) return undefined;
  const extent = loop.extentOf(lane.axis);
  return extent !== undefined && BigInt(extent) === many
    ? { ...lane, plus: ((lane.plus % extent) + extent) % extent, around: extent }
    : undefined;
};

/** What a division by the number of elements leaves of a coordinate: below zero that is as well, and so is a sum that is too large. */
export const restOfCoordinate = (loop: Lanes, lane: Lane, by: Lane): Lane | undefined =>
  lane.is === 'coordinate' && by.is === 'number' && lane.plus >= 0 && lane.plus + Number(by.n) < 2 ** 31
    ? wrappedCoordinate(loop, lane, by.n)
    : undefined;

/** The lowest bits of a coordinate, `(j + 1) & 63`, which go around also below zero. */
export const bitsOfCoordinate = (loop: Lanes, op: Op): Lane | undefined => {
  const [x, y] = op.operands.map((v) => loop.lane(v));
  const [of, mask] = y.is === 'number' ? [x, y] : [y, x];
  return mask.is === 'number' && mask.n >= 0n && (mask.n & (mask.n + 1n)) === 0n
    ? wrappedCoordinate(loop, of, mask.n + 1n)
    : undefined;
};

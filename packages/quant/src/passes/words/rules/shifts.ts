import { integerRange, type Op } from '@filigree/ir';
import { isInteger, scalarOf, type Lane, type Lanes } from '../lanes.js';
import { planeAt, shifted, within, wrapped } from '../sliced.js';
import type { Rule } from './rule.js';

/** A number shifted by a constant, which takes other planes, or by as many bits as each element says. */
export const shift =
  (kind: 'shl' | 'shr'): Rule =>
  (loop, op) => {
    if (!loop.varying(op)) return undefined;
    const by = amountOf(loop, op);
    if (by === undefined) return moved(loop, op, kind);
    const x = loop.sliced(op.operands[0]);
    const n = BigInt(by);
    if (kind === 'shr') return { is: 'sliced', x: within((k) => planeAt(x, k + by), { lo: x.lo >> n, hi: x.hi >> n }) };
    const bounds = wrapped({ lo: x.lo << n, hi: x.hi << n }, integerRange(scalarOf(op.results[0])));
    return { is: 'sliced', x: within((k) => (k < by ? 0 : planeAt(x, k - by)), bounds) };
  };

/** A number of bits to shift by. */
const amountOf = (loop: Lanes, op: Op): number | undefined => {
  const by = loop.lane(op.operands[1]);
  return by.is === 'number' && by.n >= 0n && by.n < 32n ? Number(by.n) : undefined;
};

/** A number shifted by as many bits as each element says. */
const moved = (loop: Lanes, op: Op, kind: 'shl' | 'shr'): Lane | undefined => {
  if (!op.operands.every(isInteger)) return undefined;
  const [x, by] = op.operands.map((v) => loop.sliced(v));
  return { is: 'sliced', x: shifted(loop.gates, kind, x, by, integerRange(scalarOf(op.results[0]))) };
};

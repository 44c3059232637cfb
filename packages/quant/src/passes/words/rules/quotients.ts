import { integerRange } from '@filigree/ir';
import { isInteger, notInWords, scalarOf } from '../lanes.js';
import { divided, lowest, planeAt, within, wrapped } from '../sliced.js';
import { restOfCoordinate } from './coordinates.js';
import type { Rule } from './rule.js';

/** Bits of a number that is divided by gates: of longer ones elements are divided faster one by one. */
const MOST_DIGITS = 16;

/** A quotient by a constant, or what it leaves. */
export const quotient =
  (part: 'quotient' | 'rest'): Rule =>
  (loop, op) => {
    const [of, by] = op.operands.map((v) => loop.lane(v));
    const around = part === 'rest' ? restOfCoordinate(loop, of, by) : undefined;
    if (around) return around;
    if (!loop.varying(op) || !op.operands.every(isInteger) || by.is !== 'number' || by.n === 0n) return undefined;
    const x = loop.sliced(op.operands[0]);
    const size = by.n < 0n ? -by.n : by.n;
    if (part === 'rest' && (size & (size - 1n)) === 0n) return { is: 'sliced', x: lowest(loop.gates, x, size) };
    if (x.planes.length > MOST_DIGITS) return notInWords(`it divides numbers of more than ${MOST_DIGITS} bits`);
    const made = divided(loop.gates, x, by.n)[part];
    const bounds = wrapped(made, integerRange(scalarOf(op.results[0])));
    return { is: 'sliced', x: within((k) => planeAt(made, k), bounds) };
  };

import type { Op } from '@filigree/ir';
import { isInteger, type Lane, type Lanes } from '../lanes.js';
import type { Gates } from '../planes.js';
import type { Sliced } from '../sliced.js';

/** What an op makes of its operands for all elements of a word; nothing if it is the same for all, or no gates are known for it. */
export type Rule = (loop: Lanes, op: Op) => Lane | undefined;

/** An op on integers that differ between elements, as gates. */
export const onIntegers =
  (rule: (g: Gates, op: Op, ...xs: Sliced[]) => Sliced): Rule =>
  (loop, op) => {
    if (!loop.varying(op) || !op.operands.every(isInteger)) return undefined;
    return { is: 'sliced', x: rule(loop.gates, op, ...op.operands.map((v) => loop.sliced(v))) };
  };

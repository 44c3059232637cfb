import { type Op, type Value, scalarOf } from '@filigree/ir';
import { type Writer, wideName } from '../writer.js';
import { atom, constantNumber, tripCount } from './variables.js';

/**
 * The type in which the iterations of a loop are counted, from 0 on: of 64 bits, and where threads take them in turns as wide as the index, since 64 bits take twice the
 * registers. Besides, where indices are cut out of 64 bits ptxas of CUDA 13.0 takes one constant for several, and kernels read what they should not.
 */
export const countType = ({ shared }: Writer, op: Op): string => {
  const { part, scalar } = shared.dialect;
  const isNarrow = part.stride !== undefined && scalarOf(op.regions[0]!.params[0]!.type) === 'i32';
  return (isNarrow ? scalar.u32 : undefined) ?? wideName(shared);
};

/** How many iterations a loop has, as a `count`: of 64 bits it may be less than 0. */
export const tripsOf = (w: Writer, op: Op, count: string): string => {
  const [lb, ub, step] = op.operands as [Value, Value, Value];
  const [from, by, to] = [lb, step, ub].map((v) => constantNumber(w, v));
  const unit = from === 0 && by === 1;
  const wide = count === wideName(w.shared);
  if (!unit) {
    const counted = tripCount(w, atom(w, lb), atom(w, ub), atom(w, step), by);
    return wide ? counted : `(${count})${counted}`;
  }
  const end = atom(w, ub);
  if (wide) return end;
  return to === undefined ? `(${count})(${end} > 0 ? ${end} : 0)` : String(Math.max(0, to));
};

/** What leads a thread from one iteration to its next, which is `every` further on, or to the end. */
export const onward = (w: Writer, op: Op, count: string, trip: string, every: string, end: string): string => {
  const [from, by] = [op.operands[0]!, op.operands[2]!].map((v) => constantNumber(w, v));
  /* Then they are at most half of what a counter of 32 bits holds, and of threads there are fewer. */
  const fits = by !== undefined && (by >= 2 || (by === 1 && from !== undefined && from >= 0));
  return fits || count === wideName(w.shared)
    ? `${trip} += ${every}`
    : `${trip} = ${end} - ${trip} > ${every} ? ${trip} + ${every} : ${end}`;
};

import { AXIS_NAMES } from '@filigree/ir';
import type { AnyNode } from 'acorn';
import { intervalOf } from '../../code/interval.js';
import { literal, type Interval, type Scalar, type Temp } from '../../code/scalar.js';
import { compute, originOf, type Context } from '../context/context.js';
import type { Bounds } from '../context/term.js';

/** Where a loop begins whose step is known when it runs: at its end, unless the step is positive. */
export const checkedStart = (cx: Context, s: AnyNode, { from, to, step }: Bounds): Scalar => {
  promisePositive(cx, s, step);
  return compute(cx, s, 'select', compute(cx, s, 'gt', step, literal(0)), from, to);
};

/** Debug mode says so where the step of a loop is not positive when it runs. */
export const promisePositive = (cx: Context, s: AnyNode, step: Scalar): void => {
  const to: Temp = { is: 'temp', type: 'i32' };
  const promise = { x: step, base: literal(1), lo: 0, hi: 2 ** 31 - 1, of: 'step' } as const;
  cx.session.emit(originOf(cx, s.type === 'ForOfStatement' ? s.right : s), { do: 'assume', to, ...promise });
};

/** What the variable of a loop from, up to lies in. */
export const loopInterval = (from: Scalar, to: Scalar): Interval | undefined => {
  const [first, end] = [intervalOf(from), intervalOf(to)];
  return first && end ? [first[0], end[1] - 1] : undefined;
};

/** The name of a loop variable, for people. */
export const variableName = (pattern: AnyNode, k: number): string => {
  if (pattern.type === 'Identifier') return k === 0 ? pattern.name : `${pattern.name}_${k}`;
  const part = pattern.type === 'ArrayPattern' ? pattern.elements[k] : undefined;
  return part?.type === 'Identifier' ? part.name : AXIS_NAMES[k];
};

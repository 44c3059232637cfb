import type { AnyNode, BinaryExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import { literal } from '../code/scalar.js';
import type { Context } from './context.js';
import { isNothing, optional } from './optional.js';
import type { Term } from './term.js';

/** `x === undefined`, `x == null` and the like: what of an object is not there is known. */
export const comparedWithNothing = (cx: Context, e: BinaryExpression): Term => {
  const [left, right] = [bare(e.left as AnyNode), bare(e.right)];
  const other = isNothing(cx, right) ? left : right;
  const term = optional(cx, other);
  const isNull = term.is === 'host' && term.value === null;
  const same =
    e.operator.length === 2 || !isNullLiteral(other === left ? right : left) ? term.is === 'nothing' : isNull;
  return literal((same || (e.operator.length === 2 && isNull)) === e.operator.startsWith('='));
};

const isNullLiteral = (e: AnyNode): boolean => e.type === 'Literal' && e.raw === 'null';

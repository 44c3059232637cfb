import type { AnyNode } from 'acorn';
import { bare } from '../../../source/ast.js';
import { apart, originOf, type Context } from '../context/context.js';
import { assignment, update } from './assign.js';
import { condition, reference } from '../expressions/evaluate.js';

/** Evaluates an expression whose value nobody uses. */
export const effect = (cx: Context, node: AnyNode): void => {
  const e = bare(node);
  if (e.type === 'AssignmentExpression') assignment(cx, e, false);
  else if (e.type === 'UpdateExpression') update(cx, e, false);
  else if (e.type === 'SequenceExpression') e.expressions.forEach((x) => effect(cx, x));
  else if (e.type === 'ConditionalExpression') either(cx, e, e.test, e.consequent, e.alternate);
  else if (e.type === 'LogicalExpression' && e.operator === '&&') either(cx, e, e.left, e.right, undefined);
  else if (e.type === 'LogicalExpression' && e.operator === '||') either(cx, e, e.left, undefined, e.right);
  else reference(cx, e);
};

/** As `if` does. */
const either = (cx: Context, e: AnyNode, test: AnyNode, yes: AnyNode | undefined, no: AnyNode | undefined): void => {
  const known = condition(cx, test);
  if (typeof known === 'boolean') {
    const taken = known ? yes : no;
    if (taken) effect(cx, taken);
    return;
  }
  const [then, otherwise] = [yes, no].map((arm) => cx.session.record(() => void (arm && effect(apart(cx), arm))));
  cx.session.emit(originOf(cx, e), { do: 'if', condition: known, then, otherwise });
};

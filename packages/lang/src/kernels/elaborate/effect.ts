import type { AnyNode } from 'acorn';
import { bare } from '../../source/ast.js';
import type { Context } from './context.js';
import { assignment, update } from './assign.js';
import { reference } from './evaluate.js';

/** Evaluates an expression whose value nobody uses. */
export const effect = (cx: Context, node: AnyNode): void => {
  const e = bare(node);
  if (e.type === 'AssignmentExpression') assignment(cx, e, false);
  else if (e.type === 'UpdateExpression') update(cx, e, false);
  else if (e.type === 'SequenceExpression') e.expressions.forEach((x) => effect(cx, x));
  else reference(cx, e);
};

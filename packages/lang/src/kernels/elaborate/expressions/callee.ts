import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import { reference } from './evaluate.js';

/** The function of the surroundings that a callee names, if it does. */
export const hostFunction = (cx: Context, callee: AnyNode): unknown => {
  const term = reference(cx, callee);
  return term.is === 'host' && typeof term.value === 'function' ? term.value : undefined;
};

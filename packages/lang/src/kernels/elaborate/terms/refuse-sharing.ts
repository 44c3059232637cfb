import type { AnyNode } from 'acorn';
import { refuse, type Context } from '../context/context.js';

const reasons = {
  held: [
    'this array or object is held by another name or object too, which would change with it',
    'give that a copy: [...a], { ...o }',
  ],
  written: [
    'in a loop this would be another name for what it is given, and its parts are assigned to',
    'make a copy: [...a], { ...o }',
  ],
  copied: [
    'this changes while something holds a copy of it, since which one is meant there is known only when the kernel runs',
    'give that its index, or a copy that stays: [...a], { ...o }',
  ],
} satisfies Readonly<Record<string, readonly [message: string, remedy: string]>>;

/** Refuses what plain TypeScript would do to an array or object that another sees too. */
export const refuseSharing = (cx: Context, node: AnyNode, why: keyof typeof reasons): never => {
  const [message, remedy] = reasons[why];
  return refuse(cx, node, 'lang/array-alias', message, remedy);
};

import type { AnyNode, Program } from 'acorn';
import { bare, children } from '../../source/ast.js';
import { textOf } from '../../source/function-text.js';
import { standardGlobals } from '../../source/standard-globals.js';

export type AnyFunction = (...args: never[]) => unknown;

/** Objects and lists in each other in which functions are looked for. */
export const MOST_DEEP = 64;

/** A list that is longer is one of functions or objects only if its first item is. */
const MOST_LONG = 64;

/**
 * Functions, and objects of classes, held by a plain object, such as a module or `{ dot, cross }`, or by a list of them or of such objects, by those in each
 * other, or by a Map.
 */
export const membersIn = (value: unknown, around: readonly unknown[] = []): readonly (AnyFunction | object)[] => {
  if (typeof value === 'function') return [value as AnyFunction];
  if (typeof value !== 'object' || value === null || isStandard(value)) return [];
  if (around.length > MOST_DEEP || around.includes(value)) return [];
  if (Array.isArray(value) && value.length > MOST_LONG && membersIn(value[0], [...around, value]).length === 0)
    return [];
  if (classOf(value)) return [value];
  if (value instanceof Map) return [...value.values()].flatMap((v) => membersIn(v, [...around, value]));
  return isPlain(value) ? Object.values(value).flatMap((v) => membersIn(v, [...around, value])) : [];
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype;
};

/** The class of an object, where its author and those of all that it extends wrote them: no list of one's own, which only JavaScript makes. */
export const classOf = (value: object): AnyFunction | undefined => {
  if (isPlain(value)) return undefined;
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown };
  const made = Object.hasOwn(prototype, 'constructor') ? (prototype.constructor as AnyFunction) : undefined;
  return made?.prototype === prototype && isWritten(made) ? made : undefined;
};

const isWritten = (made: AnyFunction): boolean => {
  const parent = parentOf(made);
  return /^class\b/.test(textOf(made)) && (parent === undefined || isWritten(parent));
};

/** The class that a class extends. */
export const parentOf = (made: AnyFunction): AnyFunction | undefined => {
  const parent: unknown = Object.getPrototypeOf(made);
  return typeof parent === 'function' && parent !== Function.prototype ? (parent as AnyFunction) : undefined;
};

/** Whether a class has members that only objects have which it made itself: `#x`. */
export const hasPrivate = (program: Program): boolean => holds(program, 'PrivateIdentifier');

/** Whether a function is an arrow that says `this`, which is then of where it was made. */
export const takesThisAlong = ({ body: [statement] }: Program): boolean =>
  statement?.type === 'ExpressionStatement' &&
  bare(statement.expression).type === 'ArrowFunctionExpression' &&
  holds(statement, 'ThisExpression');

const holds = (node: AnyNode, type: AnyNode['type']): boolean =>
  node.type === type || children(node).some((c) => holds(c, type));

/** Whether something is of the language itself. */
export const isStandard = (value: object): boolean => standardValues().has(value);

let standard: Set<unknown> | undefined;
const standardValues = (): Set<unknown> =>
  (standard ??= new Set(
    [...standardGlobals].map((name) => (globalThis as Record<string, unknown>)[name]).filter((v) => v !== undefined),
  ));

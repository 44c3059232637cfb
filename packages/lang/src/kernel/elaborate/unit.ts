import type { Loc } from '@filigree/ir';
import { bare, isFunction, type FunctionNode } from '../../rewrite/ast.js';
import { functionText, textOf } from '../../symbolic/function-text.js';
import type { Unit } from '../code/origin.js';

type AnyFunction = (...args: never[]) => unknown;

/**
 * The text of a function, parsed; `called` names it where it has no name.
 * Throws `DiagnosticError` as `functionText` does.
 */
export const unitOf = (fn: AnyFunction, scope: Readonly<Record<string, unknown>>, at?: Loc, called?: string): Unit => {
  const text = textOf(fn);
  return {
    name: fn.name,
    text: functionText(fn, at, called),
    scope,
    frames: at ? '\n'.repeat(at.line - 1) + ' '.repeat(at.column - 1) + text : text,
  };
};

/** The function that a unit is the text of; undefined for a class, a getter and the like. */
export const functionOfUnit = (unit: Unit): FunctionNode | undefined => {
  const [statement] = unit.text.parsed.program.body;
  if (statement?.type !== 'ExpressionStatement') return undefined;
  const e = bare(statement.expression);
  if (e.type !== 'ObjectExpression') return isFunction(e) ? e : undefined;
  const [property] = e.properties;
  return property?.type === 'Property' && property.kind === 'init' && isFunction(property.value)
    ? property.value
    : undefined;
};

import type { AnyNode } from 'acorn';
import { bare, mathMember } from '../../source/ast.js';
import type { Binding, Scopes } from '../../source/scope.js';

/** What is known of an expression's value before the program runs. */
export interface Plain {
  /** It is certainly a plain number, so its operators may stay as they are. */
  readonly number: (e: AnyNode) => boolean;
  /** It is certainly a plain truth value. */
  readonly boolean: (e: AnyNode) => boolean;
}

/**
 * Finds expressions that can hold no symbol: literals, loop counters, and arithmetic among them. A variable is a plain
 * number when all it is ever given are plain numbers; found as a greatest fixed point, starting from "all are".
 *
 * @param constants names declared outside the text that are known to be numbers
 */
export const inferPlain = (scopes: Scopes, constants: ReadonlySet<string> = new Set()): Plain => {
  const numbers = new Set<Binding>(
    scopes.bindings.filter((b) => (b.kind === 'let' || b.kind === 'const') && b.values.length > 0),
  );

  const number = (node: AnyNode): boolean => {
    const e = bare(node);
    switch (e.type) {
      case 'Literal':
        return typeof e.value === 'number';
      case 'Identifier': {
        const binding = scopes.bindingOf(e);
        return binding ? numbers.has(binding) : e.name === 'NaN' || e.name === 'Infinity' || constants.has(e.name);
      }
      case 'UnaryExpression':
        return (e.operator === '-' || e.operator === '+' || e.operator === '~') && number(e.argument);
      case 'UpdateExpression':
        return number(e.argument);
      case 'BinaryExpression':
        return arithmetic.has(e.operator) && e.left.type !== 'PrivateIdentifier' && number(e.left) && number(e.right);
      case 'AssignmentExpression':
        return e.operator === '='
          ? number(e.right)
          : arithmetic.has(e.operator.slice(0, -1)) && number(e.left) && number(e.right);
      case 'ConditionalExpression':
        return boolean(e.test) && number(e.consequent) && number(e.alternate);
      case 'MemberExpression':
        return mathConstants.has(mathMember(e, scopes.isGlobal) ?? '');
      case 'CallExpression': {
        const name = mathMember(e.callee, scopes.isGlobal);
        return name !== undefined && name in Math && e.arguments.every((a) => a.type !== 'SpreadElement' && number(a));
      }
      default:
        return false;
    }
  };

  const boolean = (node: AnyNode): boolean => {
    const e = bare(node);
    switch (e.type) {
      case 'Literal':
        return typeof e.value === 'boolean';
      case 'UnaryExpression':
        return e.operator === '!' && (boolean(e.argument) || number(e.argument));
      case 'LogicalExpression':
        return e.operator !== '??' && boolean(e.left) && boolean(e.right);
      case 'BinaryExpression':
        if (e.operator === 'in' || e.operator === 'instanceof') return true;
        if (isEquality(e.operator) && [e.left, e.right].some((side) => neverSymbolic(side, scopes))) return true;
        return comparisons.has(e.operator) && e.left.type !== 'PrivateIdentifier' && number(e.left) && number(e.right);
      default:
        return false;
    }
  };

  for (let changed = true; changed;) {
    changed = false;
    for (const binding of numbers) {
      if (binding.values.every((v) => v === 'step' || (v !== 'unknown' && number(v)))) continue;
      numbers.delete(binding);
      changed = true;
    }
  }
  return { number, boolean };
};

/** Whether comparing a symbol with this is plainly false: a string, null, undefined. */
export const neverSymbolic = (node: AnyNode, scopes: Scopes): boolean => {
  const e = bare(node);
  if (e.type === 'Literal') return typeof e.value === 'string' || (e.value === null && e.raw === 'null');
  if (e.type === 'UnaryExpression') return e.operator === 'typeof' || e.operator === 'void';
  return scopes.isGlobal(e, 'undefined');
};

export const isEquality = (operator: string): boolean =>
  operator === '===' || operator === '!==' || operator === '==' || operator === '!=';

const arithmetic = new Set(['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>']);
const comparisons = new Set(['<', '<=', '>', '>=', '===', '!==', '==', '!=']);
const mathConstants = new Set(['PI', 'E', 'LN2', 'LN10', 'LOG2E', 'LOG10E', 'SQRT2', 'SQRT1_2']);

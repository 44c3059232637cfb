import type { AnyNode } from 'acorn';
import { bare, children, isFunction } from '../../source/ast.js';
import type { Parsed } from '../../source/parse.js';
import type { Scopes } from '../../source/scope.js';
import { isLoop } from './loops.js';

/**
 * Whether a text reads nothing but arguments, what it makes, and names of its surroundings, and changes nothing but arguments and what it makes. Of what it calls there, and of methods
 * that arguments may have of their own, nothing is known. What is not known to be so is taken not to be.
 *
 * @param isKnown whether a name of the surroundings never means anything else
 */
export const readsOnlyArguments = ({ program, scopes }: Parsed, isKnown: (name: string) => boolean): boolean => {
  for (const name of scopes.free.keys()) if (!isKnown(name) && !GLOBALS.has(name)) return false;
  const isHarmless = (node: AnyNode): boolean => isPure(node, scopes) && children(node).every(isHarmless);
  return isHarmless(program);
};

/** Whether a text runs loops, or calls functions of its surroundings. */
export const doesMuch = ({ program }: Parsed): boolean => {
  const does = (node: AnyNode): boolean =>
    isLoop(node) || (node.type === 'CallExpression' && node.callee.type === 'Identifier') || children(node).some(does);
  return does(program);
};

/** Whether a node by itself does nothing but what is said above. */
const isPure = (node: AnyNode, scopes: Scopes): boolean => {
  if (isFunction(node)) return !node.async && !node.generator;
  switch (node.type) {
    case 'CallExpression':
      return isPureCall(bare(node.callee), scopes);
    case 'NewExpression':
      return scopes.isGlobal(node.callee, 'Array');
    case 'MemberExpression': {
      const object = bare(node.object);
      const isName = object.type === 'Identifier' && scopes.bindingOf(object) === undefined;
      return !isName || WITH_MEMBERS.some((name) => scopes.isGlobal(object, name));
    }
    case 'UnaryExpression':
      return node.operator !== 'delete';
    case 'Literal':
      return typeof node.value === 'number' || typeof node.value === 'boolean';
    default:
      return isLoop(node) ? node.type !== 'ForInStatement' : HARMLESS.has(node.type);
  }
};

const isPureCall = (callee: AnyNode, scopes: Scopes): boolean => {
  if (callee.type === 'Identifier' || isFunction(callee)) return true;
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return false;
  const { name } = callee.property;
  return WITH_MEMBERS.some((global) => scopes.isGlobal(callee.object, global)) || METHODS.has(name);
};

/** Globals that mean the same at any time. */
const WITH_MEMBERS = ['Math', 'Number', 'Array'];
const GLOBALS = new Set([...WITH_MEMBERS, 'Boolean', 'NaN', 'Infinity', 'undefined', 'isNaN', 'isFinite']);

/** Methods of arrays that do what they say and no more. */
const METHODS = new Set([
  'at',
  'concat',
  'every',
  'fill',
  'filter',
  'find',
  'findIndex',
  'flat',
  'flatMap',
  'forEach',
  'includes',
  'indexOf',
  'map',
  'pop',
  'push',
  'reduce',
  'reduceRight',
  'reverse',
  'shift',
  'slice',
  'some',
  'splice',
  'unshift',
]);

/** Nodes that do nothing but what stands below them. */
const HARMLESS = new Set([
  'ArrayExpression',
  'ArrayPattern',
  'AssignmentExpression',
  'AssignmentPattern',
  'BinaryExpression',
  'BlockStatement',
  'BreakStatement',
  'ConditionalExpression',
  'ContinueStatement',
  'EmptyStatement',
  'ExpressionStatement',
  'Identifier',
  'IfStatement',
  'LabeledStatement',
  'LogicalExpression',
  'ObjectExpression',
  'ObjectPattern',
  'ParenthesizedExpression',
  'Program',
  'Property',
  'RestElement',
  'ReturnStatement',
  'SequenceExpression',
  'SpreadElement',
  'UpdateExpression',
  'VariableDeclaration',
  'VariableDeclarator',
]);

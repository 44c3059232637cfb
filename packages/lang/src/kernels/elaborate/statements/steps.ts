import type { AnyNode, DoWhileStatement, ForStatement, Identifier, WhileStatement } from 'acorn';
import { children, isFunction } from '../../../source/ast.js';
import { patternNames } from '../../../source/scope.js';
import { literal, type Scalar } from '../../code/scalar.js';
import type { Context } from '../context/context.js';
import { Env } from '../context/env.js';
import { recorded } from '../context/run.js';
import { Refused } from '../context/session.js';
import { isLiteral } from '../context/term.js';
import { condition, value } from '../expressions/evaluate.js';
import { effect } from '../places/effect.js';
import { bindPattern } from '../places/pattern.js';
import { framed } from '../terms/sharing.js';

/**
 * A loop whose condition asks for a number by which a field is chosen, `while (l > 0) smooth(levels[l--])`, as its iterations, one after the other: whether it is one. Where what it
 * asks for is not known, there are too many, or one may end before its end, the next attempt takes the number as any other.
 */
export const writtenOutBySteps = (
  cx: Context,
  s: WhileStatement | DoWhileStatement | ForStatement,
  most: number,
): boolean => {
  const { test } = s;
  const keys = test ? stepsIn(cx, test) : [];
  if (!test || keys.length === 0) return false;
  const unknown = (): never => {
    for (const key of keys) cx.session.stepsNot(key);
    throw new Refused();
  };
  if (mayLeave(s.body)) unknown();
  const anew = s.type === 'ForStatement' ? namesAnew(cx, s) : [];
  let at = withAnew(cx, anew);
  const goesOn = (): boolean => {
    let is: boolean | Scalar = literal(true);
    const code = cx.session.record(() => (is = condition(at, test)));
    if (code.length > 0) unknown();
    return typeof is === 'boolean' ? is : isLiteral(is) ? Boolean((is as { value: unknown }).value) : unknown();
  };
  for (let times = 0; (s.type === 'DoWhileStatement' && times === 0) || goesOn(); times++) {
    if (times === most || cx.session.stepsAnew) unknown();
    framed({ ...at, env: new Env(at.env) }, (inner) => cx.session.append(recorded(inner, s.body)));
    at = withAnew(at, anew);
    if (s.type === 'ForStatement' && s.update) effect(at, s.update);
  }
  return true;
};

/** The names of a loop that functions within it ask for: each iteration has them anew, as the one before left them, and a function that is kept has those of its own. */
const namesAnew = (cx: Context, s: ForStatement): readonly Identifier[] => {
  if (s.init?.type !== 'VariableDeclaration' || s.init.kind === 'var') return [];
  const { bindingOf } = cx.unit.text.parsed.scopes;
  const asks = (node: AnyNode, id: Identifier, inner = false): boolean =>
    inner && node.type === 'Identifier'
      ? bindingOf(node) === bindingOf(id)
      : children(node).some((part) => asks(part, id, inner || isFunction(part)));
  return s.init.declarations.flatMap(({ id }) => patternNames(id)).filter((id) => asks(s, id));
};

const withAnew = (cx: Context, names: readonly Identifier[]): Context => {
  if (names.length === 0) return cx;
  const inner = { ...cx, env: new Env(cx.env) };
  for (const name of names) bindPattern(inner, name, value(cx, name), 'constant');
  return inner;
};

/** The variables of an expression by which fields are chosen, and which hold numbers that are known. */
const stepsIn = (cx: Context, node: AnyNode): readonly string[] => {
  const binding = node.type === 'Identifier' ? cx.unit.text.parsed.scopes.bindingOf(node) : undefined;
  const slot = binding && cx.env.lookup(binding);
  const own = slot?.is === 'alias' && slot.key !== undefined ? [slot.key] : [];
  return [...own, ...children(node).flatMap((part) => stepsIn(cx, part))];
};

/** Whether an iteration may end before its end, or the loop or the function. */
const mayLeave = (node: AnyNode, inner = false): boolean => {
  if (isFunction(node)) return false;
  if (node.type === 'ReturnStatement') return true;
  if (node.type === 'ContinueStatement' || node.type === 'BreakStatement') return !inner || Boolean(node.label);
  return children(node).some((part) => mayLeave(part, inner || LOOPS.has(node.type)));
};

const LOOPS: ReadonlySet<string> = new Set([
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
]);

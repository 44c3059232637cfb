import type { AnyNode, CallExpression } from 'acorn';
import { DiagnosticError } from '@filigree/ir';
import { bare, children, isFunction, type FunctionNode } from '../../rewrite/ast.js';
import { keptOf } from '../../ops/kept.js';
import { inlinedScope } from '../../vocabulary/inline.js';
import { intrinsicOf } from '../intrinsics/intrinsics.js';
import { algebraMethod } from '../intrinsics/algebra.js';
import { leaves } from '../code/code.js';
import type { Unit } from '../code/origin.js';
import { originOf, refuse, unsupported, type Context } from './context.js';
import { Env } from './env.js';
import { reference, value } from './expression.js';
import { itemsOf } from './items.js';
import { loaded, named } from './member.js';
import { isModuleName, isWord, keepName } from './names.js';
import { bindPattern } from './pattern.js';
import { assignSlot, pending, readSlot } from './slots.js';
import { statements } from './statement.js';
import { functionOfUnit, unitOf } from './unit.js';
import { declareVars } from './var-scope.js';
import { nothing, termText, type Closure, type Pending, type Term } from './term.js';

/** A call: a word of the language, a method of a vector, or a function whose body takes the call's place. */
export const call = (cx: Context, e: CallExpression): Term => {
  if (e.optional) return unsupported(cx, e, '`?.`', 'write the call without it');
  const callee = bare(e.callee);
  if (callee.type === 'Super') return unsupported(cx, e, '`super`', 'call the function by its name');
  if (callee.type === 'MemberExpression' && !callee.computed && !isImported(cx, callee.object)) {
    const of = loaded(cx, callee.object, reference(cx, callee.object));
    const name = callee.property.type === 'Identifier' ? callee.property.name : '';
    if (of.is === 'shaped') return algebraMethod(cx, e, of, name, argumentsOf(cx, e));
    return apply(cx, e, named(cx, callee.property, of, name));
  }
  return apply(cx, e, reference(cx, callee));
};

/** The values of a call's arguments; of fields whole rows may be given, elements are read. */
export const argumentsOf = (cx: Context, e: CallExpression): readonly Term[] =>
  e.arguments.flatMap((a) =>
    a.type === 'SpreadElement' ? itemsOf(cx, a.argument, value(cx, a.argument)) : [value(cx, a)],
  );

const isImported = (cx: Context, object: AnyNode): boolean => {
  const id = bare(object);
  return id.type === 'Identifier' && isModuleName(cx, id);
};

const apply = (cx: Context, e: CallExpression, f: Term): Term => {
  if (f.is === 'host' && f.value === keepName) return reference(cx, e.arguments[0]);
  const intrinsic = f.is === 'host' ? intrinsicOf(f.value) : undefined;
  return intrinsic ? intrinsic(cx, e) : callFunction(cx, e, f, argumentsOf(cx, e));
};

/** A function that is kernel code, with these arguments. */
export const callFunction = (cx: Context, e: CallExpression, f: Term, args: readonly Term[]): Term => {
  if (f.is === 'closure') return inline(cx, e, calledAs(e, f), args);
  if (f.is !== 'host' || typeof f.value !== 'function')
    return refuse(cx, e, 'lang/not-a-function', `${termText(f)} is called`, 'call a function');
  return inline(cx, e, hostClosure(cx, e, f.name, f.value as (...args: never[]) => unknown), args);
};

/** A part of the language that is kernel code: problems in it are those of the call. */
export const callWord = (
  cx: Context,
  e: CallExpression,
  word: (...args: never[]) => unknown,
  args: readonly Term[],
): Term => {
  const closure = hostClosure(cx, e, word.name, word);
  cx.session.words.add(closure.unit);
  return inline(cx, e, closure, args);
};

/** A function without a name has the one that it is called by. */
const calledAs = (e: CallExpression, f: Closure): Closure => {
  const callee = bare(e.callee);
  return f.name === 'function' && callee.type === 'Identifier' ? { ...f, name: callee.name } : f;
};

/** A function of the surroundings as one to inline. */
const hostClosure = (cx: Context, e: CallExpression, name: string, fn: (...args: never[]) => unknown): Closure => {
  const word = isWord(fn) || cx.session.words.has(cx.unit);
  const unit = cx.session.units.get(fn) ?? readUnit(cx, e, name, fn, word);
  cx.session.units.set(fn, unit);
  if (word) cx.session.words.add(unit);
  const node =
    functionOfUnit(unit) ??
    refuse(cx, e, 'lang/unsupported-call', `\`${name}\` is no plain function`, 'call a function or an arrow function');
  return { is: 'closure', name: name === '' ? 'function' : name, node, unit, env: new Env() };
};

const readUnit = (
  cx: Context,
  e: CallExpression,
  name: string,
  fn: (...args: never[]) => unknown,
  word: boolean,
): Unit => {
  try {
    const own = inlinedScope(fn);
    const scope = { ...(own ? {} : cx.unit.scope), ...keptOf(fn)?.scope, ...own };
    return unitOf(fn, scope, { near: word ? undefined : cx.unit.files });
  } catch (thrown) {
    if (!(thrown instanceof DiagnosticError)) throw thrown;
    const [d] = thrown.diagnostics;
    if (d.code === 'lang/native-function')
      return refuse(
        cx,
        e,
        'lang/unsupported-call',
        `\`${name}\` has no source text, so that it cannot be part of a kernel`,
        'use what the language offers: Math, casts, vectors; or write the function out',
      );
    return refuse(cx, e, d.code, `\`${name}\`: ${d.message}`, d.remedy ?? 'write it another way');
  }
};

const DEEPEST = 100;

/** Runs the body of a function where it is called. */
const inline = (cx: Context, e: AnyNode, f: Closure, args: readonly Term[]): Term => {
  const call = [f.node, ...args.map(functionIn).filter((g) => g !== undefined)];
  if (cx.calls.some((c) => c.length === call.length && c.every((g, k) => g === call[k])))
    return refuse(cx, e, 'lang/recursion', `\`${f.name}\` calls itself, directly or by others`, 'write a loop');
  if (cx.calls.length > DEEPEST)
    return refuse(cx, e, 'lang/recursion', `calls are nested more than ${DEEPEST} deep`, 'write a loop');
  const inner: Context = {
    ...cx,
    unit: f.unit,
    env: new Env(f.env),
    calls: [...cx.calls, call],
    calledFrom: cx.session.words.has(f.unit) ? originOf(cx, e) : undefined,
  };
  return runBody(inner, e, f.node, args);
};

const functionIn = (arg: Term): unknown =>
  arg.is === 'closure' ? arg.node : arg.is === 'host' && typeof arg.value === 'function' ? arg.value : undefined;

/** Binds the parameters of a function in the context of its body, runs it, and gives what it returns. */
export const runBody = (
  cx: Context,
  at: AnyNode,
  node: FunctionNode,
  args: readonly Term[],
  what: 'constant' | 'argument' = 'constant',
): Term => {
  if (node.async || node.generator)
    return unsupported(cx, node, `${node.async ? 'an async function' : 'a generator'}`, 'make it a plain function');
  node.params.forEach((p, k) => {
    if (p.type === 'RestElement')
      return bindPattern(
        cx,
        p.argument,
        { is: 'list', items: args.slice(k).map((term) => ({ is: 'constant', term, what: 'constant' })) },
        what,
      );
    bindPattern(cx, p, args[k] ?? nothing, what);
  });
  declareVars(cx, node.body);
  if (node.body.type !== 'BlockStatement') return value({ ...cx, exits: noExits }, node.body);

  const { body } = node.body;
  const last = body[body.length - 1];
  if (last?.type === 'ReturnStatement' && returnsIn(node.body).length === 1) {
    const inner = { ...cx, exits: noExits };
    statements(inner, body.slice(0, -1), body);
    return last.argument ? value(inner, last.argument) : nothing;
  }
  if (returnsIn(node.body).length === 0) {
    statements({ ...cx, exits: noExits }, body, body);
    return nothing;
  }
  return withReturns(cx, at, node.body, body);
};

/** A body that returns at several places: what it returns goes through a variable. */
const withReturns = (cx: Context, at: AnyNode, block: AnyNode, body: readonly AnyNode[]): Term => {
  const label = { name: 'returned' };
  const returnsValue = returnsIn(block).some((r) => r.argument);
  const slot: Pending | undefined = returnsValue ? pending(cx, block, 'result') : undefined;
  const inner: Context = { ...cx, exits: { ...noExits, return: { label, value: slot, whole: true } } };
  const problems = cx.session.diagnostics.length;
  const code = cx.session.record(() => statements(inner, body, body));
  if (slot && !leaves(code) && cx.session.diagnostics.length === problems)
    refuse(
      cx,
      at,
      'lang/return',
      'this function does not return a value on every way through it',
      'return a value at its end',
    );
  cx.session.emit(originOf(cx, block), { do: 'block', label, body: code });
  return slot?.slot ? readSlot(cx, at, slot.slot) : nothing;
};

const noExits: Context['exits'] = { loop: undefined, named: new Map(), return: undefined };

type Return = AnyNode & { type: 'ReturnStatement' };

const returns = new WeakMap<AnyNode, readonly Return[]>();

/** The return statements of a body, without those of functions in it. */
const returnsIn = (body: AnyNode): readonly Return[] => {
  const known = returns.get(body);
  if (known) return known;
  const find = (node: AnyNode): readonly Return[] => {
    if (node.type === 'ReturnStatement') return [node];
    return children(node).flatMap((c) => (isFunction(c) ? [] : find(c)));
  };
  const found = find(body);
  returns.set(body, found);
  return found;
};

/** `return value`: the value of the call, and the end of its body. */
export const returnStatement = (cx: Context, s: AnyNode & { type: 'ReturnStatement' }): void => {
  const to = cx.exits.return;
  if (!to) return unsupported(cx, s, '`return` here', 'put it at the end of a function');
  if (s.argument) {
    if (!to.value)
      return refuse(
        cx,
        s,
        'lang/return-in-loop',
        'an iteration of a parallel loop cannot return a value',
        'accumulate into a variable around the loop, and return that after it',
      );
    assignSlot(cx, s, to.value, value(cx, s.argument));
  } else if (to.value) {
    return refuse(
      cx,
      s,
      'lang/return',
      'this function returns a value elsewhere, and here none',
      'return a value everywhere',
    );
  }
  cx.session.emit(originOf(cx, s), { do: 'exit', label: to.label });
};

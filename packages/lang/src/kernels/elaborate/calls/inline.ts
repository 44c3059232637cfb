import { rare } from '#rare';
import type { AnyNode, CallExpression } from 'acorn';
import { DiagnosticError } from '@filigree/ir';
import { bare } from '../../../source/ast.js';
import { keptOf } from '../../../source/kept.js';
import { inlinedScope } from '../../vocabulary/inline.js';
import type { Call, Unit } from '../../code/origin.js';
import { originOf, refuse, type Context } from '../context/context.js';
import { known } from '../expressions/evaluate.js';
import { termText, type Closure, type Term } from '../context/term.js';
import { isWord } from '../terms/names.js';
import { functionOfUnit, unitOf } from '../context/unit.js';
import { Env } from '../context/env.js';
import { runBody } from './body.js';
import { framed, hasItems } from '../terms/sharing.js';

/** A function that is kernel code, with these arguments; `self` is the object of which it is called as a method. */
export const callFunction = (cx: Context, e: CallExpression, f: Term, args: readonly Term[], self?: Term): Term => {
  if (f.is === 'closure') return inline(cx, e, calledAs(e, f), args, self);
  if (f.is === 'one-of' && typeof f.values[0] === 'function') return rare().callOne(cx, e, f, args, self);
  const narrow = f.is === 'mixed' ? rare().narrowed(cx, e, f, 'function') : undefined;
  if (narrow) return callFunction(cx, e, narrow, args, self);
  if (f.is !== 'host' || typeof f.value !== 'function')
    return refuse(cx, e, 'lang/not-a-function', `${termText(f)} is called`, 'call a function');
  /* A word of one parameter that is given on, as in `a.map(Math.abs)`, takes the first argument. */
  const word = f.value.length === 1 ? cx.elaborator.word(f.value) : undefined;
  if (word) return word(cx, { ...e, arguments: args.slice(0, 1).map((term) => known(e, term)) });
  return inline(cx, e, hostClosure(cx, e, f.name, f.value as (...args: never[]) => unknown), args, self);
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
  if (f.name !== 'function') return f;
  const callee = bare(e.callee);
  return callee.type === 'Identifier' ? { ...f, name: callee.name } : f;
};

/** A function of the surroundings as one to inline. */
const hostClosure = (cx: Context, e: CallExpression, name: string, fn: (...args: never[]) => unknown): Closure => {
  const unit = hostUnit(cx, e, name, fn);
  const node =
    functionOfUnit(unit) ??
    refuse(cx, e, 'lang/unsupported-call', `\`${name}\` is no plain function`, 'call a function or an arrow function');
  return { is: 'closure', name: name === '' ? 'function' : name, node, unit, env: new Env() };
};

/** The text of a function or class of the surroundings. */
export const hostUnit = (cx: Context, e: CallExpression, name: string, fn: (...args: never[]) => unknown): Unit => {
  const word = isWord(fn) || cx.session.words.has(cx.unit);
  const unit = cx.session.units.get(fn) ?? readUnit(cx, e, name, fn, word);
  cx.session.units.set(fn, unit);
  if (word) cx.session.words.add(unit);
  return unit;
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

/** Calls of functions by themselves in a kernel, each of which is code of its own. */
const MOST_RECURSIONS = 1000;

/** Runs the body of a function where it is called. */
const inline = (cx: Context, e: AnyNode, f: Closure, args: readonly Term[], self?: Term): Term => {
  const given = self && f.node.type !== 'ArrowFunctionExpression' ? [self, ...args] : args;
  const call = [f.node, ...given.map(knownIn).filter((g) => g !== undefined)];
  const same = cx.calls.filter(([node]) => node === f.node);
  if (same.some((c) => c.length === call.length && c.every((g, k) => g === call[k])))
    return refuse(
      cx,
      e,
      'lang/recursion',
      `\`${f.name}\` calls itself, directly or by others, and where that ends would be known only when the kernel runs`,
      'write a loop; with another object, or number that is known when the kernel is compiled, as in power(x, 5), a function may call itself',
    );
  if (cx.calls.length > DEEPEST || (same.length > 0 && cx.session.recursions++ > MOST_RECURSIONS))
    return refuse(
      cx,
      e,
      'lang/recursion',
      same.length > 0
        ? `\`${f.name}\` calls itself more than ${cx.calls.length > DEEPEST ? `${DEEPEST} deep` : `${MOST_RECURSIONS} times`}`
        : `calls are nested more than ${DEEPEST} deep`,
      'write a loop',
    );
  const inner: Context = {
    ...cx,
    unit: f.unit,
    env: new Env(f.env),
    calls: [...cx.calls, call],
    since: cx.session.age(),
    self: f.node.type === 'ArrowFunctionExpression' ? f.self : self,
    calledFrom: cx.session.words.has(f.unit) ? originOf(cx, e) : undefined,
    call: f.unit === cx.unit ? cx.call : callOf(cx, e, f),
  };
  return framed(inner, (own) => runBody(own, e, f.node, args, 'constant', cx.asked === e));
};

const callOf = (cx: Context, e: AnyNode, f: Closure): Call => {
  const at = originOf(cx, e);
  return { at, name: f.name, caller: at.call ? `\`${at.call.name}\`` : `kernel '${cx.session.name}'` };
};

/** What of an argument, or of what a method is called of, tells a call from another of the same function: a function, a number that is known, an array or object. */
const knownIn = (arg: Term): unknown =>
  arg.is === 'closure'
    ? arg.node
    : arg.is === 'host' || arg.is === 'literal'
      ? arg.value
      : hasItems(arg)
        ? arg
        : undefined;

import { rare } from '#rare';
import type { AnyNode, CallExpression, MemberExpression } from 'acorn';
import { bare } from '../../../source/ast.js';
import { algebraMethod } from '../../intrinsics/algebra.js';
import { isArrayMethod } from '../terms/array-members.js';
import { chosen, type Arm } from '../expressions/choice.js';
import { apart, takenAsThere, type Context } from '../context/context.js';
import { argumentsOf, reference } from '../expressions/evaluate.js';
import { loaded, named } from '../terms/member.js';
import { isMissing, isNeverThere, lacks, withoutFlag } from '../terms/missing.js';
import { memberName } from '../terms/member-name.js';
import { isModuleName, keepName } from '../terms/names.js';
import { cut, optional } from '../expressions/optional.js';
import { nothing, type Term } from '../context/term.js';
import { gradientOfFunction } from '../../vocabulary/with-gradient.js';
import { callFunction } from './inline.js';

/** A call: a word of the language, a method of a vector, or a function whose body takes the call's place. */
export const call = (cx: Context, e: CallExpression): Term => {
  const callee = bare(e.callee);
  if (callee.type === 'Super') return rare().superCall(cx, e);
  const name = callee.type === 'MemberExpression' ? memberName(callee) : undefined;
  if (callee.type === 'MemberExpression' && callee.object.type === 'Super' && name !== undefined)
    return apply(cx, e, rare().superMember(cx, callee, name), cx.self);
  if (callee.type === 'MemberExpression' && name !== undefined && !isImported(cx, callee.object)) {
    const filled = name === 'fill' ? rare().filledArray(cx, e) : undefined;
    if (filled) return filled;
    const each = cx.session.known.places.size > 0 ? rare().callOfChosen(cx, e, callee.object, name) : undefined;
    if (each) return each;
    const of = callee.optional ? optional(cx, callee.object) : loaded(cx, callee.object, reference(cx, callee.object));
    if (of === cut || (callee.optional && isNeverThere(cx, of)) || (e.optional && lacks(cx, of, name))) return cut;
    return callee.optional
      ? whereThere(cx, e, of, (inside) => methodCall(inside, e, callee, of, name))
      : methodCall(cx, e, callee, of, name);
  }
  return callIfThere(cx, e, e.optional ? optional(cx, callee) : reference(cx, callee));
};

/** A call of what an object has by a name. */
const methodCall = (cx: Context, e: CallExpression, callee: MemberExpression, of: Term, name: string): Term => {
  const narrow = of.is === 'mixed' ? rare().withMethod(cx, callee, of, name) : undefined;
  if (narrow) return methodCall(cx, e, callee, narrow, name);
  takenAsThere(cx, callee.object, of);
  if (cx.session.copies.has(of)) rare().noteCallOfCopy(cx, e, of);
  if (of.is === 'shaped') return algebraMethod(cx, e, of, name, argumentsOf(cx, e));
  const isKnown = of.is === 'one-of' || (of.is === 'host' && isAsked(of.value));
  const known = isKnown ? rare().knownMethod(cx, e, of, name) : undefined;
  if (known) return known;
  const ofArray = isArrayMethod(name) ? rare().arrayMethod(cx, e, of, name) : undefined;
  return ofArray ?? callIfThere(cx, e, named(cx, callee.property, of, name), of);
};

/** A call, `f(x)` or `f?.(x)`. */
const callIfThere = (cx: Context, e: CallExpression, f: Term, self?: Term): Term => {
  if (!e.optional) return apply(cx, e, f, self);
  return isNeverThere(cx, f) ? cut : whereThere(cx, e, f, (inside) => apply(inside, e, f, self));
};

/** What is called where something is there; undefined, and nothing is computed, where it is missing. */
const whereThere = (cx: Context, e: CallExpression, asked: Term, called: (cx: Context) => Term): Term => {
  const flag = isMissing(cx, e, asked);
  if (!flag) return called(cx);
  const missing: Arm = { node: e, term: () => nothing };
  return withoutFlag(cx, asked, () => chosen(cx, e, flag.is, missing, { node: e, term: () => called(apart(cx)) }));
};

/** Whether methods of a value ask, of which some are called while the kernel is compiled. */
const isAsked = (value: unknown): boolean => typeof value === 'string' || value instanceof Map || value instanceof Set;

/** Whether a function lists what objects have. */
const isOfObjects = (f: unknown): f is (of: object) => readonly unknown[] =>
  f === Object.keys || f === Object.values || f === Object.entries;

/** Whether a function makes typed arrays, which those of all types have in common. */
const isOfTyped = (f: unknown): boolean => f === Float32Array.from || f === Float32Array.of;

const isImported = (cx: Context, object: AnyNode): boolean => {
  const id = bare(object);
  return id.type === 'Identifier' && isModuleName(cx, id);
};

const apply = (cx: Context, e: CallExpression, f: Term, self?: Term): Term => {
  if (f.is === 'host' && (f.value === keepName || (f.value === Object.freeze && e.arguments.length === 1)))
    return reference(cx, e.arguments[0]);
  if (f.is === 'host' && f.value === Array.from) return rare().arrayFrom(cx, e);
  if (f.is === 'host' && (f.value === Array || f.value === Array.of))
    return rare().plainArray(cx, e, f.value === Array);
  if (f.is === 'host' && isOfTyped(f.value)) {
    const typed = self?.is === 'host' ? rare().typedArrayFrom(cx, e, f.value, self.value) : undefined;
    if (typed) return typed;
  }
  if (f.is === 'host' && f.value === Array.isArray) return rare().isArray(cx, e);
  if (f.is === 'host' && f.value === Object.is) return rare().sameValue(cx, e);
  if (f.is === 'host' && f.value === Object.assign) return rare().assignMembers(cx, e);
  if (f.is === 'host' && isOfObjects(f.value)) return rare().partsOfObject(cx, e, f.value);
  const intrinsic = f.is === 'host' ? cx.elaborator.word(f.value) : undefined;
  if (intrinsic) return intrinsic(cx, e);
  const each = cx.session.known.places.size > 0 ? rare().callGivenChosen(cx, e, f, self) : undefined;
  if (each) return each;
  const args = argumentsOf(cx, e);
  if (args.some((arg) => cx.session.copies.has(arg))) rare().noteGivenCopies(cx, e, args);
  const gradient = cx.session.derivatives && f.is === 'host' ? gradientOfFunction(f.value) : undefined;
  return gradient ? rare().callWithGradient(cx, e, f, args, gradient) : callFunction(cx, e, f, args, self);
};

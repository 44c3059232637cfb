import type { AnyNode, CallExpression } from 'acorn';
import { isFunction } from '../../source/ast.js';
import { isStable } from './assignment.js';
import { siteOf, textOf, wrap, type Context } from './context.js';
import { calls } from './loops.js';
import { shortCircuits } from './short-circuits.js';

/**
 * `xs.map((x) => …)` → `$ended(xs.map((x) => ($step(site), …)), site)`, and `xs.map(f)` → `$ended(xs.map($each(f, site, xs.map)), site)`: what is called for each element is the body of a loop.
 * Those that neither call anything nor compute with what may be symbolic stay as they are.
 *
 * @param computes whether the arguments, which were rewritten, do
 * @returns what to do when the rest of the call was rewritten
 */
export const rewriteCallback = (cx: Context, e: CallExpression, computes: boolean): (() => void) => {
  const f = callbackOf(e);
  if (f === undefined || !(computes || !isFunction(f) || calls(f.body))) return nothing;
  const site = siteOf(cx, f.start);
  if (!isFunction(f)) wrap(cx, f, `${cx.helper('each')}(`, `, ${site}${methodOf(cx, e)})`);
  else {
    const step = `${cx.helper('step')}(${site})`;
    if (f.body.type === 'BlockStatement') cx.code.appendLeft(f.body.start + 1, ` ${step};`);
    else wrap(cx, f.body, `(${step}, `, ')');
  }
  return () => {
    if (!shortCircuits(e)) wrap(cx, e, `${cx.helper('ended')}(`, `, ${site})`);
  };
};

const nothing = (): void => {};

/** `, xs.map` where the method can be said once more: that of an object of one's own may ask which function it is given. */
export const methodOf = (cx: Context, { callee }: CallExpression): string =>
  callee.type === 'MemberExpression' &&
  callee.object.type !== 'Super' &&
  callee.property.type === 'Identifier' &&
  isStable(cx, callee.object, true)
    ? `, ${textOf(cx, callee.object)}.${callee.property.name}`
    : '';

/** What a call hands to a method that calls it for each element. */
const callbackOf = ({ callee, arguments: given }: CallExpression): AnyNode | undefined => {
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return undefined;
  const at = PLACE_OF_CALLBACK.get(callee.property.name);
  if (at === undefined || given.slice(0, at + 1).some((a) => a.type === 'SpreadElement')) return undefined;
  const f = given.at(at);
  return f && (isFunction(f) ? !f.generator : NAMES.has(f.type)) ? f : undefined;
};

const NAMES = new Set(['Identifier', 'MemberExpression']);

/** Methods of arrays that call what they are given for each element, and which argument that is. */
const PLACE_OF_CALLBACK: ReadonlyMap<string, number> = new Map([
  ['every', 0],
  ['filter', 0],
  ['find', 0],
  ['findIndex', 0],
  ['findLast', 0],
  ['findLastIndex', 0],
  ['flatMap', 0],
  ['forEach', 0],
  ['from', 1],
  ['map', 0],
  ['reduce', 0],
  ['reduceRight', 0],
  ['some', 0],
]);

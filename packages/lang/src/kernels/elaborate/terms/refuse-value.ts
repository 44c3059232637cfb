import type { AnyNode } from 'acorn';
import { arrayMethods } from './array-members.js';
import type { Origin } from '../../code/origin.js';
import { columnOfMixed, oneOf } from '../expressions/one-of.js';
import type { Scalar } from '../../code/scalar.js';
import { asScalar, refuse, type Context } from '../context/context.js';
import type { Session } from '../context/session.js';
import { isOfTexts, termText, type Mixed, type Term } from '../context/term.js';

/** A number of values of several kinds; refuses what is none where one is wanted. */
export const otherNumber = (cx: Context, node: AnyNode, term: Term): Scalar => {
  const number = term.is === 'mixed' ? numberOf(cx, node, term) : undefined;
  return number ? asScalar(cx, node, number) : refuseNumber(cx, node, term);
};

/** What JavaScript computes with where some are numbers: truth values, texts of digits and `['2']` are for it, too. What is none is missing. */
const numberOf = (cx: Context, node: AnyNode, of: Mixed): Term | undefined => {
  if (!of.values.some((value) => ['number', 'boolean'].includes(typeof value))) return undefined;
  const numbers = columnOfMixed(cx, of, '[numbers]', (value) => {
    if (typeof value === 'number') return value;
    const isOther = ['boolean', 'string'].includes(typeof value) || Array.isArray(value);
    return isOther && !Number.isNaN(Number(value)) ? Number(value) : undefined;
  });
  return oneOf(cx, node, of.name, numbers, of.index);
};

const refuseNumber = (cx: Context, node: AnyNode, term: Term): never =>
  term.is === 'nothing' && term.accumulated !== undefined
    ? refuse(
        cx,
        node,
        'lang/reduction',
        `\`${term.accumulated}\` is accumulated in this parallel loop, so that its value is not known before the loop ends`,
        'read it after the loop; a number for each iteration is what atomicAdd(count, 0, 1) of a field gives, and append(list, x) of a list',
      )
    : refuse(cx, node, 'lang/shape', `a number is wanted here, this is ${termText(term)}`, numberRemedy(term));

/** What to do where a number is wanted. */
const numberRemedy = (term: Term): string => {
  switch (term.is) {
    case 'shaped':
      return 'use the methods of vectors: a.add(b), a.mul(s), a.dot(b)';
    case 'nothing':
      return 'give it a value';
    case 'closure':
      return 'call it';
    case 'loop':
      return 'write for (const i of …)';
    case 'cell':
      return 'write isActive(parent(u), i)';
    case 'host':
      return typeof term.value === 'function' ? 'call it' : 'compute with numbers and truth values';
    case 'one-of':
      return isOfTexts(term) ? 'take the code of a letter, text.charCodeAt(k), or look it up, table[text]' : ofItems;
    default:
      return ofItems;
  }
};

const ofItems = 'use one of its elements';

/** Refuses what a kernel returns: what is no number, or nothing on some ways. */
export const refuseResult = (session: Session, at: Origin, term?: Term): never =>
  term === undefined
    ? session.refuse(
        at,
        'lang/return',
        'this function returns a value on some ways through it, and on others none',
        'return a value everywhere',
      )
    : session.refuse(
        at,
        'lang/return',
        `a kernel returns numbers, this returns ${termText(term)}`,
        'write it to a field, or return a number, vec(a, b), [a, b] or { a, b } of numbers',
      );

/** Refuses a member that a value does not have. */
export const refuseMember = (cx: Context, e: AnyNode, of: Term, name: string): never =>
  refuse(cx, e, 'lang/unknown-member', `${termText(of)} has no \`${name}\` in a kernel`, remedyOf(of, name));

/** What there is instead. */
const remedyOf = (of: Term, name: string): string => {
  if (of.is === 'list' && ['push', 'pop', 'shift', 'unshift', 'splice'].includes(name))
    return 'but for push, pop, shift, unshift and splice of arrays that are not typed they keep their length: make one that is long enough, and count what it holds';
  if (of.is === 'array')
    return `arrays of a launch have no methods that make other arrays: loop over them, for (const x of ${of.name}) …, for (const i of range(${of.name}.length)) …`;
  if (of.is === 'element')
    return 'fields have indices, u[i][j], and a length along each axis, u.length and u[0].length';
  if (of.is === 'list' || of.is === 'sieve' || of.is === 'table' || (of.is === 'host' && Array.isArray(of.value)))
    return `arrays have length, ${arrayMethods.join(', ')}`;
  const members = of.is === 'host' ? of.statics : of;
  const names =
    members?.is === 'members' ? [...members.members.keys()] : of.is === 'host' ? Object.keys(Object(of.value)) : [];
  return names.length > 0 && typeof (of as { value?: unknown }).value !== 'string'
    ? `it has ${names.slice(0, 12).join(', ')}`
    : 'compute with numbers, vectors, matrices and arrays of known length';
};

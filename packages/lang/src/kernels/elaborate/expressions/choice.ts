import type { AnyNode } from 'acorn';
import type { Block } from '../../code/code.js';
import { intervalOf, union } from '../../code/interval.js';
import type { Interval, Scalar } from '../../code/scalar.js';
import { apart, asScalar, originOf, refuse, type Context } from '../context/context.js';
import type { Flag } from '../context/absence.js';
import { listed } from '../terms/items.js';
import { knownTruth, truthOfTerm, value } from './evaluate.js';
import { shortCircuit } from './short-circuit.js';
import { absence, absent, isMissing, withoutFlag } from '../terms/missing.js';
import { hasItems } from '../terms/sharing.js';
import { assignSlot, pending, readSlot } from '../terms/slots.js';
import { isScalar, nothing, termText, type Term } from '../context/term.js';

/** A value that may be computed, where that is written. */
export interface Arm {
  readonly node: AnyNode;
  readonly term: () => Term;
}

/** What the surroundings have, which a kernel only reads. */
const AROUND: ReadonlySet<Term['is']> = new Set(['host', 'one-of', 'table']);

/** One of two values, of which only that is computed. An arm that only throws gives none. */
export const chosen = (cx: Context, e: AnyNode, test: Scalar, consequent: Arm, alternate: Arm): Term => {
  const { session } = cx;
  const at = originOf(cx, e);
  const slot = pending(cx, e, 'value');
  const arms: Term[] = [];
  let isNamed = false;
  const record = ({ node, term: made }: Arm): Block =>
    session.record(() => {
      const given = made();
      const term = listed(cx, node, given);
      if (session.hasLeft()) return;
      isNamed ||= hasItems(given) ? session.named.has(given) : AROUND.has(given.is);
      arms.push(term);
      assignSlot(cx, node, slot, term);
    });
  const [then, otherwise] = [record(consequent), record(alternate)];
  session.emit(at, { do: 'if', condition: test, then, otherwise });
  if (arms.length === 0) return nothing;
  if (arms.every((term) => absence(term) === absence(arms[0]) && absence(term))) return arms[0];
  const found = readSlot(cx, e, slot, ofEither(arms));
  if (isNamed && hasItems(found)) session.copies.add(found);
  if (isScalar(found)) session.setEither(found, arms.filter(isScalar));
  return found;
};

/** What a value is where it is there, and another one where it is missing; in that it still is. */
export const thereOr = (cx: Context, e: AnyNode, { of, is }: Flag, own: Arm, other: Arm): Term => {
  const left = own.term();
  return withoutFlag(cx, left, (mayBeMissing) => {
    const instead = (): Term => {
      const found = mayBeMissing(other.term);
      return found === left ? absent(of) : found;
    };
    return chosen(cx, e, is, { ...other, term: instead }, { ...own, term: () => left });
  });
};

/** `a && b` and `a || b`: of truth values another, else the value of a or of b, whatever JavaScript takes for true. */
export const eitherValue = (
  cx: Context,
  e: AnyNode,
  leftNode: AnyNode,
  left: Term,
  and: boolean,
  right: AnyNode,
): Term => {
  if (left.is === 'mixed')
    return refuse(
      cx,
      leftNode,
      'lang/shape',
      `\`${and ? '&&' : '||'}\` hands on ${termText(left)}`,
      "ask what it is: typeof x === 'number' && x > 0 ? x : 7",
    );
  const known = knownTruth(left);
  if (known !== undefined) return known === and ? value(cx, right) : left;
  const flag = isMissing(cx, leftNode, left);
  const other: Arm = { node: right, term: () => value(apart(cx), right) };
  if (flag && !flag.isNull && !isScalar(left)) {
    /* An object that is missing is nothing, and one that is there is true. */
    if (!and) return thereOr(cx, e, flag, { node: leftNode, term: () => left }, other);
    return withoutFlag(cx, left, () => chosen(cx, e, flag.is, { node: leftNode, term: () => absent(flag.of) }, other));
  }
  if (!flag && (hasItems(left) || left.is === 'shaped')) return and ? value(cx, right) : left;
  const first = asScalar(cx, leftNode, left);
  const holds = truthOfTerm(cx, e, first) as Scalar;
  if (cx.session.isTruth(first))
    return shortCircuit(cx, e, holds, and, () => {
      const term = value(apart(cx), right);
      return cx.session.hasLeft() ? holds : asScalar(cx, right, term);
    });
  const own: Arm = { node: leftNode, term: () => first };
  return chosen(cx, e, holds, and ? other : own, and ? own : other);
};

/** Of whole numbers: what the one that is chosen is known to lie in. */
const ofEither = (arms: readonly Term[]): Interval | undefined => {
  const within = arms.map((term) => (isScalar(term) ? intervalOf(term) : undefined));
  return within.reduce((a, b) => a && b && union(a, b));
};

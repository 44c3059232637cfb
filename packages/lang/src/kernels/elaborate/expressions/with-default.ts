import type { AnyNode } from 'acorn';
import { literal, type Literal, type Scalar } from '../../code/scalar.js';
import type { Absence, Flag } from '../context/absence.js';
import { chosen, thereOr, type Arm } from './choice.js';
import { apart, compute, type Context } from '../context/context.js';
import { value } from './evaluate.js';
import { isMissing } from '../terms/missing.js';
import type { Term } from '../context/term.js';

/** The default, where what there would be instead is found undefined when the kernel runs. */
export const withDefault = (cx: Context, right: AnyNode, from: Term): Term => {
  const flag = isMissing(cx, right, from);
  const test = flag && isAbsent(cx, right, flag, 'undefined');
  if (!test) return from;
  const [preset, own]: readonly Arm[] = [
    { node: right, term: () => value(apart(cx), right) },
    { node: right, term: () => from },
  ];
  return flag.isNull ? chosen(cx, right, test, preset, own) : thereOr(cx, right, flag, own, preset);
};

/** Whether it is missing in one of the two ways; undefined where it never is in this one. */
export const isAbsent = (cx: Context, node: AnyNode, { of, is, isNull }: Flag, wanted: Absence): Scalar | undefined => {
  if (!isNull) return of === wanted ? is : undefined;
  return compute(cx, node, 'and', is, wanted === 'null' ? isNull : compute(cx, node, 'not', isNull));
};

/** What is said of what may be missing: of null and of undefined what is known of these. */
export const saidOfNothing = (
  cx: Context,
  node: AnyNode,
  { of, is, isNull }: Flag,
  said: Scalar,
  [ofNull, ofUndefined]: readonly [Literal, Literal],
): Scalar => {
  const known = of === 'null' ? ofNull : ofUndefined;
  const nothing = isNull ? compute(cx, node, 'select', isNull, ofNull, ofUndefined) : known;
  return compute(cx, node, 'select', is, nothing, said);
};

/** The number that JavaScript makes of what may be missing. */
export const numberOfNothing = (cx: Context, node: AnyNode, flag: Flag, number: Scalar): Scalar =>
  saidOfNothing(cx, node, flag, number, [literal(0), literal(NaN)]);

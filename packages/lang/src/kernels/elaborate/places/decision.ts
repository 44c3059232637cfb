import type { AnyNode, AssignmentExpression } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { asScalar, compute, originOf, refuse, type Context, type ParallelBody } from '../context/context.js';
import { value } from '../expressions/evaluate.js';
import { isSamePlace } from './same-place.js';
import type { Variable } from '../context/term.js';
import { withoutEffects } from '../expressions/without-effects.js';

/**
 * What iterations of a parallel loop decide together: whether a condition holds in one of them, `found ||= c`, or in all, `all &&= c`.
 * Those where it decides are kept as a bit, which the variable learns of after the loop. Whether it was: what is asked must change
 * nothing, as plain TypeScript asks no more once it is decided.
 */
const decide = (
  cx: Context,
  node: AnyNode,
  slot: Variable,
  every: boolean,
  asked: (inner: Context) => Scalar | undefined,
): boolean => {
  const { parallel, session } = cx;
  const [local] = slot.locals;
  if (!parallel || slot.shape.length > 0 || !session.isTruthLocal(local)) return false;
  const holds = withoutEffects(cx, asked);
  if (holds === undefined) return false;
  const known = parallel.decisions.get(local);
  if (known && known.every !== every)
    refuse(
      cx,
      node,
      'lang/reduction',
      `\`${slot.name}\` becomes true and false in one loop, and the last iteration to come would decide`,
      'use two variables, or two loops',
    );
  const at = originOf(cx, node);
  const bit = known?.bit ?? session.local(slot.name);
  parallel.decisions.set(local, { bit, every });
  const reduction = parallel.reductions.get(bit) ?? { local: bit, kind: 'or', at };
  parallel.reductions.set(bit, reduction);
  const value = compute(cx, node, 'select', holds, literal(every ? 0 : 1), literal(every ? 1 : 0));
  session.emit(at, { do: 'reduce', reduction, value });
  return true;
};

/** `found = true`, `found = found || c`, `all = c && all`. */
export const decision = (cx: Context, node: AnyNode, slot: Variable, target: AnyNode, e: AnyNode): boolean => {
  if (e.type === 'Literal' && typeof e.value === 'boolean') {
    const { value } = e;
    return decide(cx, node, slot, !value, () => literal(value));
  }
  if (e.type !== 'LogicalExpression' || e.operator === '??') return false;
  const other = isSamePlace(cx, target, e.left) ? e.right : isSamePlace(cx, target, e.right) ? e.left : undefined;
  return other !== undefined && decide(cx, node, slot, e.operator === '&&', (inner) => asTruth(inner, other));
};

/** `found ||= c`, `all &&= c`. */
export const decidesBy = (cx: Context, e: AssignmentExpression, slot: Variable): boolean =>
  decide(cx, e, slot, e.operator === '&&=', (inner) => asTruth(inner, e.right));

/** What is a truth value itself: of a number JavaScript would keep the number. */
const asTruth = (cx: Context, node: AnyNode): Scalar | undefined => {
  const holds = asScalar(cx, node, value(cx, node));
  return cx.session.isTruth(holds) ? holds : undefined;
};

/** Before a loop that decides: nothing is decided yet. */
export const undecided = (cx: Context, node: AnyNode, { decisions }: ParallelBody): void => {
  const at = originOf(cx, node);
  for (const { bit } of decisions.values()) {
    cx.session.emit(at, { do: 'declare', locals: [bit] });
    cx.session.emit(at, { do: 'write', local: bit, value: literal(0) });
  }
};

/** After it: what was decided. */
export const decided = (cx: Context, node: AnyNode, { decisions }: ParallelBody): void => {
  const at = originOf(cx, node);
  for (const [local, { bit, every }] of decisions) {
    const [before, bits] = [local, bit].map((of) => {
      const to = { is: 'temp', type: of === local ? 'i1' : 'i32' } as const;
      cx.session.emit(at, { do: 'read', to, local: of });
      return to;
    });
    const one = compute(cx, node, 'ne', bits, literal(0));
    const value = every
      ? compute(cx, node, 'and', before, compute(cx, node, 'not', one))
      : compute(cx, node, 'or', before, one);
    cx.session.emit(at, { do: 'write', local, value });
  }
};

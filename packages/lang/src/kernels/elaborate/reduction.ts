import { rare } from '#rare';
import type { AnyNode, CallExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import type { Binding } from '../../source/scope.js';
import type { AtomicKind } from '../code/code.js';
import { asScalar, compute, originOf, refuse, type Context } from './context.js';
import { elementsFor } from './slots.js';
import type { Term, Variable } from './term.js';
import { hostFunction } from './callee.js';
import { value } from './evaluate.js';
import type { Scalar } from '../code/scalar.js';

/** What a compound assignment adds: its operator and right side. */
interface Compound {
  readonly token: string;
  readonly value: Scalar;
}

/** `if (x > s) s = x`, whose test was seen. */
export interface Extreme {
  readonly extreme: 'min' | 'max';
  readonly of: AnyNode;
}

/**
 * An assignment in a parallel loop to a variable around it. If it combines the variable with something by a sum,
 * difference, minimum, maximum or bit operation (`s += x`, `s = s + x`, `s = Math.max(s, x)`, `s = s.add(v)`), or decides on it
 * (`found = true`), the iterations accumulate into it; anything else would depend on their order and is refused.
 */
export const accumulate = (
  cx: Context,
  node: AnyNode,
  slot: Variable,
  binding: Binding | undefined,
  by: AnyNode | Compound | Extreme,
): boolean => {
  if ('type' in by && slot.shape.length === 0 && cx.session.isTruthLocal(slot.locals[0]))
    if (rare().decision(cx, node, slot, binding, bare(by))) return true;
  const found =
    'token' in by
      ? ofToken(by.token, by.value)
      : 'extreme' in by
        ? rare().numbersOf(cx, by)
        : combination(cx, binding, bare(by));
  if (!found)
    return refuse(
      cx,
      node,
      'lang/parallel-write',
      `\`${slot.name}\` lives outside of the parallel loop, whose iterations all write it`,
      'accumulate with += or -=, Math.min and Math.max, of conditions with ||= and &&=, of integers with |= and &=; or declare it inside of the loop; or use serially(…)',
    );
  const elements = elementsFor(cx, node, slot, found.term);
  const at = originOf(cx, node);
  slot.locals.forEach((local, k) => {
    const known = cx.parallel?.reductions.get(local);
    if (known && known.kind !== found.kind)
      refuse(
        cx,
        node,
        'lang/reduction',
        `\`${slot.name}\` is accumulated in two ways in one loop`,
        'use two variables, or two loops',
      );
    const reduction = known ?? { local, kind: found.kind, at };
    cx.parallel?.reductions.set(local, reduction);
    const reduce = (): void =>
      cx.session.emit(at, { do: 'reduce', reduction, value: elements[k], ...(found.negated && { negated: true }) });
    if (!found.numbersOnly) return reduce();
    const condition = compute(cx, node, 'eq', elements[k], elements[k]);
    cx.session.emit(at, { do: 'if', condition, then: cx.session.record(reduce), otherwise: [] });
  });
  return true;
};

export interface Combination {
  readonly kind: AtomicKind;
  readonly term: Term;
  /** Whether its negative is added. */
  readonly negated?: boolean;
  /** Whether NaN leaves the variable as it is. */
  readonly numbersOnly?: true;
}

/** Whether a node is the variable. */
export const isNamed = (cx: Context, binding: Binding | undefined, node: AnyNode): boolean =>
  binding !== undefined && cx.unit.text.parsed.scopes.bindingOf(bare(node)) === binding;

const ofToken = (token: string, term: Scalar): Combination | undefined => {
  const kind = ({ '+': 'add', '-': 'add', '&': 'and', '|': 'or', '^': 'xor' } as const)[token];
  return kind && { kind, term, negated: token === '-' };
};

/** `s + x`, `x + s`, `s - x`, `Math.min(s, x)`, `s.add(v)`, where s is the variable. */
const combination = (cx: Context, binding: Binding | undefined, e: AnyNode): Combination | undefined => {
  const isVariable = (node: AnyNode): boolean => isNamed(cx, binding, node);
  if (e.type === 'ConditionalExpression' && isVariable(e.alternate)) {
    const found = rare().extremeOf(cx, binding, e.test, e.consequent);
    return found && rare().numbersOf(cx, found);
  }
  if (e.type === 'BinaryExpression') {
    const other = isVariable(e.left) ? e.right : e.operator !== '-' && isVariable(e.right) ? e.left : undefined;
    return other && ofToken(e.operator, asScalar(cx, other, value(cx, other)));
  }
  return e.type === 'CallExpression' ? (extreme(cx, e, isVariable) ?? method(cx, e, isVariable)) : undefined;
};

const extreme = (cx: Context, e: CallExpression, isVariable: (node: AnyNode) => boolean): Combination | undefined => {
  const other = e.arguments.length === 2 ? e.arguments.findIndex((a) => !isVariable(a)) : -1;
  if (other < 0 || !isVariable(e.arguments[1 - other])) return undefined;
  const f = hostFunction(cx, e.callee);
  if (f !== Math.min && f !== Math.max) return undefined;
  return { kind: f === Math.min ? 'min' : 'max', term: value(cx, e.arguments[other]) };
};

const method = (cx: Context, e: CallExpression, isVariable: (node: AnyNode) => boolean): Combination | undefined => {
  const callee = bare(e.callee);
  if (callee.type !== 'MemberExpression' || callee.computed || !isVariable(callee.object) || e.arguments.length !== 1)
    return undefined;
  const name = callee.property.type === 'Identifier' ? callee.property.name : '';
  const kind = ({ add: 'add', sub: 'add', min: 'min', max: 'max' } as const)[name];
  if (kind === undefined) return undefined;
  return { kind, term: value(cx, e.arguments[0]), negated: name === 'sub' };
};

import { rare } from '#rare';
import type { AnyNode, CallExpression } from 'acorn';
import { bare } from '../../../source/ast.js';
import { eachInstruction, type AtomicKind } from '../../code/code.js';
import { atIndex } from './at-index.js';
import { asScalar, compute, originOf, refuse, type Context } from '../context/context.js';
import { destination, type Destination } from './destination.js';
import { hasIndex, isSamePlace } from './same-place.js';
import { elementsFor, isOuter } from '../terms/slots.js';
import type { Nothing, Slot, Term, Variable } from '../context/term.js';
import { hostFunction } from '../expressions/callee.js';
import { value } from '../expressions/evaluate.js';
import { withoutEffects } from '../expressions/without-effects.js';
import type { Scalar } from '../../code/scalar.js';

/** What a compound assignment adds: its operator and right side. */
interface Compound {
  readonly token: string;
  readonly value: () => Scalar;
}

/** `if (x > s) s = x`, whose test was seen. */
export interface Extreme {
  readonly extreme: 'min' | 'max';
  readonly of: AnyNode;
}

/** A variable around the parallel loop, or one of several such, at an index that is known when the kernel runs. */
export type Accumulated = Variable | (Destination & { to: 'items' });

/** What an assignment in a parallel loop changes, if that are variables around it. */
export const accumulated = (cx: Context, to: Destination): Accumulated | undefined => {
  if (to.to === 'slot') return isOuterVariable(cx, to.slot) ? to.slot : undefined;
  return to.to === 'items' && cx.parallel && to.items.every((item) => accumulated(cx, item)) ? to : undefined;
};

const isOuterVariable = (cx: Context, slot: Slot): slot is Variable => slot.is === 'variable' && isOuter(cx, slot);

/**
 * An assignment in a parallel loop to a variable around it. If it combines the variable with something by a sum,
 * difference, minimum, maximum or bit operation (`s += x`, `s = s + x`, `s = Math.max(s, x)`, `s = s.add(v)`), or decides on it
 * (`found = true`), the iterations accumulate into it; anything else would depend on their order and is refused.
 *
 * @param target what stands on the left
 * @returns what stands for the result, which nobody knows before the loop ends
 */
export const accumulate = (
  cx: Context,
  node: AnyNode,
  to: Accumulated,
  target: AnyNode,
  by: AnyNode | Compound | Extreme,
): Nothing => {
  const { name } = firstOf(to);
  const places = variablesOf(to).length;
  if (places > MOST_PLACES)
    refuse(
      cx,
      node,
      'lang/parallel-write',
      `which of ${places} variables around the parallel loop is changed would be asked ${places} times in each iteration`,
      'use a field of as many elements, to which iterations add at once: bins[k] += 1, atomicMax(most, k, x)',
    );
  const result: Nothing = { is: 'nothing', accumulated: name };
  const decides = (slot: Variable): boolean => 'type' in by && rare().decision(cx, node, slot, target, bare(by));
  if ('type' in by && isTruth(cx, to) && eachVariable(cx, node, to, decides)) return result;
  const found = apartFrom(cx, node, to, () =>
    'token' in by
      ? one(ofToken(by.token, by.value()))
      : 'extreme' in by
        ? one(rare().numbersOf(cx, by))
        : hasIndex(target)
          ? withoutEffects(cx, (inner) => (destination(inner, bare(target)), combinations(inner, target, bare(by))))
          : combinations(cx, target, bare(by)),
  );
  if (!found)
    return refuse(
      cx,
      node,
      'lang/parallel-write',
      `\`${name}\` lives outside of the parallel loop, whose iterations all write it`,
      'accumulate with += or -=, Math.min and Math.max, of conditions with ||= and &&=, of integers with |= and &=; or declare it inside of the loop; or use serially(…)',
    );
  for (const each of found) eachVariable(cx, node, to, (slot) => reduce(cx, node, slot, each));
  return result;
};

/** What is computed to be accumulated; refused where that changes the variable itself, at which JavaScript looks before. */
const apartFrom = <T>(cx: Context, node: AnyNode, to: Accumulated, made: () => T): T => {
  const found: { value?: T } = {};
  const code = cx.session.record(() => void (found.value = made()));
  const locals = new Set(variablesOf(to).flatMap((variable) => variable.locals));
  eachInstruction(code, (i) => {
    if (i.do === 'reduce' && locals.has(i.reduction.local))
      refuse(
        cx,
        node,
        'lang/parallel-write',
        `computing what \`${firstOf(to).name}\` is given changes it, too`,
        'compute that before: const x = f(i); s += x',
      );
  });
  cx.session.append(code);
  return found.value!;
};

/** Does something with the variable that the assignment changes; whether that was done with all that it may be. */
const eachVariable = (cx: Context, node: AnyNode, to: Accumulated, act: (slot: Variable) => boolean): boolean => {
  if (!('to' in to)) return act(to);
  let all = true;
  atIndex(cx, node, to, (item) => (all = eachVariable(cx, node, accumulated(cx, item)!, act) && all));
  return all;
};

/** Variables of which one is told by an index: each of them is a sum of its own, and what it is given a choice. */
const MOST_PLACES = 16;

const variablesOf = (to: Accumulated | Destination): readonly Variable[] => {
  if (!('to' in to)) return [to];
  if (to.to === 'items') return to.items.flatMap(variablesOf);
  return to.to === 'slot' ? [to.slot as Variable] : [];
};

const firstOf = (to: Accumulated): Variable => variablesOf(to)[0];

const isTruth = (cx: Context, to: Accumulated): boolean => {
  const { shape, locals } = firstOf(to);
  return shape.length === 0 && cx.session.isTruthLocal(locals[0]);
};

const reduce = (cx: Context, node: AnyNode, slot: Variable, found: Combination): boolean => {
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
    const add = (): void =>
      cx.session.emit(at, { do: 'reduce', reduction, value: elements[k], ...(found.negated && { negated: true }) });
    if (!found.numbersOnly) return add();
    const condition = compute(cx, node, 'eq', elements[k], elements[k]);
    cx.session.emit(at, { do: 'if', condition, then: cx.session.record(add), otherwise: [] });
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

const one = (found: Combination | undefined): readonly Combination[] | undefined => found && [found];

const ofToken = (token: string, term: Scalar): Combination | undefined => {
  const kind = ({ '+': 'add', '-': 'add', '&': 'and', '|': 'or', '^': 'xor' } as const)[token];
  return kind && { kind, term, negated: token === '-' };
};

/** `s + x`, `x + s`, `s - x - y`, `Math.min(s, x)`, `s.add(v)`, where s is the target. */
const combinations = (cx: Context, target: AnyNode, e: AnyNode): readonly Combination[] | undefined => {
  const isTarget = (node: AnyNode): boolean => isSamePlace(cx, target, node);
  if (e.type === 'ConditionalExpression' && isTarget(e.alternate)) {
    const found = rare().extremeOf(cx, target, e.test, e.consequent);
    return found && one(rare().numbersOf(cx, found));
  }
  if (e.type === 'BinaryExpression') {
    const other = isTarget(e.left) ? e.right : e.operator !== '-' && isTarget(e.right) ? e.left : undefined;
    if (other) return one(ofToken(e.operator, asScalar(cx, other, value(cx, other))));
    const before = isSum(e) && isSum(bare(e.left)) ? combinations(cx, target, bare(e.left)) : undefined;
    return before && [...before, ofToken(e.operator, asScalar(cx, e.right, value(cx, e.right)))!];
  }
  return e.type === 'CallExpression' ? (extreme(cx, e, isTarget) ?? method(cx, e, target)) : undefined;
};

const isSum = (e: AnyNode): boolean => e.type === 'BinaryExpression' && (e.operator === '+' || e.operator === '-');

const extreme = (
  cx: Context,
  e: CallExpression,
  isTarget: (node: AnyNode) => boolean,
): readonly Combination[] | undefined => {
  const others = e.arguments.filter((a) => !isTarget(a));
  if (others.length === 0 || others.length !== e.arguments.length - 1) return undefined;
  const f = hostFunction(cx, e.callee);
  if (f !== Math.min && f !== Math.max) return undefined;
  const isOne = others.length === 1 && others[0].type !== 'SpreadElement';
  const term = value(cx, isOne ? others[0] : { ...e, arguments: others });
  return [{ kind: f === Math.min ? 'min' : 'max', term }];
};

const method = (cx: Context, e: CallExpression, target: AnyNode): readonly Combination[] | undefined => {
  const callee = bare(e.callee);
  if (callee.type !== 'MemberExpression' || callee.computed || e.arguments.length !== 1) return undefined;
  const name = callee.property.type === 'Identifier' ? callee.property.name : '';
  const kind = ({ add: 'add', sub: 'add', min: 'min', max: 'max' } as const)[name];
  if (kind === undefined) return undefined;
  const of = bare(callee.object);
  const before = isSamePlace(cx, target, of) ? [] : of.type === 'CallExpression' ? method(cx, of, target) : undefined;
  return before && [...before, { kind, term: value(cx, e.arguments[0]), negated: name === 'sub' }];
};

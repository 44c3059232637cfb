import { quadraticSpline } from '../vocabulary/spline.js';
import { compute, refuse } from '../elaborate/context/context.js';
import { named } from '../elaborate/terms/member.js';
import { termText, tupleOf, unshaped, type Shaped, type Term } from '../elaborate/context/term.js';
import type { Intrinsic } from './intrinsic.js';
import { argumentsOf } from '../elaborate/expressions/evaluate.js';
import { callWord } from '../elaborate/calls/inline.js';
import { literal, type Scalar } from '../code/scalar.js';

/** `splineNodes(spline)`, `splineNodes(point, low, side)`: a loop over nodes, what each needs computed where its iteration stands. */
export const splineNodes: Intrinsic = (cx, e) => {
  const args = argumentsOf(cx, e);
  const [first, ...rest] = args;
  const spline = first?.is === 'shaped' ? callWord(cx, e, quadraticSpline, args) : first;
  if (spline?.is !== 'members' || (first === spline && rest.length > 0))
    return refuse(
      cx,
      e,
      'lang/spline',
      `splineNodes takes a spline or a point${spline ? `, this is ${termText(spline)}` : ''}`,
      'write splineNodes(quadraticSpline(x))',
    );
  const [base, offset, weights] = ['base', 'offset', 'weights'].map((name): Shaped => {
    const part = named(cx, e, spline, name);
    return part.is === 'shaped'
      ? part
      : refuse(cx, e, 'lang/spline', `\`${name}\` of a spline is ${termText(part)}`, 'take it from quadraticSpline(x)');
  });
  const axes = base.elements.map((_, axis) => axis);
  const same = offset.elements.length === axes.length && weights.elements.length === 3 * axes.length;
  if (!same)
    refuse(cx, e, 'lang/spline', 'the parts of a spline differ in size', 'take them from one quadraticSpline(x)');
  const vector = (elements: readonly Scalar[]): Term => unshaped([axes.length], elements);
  const items = Array.from({ length: 3 ** axes.length }, (_, n) => (): Term => {
    const steps = axes.map((axis) => Math.floor(n / 3 ** (axes.length - 1 - axis)) % 3);
    return tupleOf([
      vector(axes.map((k) => compute(cx, e, 'add', base.elements[k], literal(steps[k])))),
      axes
        .map((k) => weights.elements[steps[k] * axes.length + k])
        .reduce((product, w) => compute(cx, e, 'mul', product, w)),
      vector(axes.map((k) => compute(cx, e, 'sub', literal(steps[k]), offset.elements[k]))),
    ]);
  });
  return { is: 'loop', space: { over: 'items', items: () => items }, order: 'unrolled' };
};

import type { CallExpression } from 'acorn';
import type { AtomicKind, Place } from '../code/code.js';
import { addsCodes, atomic as update, combinedBits, load, store, storeCombined } from '../elaborate/terms/access.js';
import { scalarPlace, shapedFor } from '../elaborate/places/assign.js';
import { asScalar, compute, refuse, type Context } from '../elaborate/context/context.js';
import { reference, scalar, value } from '../elaborate/expressions/evaluate.js';
import { indexed, placesOf } from '../elaborate/terms/member.js';
import type { OperatorName } from '../code/operators.js';
import { nothing, shapeOfField, termText, type Term } from '../elaborate/context/term.js';
import type { Scalar } from '../code/scalar.js';
import type { Intrinsic } from './intrinsic.js';
import { coordinates } from './places.js';

/** `atomicMin(u, i, j, x)` and the like; the value is the one before. Outside of parallel loops nothing comes between. */
export const atomic =
  (kind: AtomicKind): Intrinsic =>
  (cx, e) => {
    const target = element(cx, e);
    const place = scalarPlace(cx, e, target);
    const operand = scalar(cx, e.arguments[e.arguments.length - 1]);
    return combine(cx, e, place, kind, operand);
  };

/** `accumulate(x, p, v)`: adds to every component. */
export const accumulate: Intrinsic = (cx, e) => {
  const target = element(cx, e);
  const last = e.arguments[e.arguments.length - 1];
  const given = value(cx, last);
  if (target.is === 'array-element' || target.field.is === 'scalar') {
    combine(cx, e, scalarPlace(cx, e, target), 'add', asScalar(cx, last, given));
    return nothing;
  }
  const places = placesOf(cx, e, target);
  const { elements } = shapedFor(cx, last, given, shapeOfField(target.field), `field '${target.field.name}'`);
  places.forEach((place, k) => combine(cx, e, place, 'add', elements[k]));
  return nothing;
};

type Target = Extract<Term, { is: 'element' | 'array-element' }>;

/** The element that all arguments but the last name: `u, i, j`, or `u[i], j`, or `u, I`. */
const element = (cx: Context, e: CallExpression): Target => {
  if (e.arguments.length < 2)
    return refuse(
      cx,
      e,
      'lang/arguments',
      'a field, its indices and a value are wanted',
      'write atomicMin(u, i, j, x)',
    );
  const [first, ...rest] = e.arguments.slice(0, -1);
  const of = rest.reduce<Term>(
    (t, index) => coordinates(cx, index, value(cx, index)).reduce((part, i) => indexed(cx, index, part, i), t),
    reference(cx, first),
  );
  return of.is === 'element' || of.is === 'array-element'
    ? of
    : refuse(
        cx,
        first,
        'lang/atomic',
        `an element of a field is wanted here, this is ${termText(of)}`,
        'write atomicMin(u, i, j, x)',
      );
};

const combine = (cx: Context, e: CallExpression, place: Place, kind: AtomicKind, x: Scalar): Scalar => {
  if (cx.parallel) return update(cx, e, place, kind, x);
  const before = load(cx, e, place);
  if (kind === 'add' && place.of === 'field' && addsCodes(cx, place.field)) update(cx, e, place, kind, x);
  else if (kind === 'exchange') store(cx, e, place, x);
  else {
    const after = compute(cx, e, operators[kind], before, x);
    const isOfBits = kind === 'and' || kind === 'or' || kind === 'xor';
    storeCombined(cx, e, place, x, isOfBits ? combinedBits(cx, e, place, x, after) : after, isOfBits);
  }
  return before;
};

const operators: Readonly<Record<Exclude<AtomicKind, 'exchange'>, OperatorName>> = {
  add: 'add',
  min: 'min',
  max: 'max',
  and: 'bitand',
  or: 'bitor',
  xor: 'bitxor',
};

import type { AnyNode } from 'acorn';
import { byteSize, integerRange, isFloat, isInteger, type ScalarType } from '@filigree/ir';
import { storedOf, type FieldDecl } from '@filigree/sparse/fields';
import { takesBits, typeOfPlace, type Action, type AtomicKind, type Block, type Place } from '../../code/code.js';
import { isNarrow } from '../../code/kinds.js';
import { compute, originOf, refuse, type Context } from '../context/context.js';
import { literal, type Interval, type Scalar, type Temp } from '../../code/scalar.js';

/**
 * Accesses to memory. What happens at an index outside a field is up to its layout. An array behaves like a typed
 * array: writes outside it are ignored, and reads give NaN, or 0 for integers. No test is needed if the index is
 * provably below the maximum length of the array.
 */
export const load = (cx: Context, node: AnyNode, place: Place, within?: Interval): Temp => {
  const type = typeOfPlace(place);
  const to: Temp = { is: 'temp', type, ...(within ? { within } : withinType(type)) };
  return guarded(cx, node, place, to, { do: 'load', to, place });
};

/** What an integer of fewer than 32 bits lies in. */
const withinType = (type: ScalarType): Pick<Temp, 'within'> =>
  isInteger(type) && byteSize(type) < 4 ? { within: integerRange(type).map(Number) as unknown as Interval } : {};

/** Combines an element with a value, or its negative, in one step; the result is the element before. */
export const atomic = (
  cx: Context,
  node: AnyNode,
  place: Place,
  kind: AtomicKind,
  value: Scalar,
  negated = false,
): Temp => {
  const to: Temp = { is: 'temp', type: typeOfPlace(place) };
  const shared = sharedBy(cx, place);
  if (shared !== undefined && place.of === 'field')
    refuse(
      cx,
      node,
      'lang/atomic',
      `field '${place.field.name}' shares '${shared}' with others, which an atomic operation would change`,
      'where no other iteration writes the element, read it and write it: u[i] = u[i] + x; otherwise store the field in another format',
    );
  return guarded(cx, node, place, to, {
    do: 'atomic',
    to,
    place,
    kind,
    value: asStored(cx, node, place, value),
    ...(negated && { negated }),
  });
};

/** What was rounded, as `Math.floor(x)` is, is an i32 where one is stored, or what has fewer bits, computed as f64 before where it is of no stated type. */
const asStored = (cx: Context, node: AnyNode, place: Place, value: Scalar): Scalar => {
  const type = typeOfPlace(place);
  if (type !== 'i32' && (!isNarrow(type) || takesBits(place))) return value;
  if (!cx.session.isRounded(value)) return value;
  const at = originOf(cx, node);
  return cx.session.cast(at, cx.session.cast(at, value, 'f64'), 'i32');
};

export const store = (cx: Context, node: AnyNode, place: Place, value: Scalar, more = false): void => {
  const at = originOf(cx, node);
  const action: Action = { do: 'store', place, value: asStored(cx, node, place, value), ...(more && { more }) };
  const condition = inside(cx, node, place);
  if (!condition) return cx.session.emit(at, action);
  cx.session.emit(at, { do: 'if', condition, then: [{ ...action, at }], otherwise: [] });
};

/** What the field of a place shares with others in its layout, so that they are encoded together; nothing for most. */
export const sharedBy = (cx: Context, place: Place): string | undefined =>
  place.of === 'field' ? storedOf(cx.session.layout, place.field.name)?.joint?.by.name : undefined;

/** Whether sums into a field of floats add codes: then they are atomic wherever they stand, since it shows. */
export const addsCodes = (cx: Context, { name, type }: FieldDecl): boolean =>
  isFloat(type) && storedOf(cx.session.layout, name)?.format.addend !== undefined;

/**
 * Stores what came of combining an element with a value. Integers of less than 32 bits are combined as i32 and wrap, provided
 * that the value is one of them; for operations on `bits`, that it has no more of these.
 */
export const storeCombined = (
  cx: Context,
  node: AnyNode,
  place: Place,
  given: Scalar,
  after: Scalar,
  bits = false,
): void => {
  const type = typeOfPlace(place);
  if (!isInteger(type) || byteSize(type) >= 4 || takesBits(place)) return store(cx, node, place, after);
  const at = originOf(cx, node);
  cx.session.emit(at, { do: 'fits', place, value: given, ...(bits && { bits }) });
  store(cx, node, place, cx.session.cast(at, after, type));
};

/** What came of combining the bits of an element with a value, which is one of its type: of u32 they are u32 there, as in a typed array. */
export const combinedBits = (
  cx: Context,
  node: AnyNode,
  place: Place,
  given: Scalar | undefined,
  after: Scalar,
): Scalar => {
  if (typeOfPlace(place) !== 'u32' || takesBits(place)) return after;
  const at = originOf(cx, node);
  if (given) cx.session.emit(at, { do: 'fits', place, value: given, bits: true });
  return cx.session.cast(at, after, 'u32');
};

const guarded = (cx: Context, node: AnyNode, place: Place, to: Temp, action: Action): Temp => {
  const { session } = cx;
  const at = originOf(cx, node);
  const condition = inside(cx, node, place);
  if (!condition) {
    session.emit(at, action);
    return to;
  }
  const type = typeOfPlace(place);
  const local = session.local('element', { name: 'element', type });
  const outside: Block = isFloat(type) ? [{ do: 'write', local, value: literal(NaN), at }] : [];
  session.emit(at, { do: 'declare', locals: [local] });
  session.emit(at, {
    do: 'if',
    condition,
    then: [
      { ...action, at },
      { do: 'write', local, value: to, at },
    ],
    otherwise: outside,
  });
  const result: Temp = { ...to };
  session.emit(at, { do: 'read', to: result, local });
  return result;
};

/** Whether the index lies within the array; undefined if that need not be tested. Debug mode says so where it does not. */
const inside = (cx: Context, node: AnyNode, place: Place): Scalar | undefined => {
  if (place.of === 'field' || !place.array) return undefined;
  const [index] = place.index;
  const { length, maxLength } = place.array;
  const promise = { x: index, base: length, lo: -maxLength, hi: 0, of: 'index' } as const;
  cx.session.emit(originOf(cx, node), { do: 'assume', to: { is: 'temp', type: 'i32' }, ...promise });
  const [least, most] =
    index.is === 'literal' ? [Number(index.value), Number(index.value)] : (index.within ?? [-1, maxLength]);
  const above = least >= 0 ? undefined : compute(cx, node, 'ge', index, literal(0));
  const below = most < maxLength ? undefined : compute(cx, node, 'lt', index, length);
  return above && below ? compute(cx, node, 'and', above, below) : (above ?? below);
};

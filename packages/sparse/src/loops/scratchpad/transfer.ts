import { isFloat, isWide, type Builder, type ScalarType, type Value } from '@filigree/ir';
import type { Emit } from '../../access/lower/address.js';
import { loop } from '../loop.js';
import { overBox } from './box.js';
import type { Pad, PadField } from './pads.js';

/** Brings what a pad holds of its fields near, or zeros where it is only added to. `bases` are the sums of its sides' terms. */
export const fill = (e: Emit, pad: Pad, bases: readonly Value[]): void => {
  const { b } = e;
  if (pad.adds)
    return loop(
      b,
      b.i32(pad.size),
      (n) => {
        for (const { field, buffer } of pad.fields) b.store(buffer, noSum(e, field.field.type), n);
        if (pad.marks !== undefined) b.store(pad.marks, b.bool(false), n);
      },
      { attrs: { simd: true } },
    );
  overBox(e, pad, bases, undefined, (coordinates, n) => {
    for (const { field, buffer } of pad.fields)
      b.store(buffer, b.value('field.load', coordinates, { field: field.field.name }), n);
  });
};

/** Adds to an element of a pad, and leaves behind that it did. */
export const addTo = (b: Builder, { marks }: Pad, { field, buffer }: PadField, value: Value, at: Value): Value => {
  const { type } = field.field;
  if (marks !== undefined) b.store(marks, b.bool(true), at);
  return b.atomic(buffer, 'add', isFloat(type) ? b.add(value, b.constant(0, type)) : value, at);
};

/** Adds what has come together in a pad to its fields: to elements that were added to, so that nothing more becomes active. */
export const flush = (e: Emit, pad: Pad, bases: readonly Value[]): void => {
  const { b } = e;
  if (!pad.adds) return;
  const isAny = (n: Value): Value => {
    const sums = pad.fields.filter((f) => pad.marks === undefined || isFloat(f.field.field.type));
    const marked = pad.marks === undefined ? [] : [b.load(pad.marks, n)];
    return [...marked, ...sums.map((f) => isSum(e, f, b.load(f.buffer, n)))].reduce(b.or);
  };
  overBox(e, pad, bases, isAny, (coordinates, n) => {
    for (const f of pad.fields) {
      const { name, type } = f.field.field;
      const value = b.load(f.buffer, n);
      const was = pad.marks === undefined || isFloat(type) ? isSum(e, f, value) : b.load(pad.marks, n);
      b.if(was, () => {
        b.value('field.atomic', [value, ...coordinates], { field: name, kind: 'add' });
      });
    }
  });
};

/** What an element holds to which nothing was added. */
const noSum = ({ b }: Emit, type: ScalarType): Value => b.constant(isFloat(type) ? -0 : isWide(type) ? 0n : 0, type);

/** Whether a float was added to; whether an integer is more than nothing. Zeros of either sign are equal, their bits are not. */
const isSum = (e: Emit, { field }: PadField, value: Value): Value => {
  const { b } = e;
  const { type } = field.field;
  if (!isFloat(type)) return b.cmp('ne', value, noSum(e, type));
  return type === 'f32'
    ? b.cmp('ne', b.bitcast(value, 'i32'), b.i32(-(2 ** 31)))
    : b.cmp('ne', b.bitcast(value, 'i64'), b.i64(-(2n ** 63n)));
};

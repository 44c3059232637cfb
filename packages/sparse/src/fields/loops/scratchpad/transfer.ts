import { isFloat, isWide, type Builder, type ScalarType, type Value } from '@filigree/ir';
import type { Emit } from '../../access/lower/address.js';
import { loop } from '../loop.js';
import { overBox, overBoxByTeam } from './box.js';
import type { Pad } from './pads.js';

/** Brings what a pad holds of its fields near, or zeros where it is only added to. `bases` are the sums of its sides' terms; a `team` divides the work. */
export const fill = (e: Emit, pad: Pad, bases: readonly Value[], team = false): void => {
  const { b } = e;
  if (pad.adds)
    return loop(
      b,
      b.i32(pad.size),
      (n) => {
        b.store(pad.buffer, noSum(e, pad.type), n);
        if (pad.marks !== undefined) b.store(pad.marks, b.bool(false), n);
      },
      { attrs: team ? { team } : { simd: true } },
    );
  const bring = (coordinates: readonly Value[], n: Value): void => {
    for (const { field, slot } of pad.fields)
      b.store(pad.buffer, b.value('field.load', coordinates, { field: field.field.name }), plus(e, n, slot));
  };
  if (team) overBoxByTeam(e, pad, bases, bring);
  else overBox(e, pad, bases, undefined, bring);
};

/** Adds to an element of a pad, and leaves behind that it did: threads of a `team` may at once. */
export const addTo = (b: Builder, { marks, buffer, type }: Pad, value: Value, at: Value, team: boolean): Value => {
  if (marks !== undefined && team) b.atomic(marks, 'or', b.bool(true), at);
  else if (marks !== undefined) b.store(marks, b.bool(true), at);
  return b.atomic(buffer, 'add', isFloat(type) ? b.add(value, b.constant(0, type)) : value, at);
};

/** Adds what has come together in a pad to its fields: to elements that were added to, so that nothing more becomes active. */
export const flush = (e: Emit, pad: Pad, bases: readonly Value[], team = false): void => {
  const { b } = e;
  if (!pad.adds) return;
  const isAny = (n: Value): Value => pad.fields.map(({ slot }) => isSum(e, pad, plus(e, n, slot))).reduce(b.or);
  const add = (coordinates: readonly Value[], n: Value): void => {
    for (const { field, slot } of pad.fields) {
      const at = plus(e, n, slot);
      b.if(isSum(e, pad, at), () => {
        b.value('field.atomic', [b.load(pad.buffer, at), ...coordinates], { field: field.field.name, kind: 'add' });
      });
    }
  };
  if (team) overBoxByTeam(e, pad, bases, add);
  else overBox(e, pad, bases, isAny, add);
};

const plus = ({ b }: Emit, n: Value, slot: number): Value => (slot === 0 ? n : b.add(n, b.i32(slot)));

/** What an element holds to which nothing was added. */
const noSum = ({ b }: Emit, type: ScalarType): Value => b.constant(isFloat(type) ? -0 : isWide(type) ? 0n : 0, type);

/** Whether an element was added to; without marks, of an integer, whether it is more than nothing. Zeros of either sign are equal, their bits are not. */
const isSum = (e: Emit, { type, buffer, marks }: Pad, at: Value): Value => {
  const { b } = e;
  if (marks !== undefined) return b.load(marks, at);
  const value = b.load(buffer, at);
  if (!isFloat(type)) return b.cmp('ne', value, noSum(e, type));
  return type === 'f32'
    ? b.cmp('ne', b.bitcast(value, 'i32'), b.i32(-(2 ** 31)))
    : b.cmp('ne', b.bitcast(value, 'i64'), b.i64(-(2n ** 63n)));
};

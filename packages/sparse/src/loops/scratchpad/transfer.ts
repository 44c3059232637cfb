import { isWide, type ScalarType, type Value } from '@filigree/ir';
import type { Emit } from '../../access/lower/address.js';
import { loop } from '../loop.js';
import { overBox } from './box.js';
import type { Pad } from './pads.js';

/** Brings what a pad holds of its fields near, or zeros where it is only added to. `bases` are the sums of its sides' terms. */
export const fill = (e: Emit, pad: Pad, bases: readonly Value[]): void => {
  const { b } = e;
  if (pad.adds)
    return loop(
      b,
      b.i32(pad.size),
      (n) => {
        for (const { field, buffer } of pad.fields) b.store(buffer, zeroOf(e, field.field.type), n);
      },
      { attrs: { simd: true } },
    );
  overBox(e, pad, bases, undefined, (coordinates, n) => {
    for (const { field, buffer } of pad.fields)
      b.store(buffer, b.value('field.load', coordinates, { field: field.field.name }), n);
  });
};

/** Adds what has come together in a pad to its fields. What is still zero is left out, so that nothing more becomes active. */
export const flush = (e: Emit, pad: Pad, bases: readonly Value[]): void => {
  const { b } = e;
  if (!pad.adds) return;
  const isAny = (n: Value): Value =>
    pad.fields.map(({ field, buffer }) => b.cmp('ne', b.load(buffer, n), zeroOf(e, field.field.type))).reduce(b.or);
  overBox(e, pad, bases, isAny, (coordinates, n) => {
    for (const { field, buffer } of pad.fields) {
      const { name, type } = field.field;
      const value = b.load(buffer, n);
      b.if(b.cmp('ne', value, zeroOf(e, type)), () => {
        b.value('field.atomic', [value, ...coordinates], { field: name, kind: 'add' });
      });
    }
  });
};

const zeroOf = ({ b }: Emit, type: ScalarType): Value => b.constant(isWide(type) ? 0n : 0, type);

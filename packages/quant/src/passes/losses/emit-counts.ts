import { scalarOf, type Builder, type Value } from '@filigree/ir';
import type { Format, Stored } from '@filigree/sparse/fields';
import { ieeeOf, type Ieee } from '../../formats/ieee.js';
import { limitsOf } from './limits.js';
import { COUNTS } from './losses.js';

/** A value that is stored, how, and all that is stored with it. */
export interface Storing {
  readonly value: Value;
  readonly stored: Stored;
  readonly together: readonly Pick<Storing, 'value' | 'stored'>[];
}

/** Counts what a store loses, in the row of a buffer. Nothing is rounded otherwise for it: all is decided on what is loaded again. */
export const emitCounts = (b: Builder, buffer: string, row: number, storing: Storing): void => {
  const { value, stored } = storing;
  const at = (column: number): Value => b.i32(row * COUNTS + column);
  const add = (column: number, when?: Value): void => {
    const one = (): [] => (b.atomic(buffer, 'add', b.i32(1), at(column)), []);
    if (when) b.if(when, one);
    else one();
  };
  const kept = loadedAgain(b, storing);
  const type = scalarOf(value.type);
  add(STORES);
  if (type !== 'f32' && type !== 'f64') return add(OVERFLOWED, b.cmp('ne', value, kept));
  const { isNaN, saturated, flushed, rounded } = kindsOf(b, value, kept, stored.format, ieeeOf(type));
  add(SATURATED, saturated);
  add(FLUSHED, flushed);
  add(NAN, isNaN);
  b.if(rounded, () => {
    const error = b.bitcast(b.cast(b.div(b.sub(kept, value), value), 'f32'), 'u32');
    /* Numbers that are not negative are in the order of their bits. */
    b.atomic(buffer, 'max', b.bitcast(b.and(error, b.constant(0x7fff_ffff, 'u32')), 'i32'), at(ERROR));
    return [];
  });
};

const [STORES, OVERFLOWED, SATURATED, FLUSHED, NAN, ERROR] = [0, 1, 2, 3, 4, 5];

/** What a value is loaded as once it is stored. */
const loadedAgain = (b: Builder, { value, stored, together }: Storing): Value => {
  const { format } = stored;
  const type = scalarOf(value.type);
  if (!format.joint) return format.emitDecode(b, format.emitEncode(b, value), type);
  const group = together.filter((other) => other.stored.format.joint?.name === format.joint!.name);
  const { shared, codes } = format.joint.emitEncode(
    b,
    group.map((other) => other.value),
  );
  const own = group.findIndex((other) => other.stored === stored);
  return format.joint.emitDecode(b, codes[own], shared, type);
};

/** What becomes of a float; decided on bits as all that formats decide, so that fast arithmetic does not take every number for finite. */
const kindsOf = (b: Builder, value: Value, kept: Value, format: Format, ieee: Ieee) => {
  const constant = (bits: bigint): Value => ieee.constant(b, bits);
  const not = (x: Value): Value => b.cmp('eq', x, b.constant(false, 'i1'));
  const word = b.bitcast(value, ieee.word);
  const size = b.and(word, constant(ieee.sign - 1n));
  const isNaN = b.cmp('gt', size, constant(ieee.infinity));
  const isSome = b.cmp('ge', size, constant(ieee.leastNormal));
  const { least, most } = limitsOf(format, ieee.type);
  const beyond = (limit: number): Value => b.cmp('gt', size, constant(ieee.bitsOf(Math.abs(limit))));
  const isNegative = b.cmp('ge', word, constant(ieee.sign));
  const isOutside = b.and(isSome, b.select(isNegative, beyond(least), beyond(most)));
  const left = b.and(b.bitcast(kept, ieee.word), constant(ieee.sign - 1n));
  const isGone = b.cmp('eq', left, constant(0n));
  const within = b.and(isSome, not(isOutside));
  return {
    isNaN,
    saturated: b.and(isOutside, not(isNaN)),
    flushed: b.and(within, isGone),
    rounded: b.and(within, not(isGone)),
  };
};

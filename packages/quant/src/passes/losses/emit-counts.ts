import { scalarOf, type Builder, type Value } from '@filigree/ir';
import { codeType, type Stored } from '@filigree/sparse/fields';
import { ieeeOf, type Ieee } from '../../formats/ieee.js';
import { lowest } from '../../formats/int.js';
import { limitsOf } from './limits.js';
import { COUNTS } from './losses.js';

/** A value that is stored, how, and all that is stored with it. */
export interface Storing {
  readonly value: Value;
  readonly stored: Stored;
  readonly together: readonly Pick<Storing, 'value' | 'stored'>[];
  /** Where codes are added: what was there before, and what was added; the value is their sum, as it would be without a format. */
  readonly sum?: { readonly before: Value; readonly addend: Value };
}

/** Counts what a store loses, in the row of a buffer. Nothing is rounded otherwise for it: all is decided on what is loaded again. */
export const emitCounts = (b: Builder, buffer: string, row: number, storing: Storing): void => {
  const { value } = storing;
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
  const { isNaN, outside, flushed, rounded } = kindsOf(b, storing, kept, ieeeOf(type));
  add(storing.sum ? OVERFLOWED : SATURATED, outside);
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
const loadedAgain = (b: Builder, { value, stored, together, sum }: Storing): Value => {
  const { format } = stored;
  const type = scalarOf(value.type);
  if (sum) {
    const code = b.add(format.emitEncode(b, sum.before), format.addend!.emitEncode(b, sum.addend));
    return format.emitDecode(b, lowest(b, code, format.bits, codeType(format.bits)), type);
  }
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
const kindsOf = (b: Builder, { value, stored: { format }, sum }: Storing, kept: Value, ieee: Ieee) => {
  const constant = (bits: bigint): Value => ieee.constant(b, bits);
  const not = (x: Value): Value => b.cmp('eq', x, b.constant(false, 'i1'));
  const word = b.bitcast(value, ieee.word);
  const size = b.and(word, constant(ieee.sign - 1n));
  const isMore = (bits: Value, limit: number): Value => b.cmp('gt', bits, constant(ieee.bitsOf(Math.abs(limit))));
  const sizeOf = (x: Value): Value => b.and(b.bitcast(x, ieee.word), constant(ieee.sign - 1n));
  const isNaN = b.cmp('gt', sizeOf(sum ? sum.addend : value), constant(ieee.infinity));
  const isSome = b.cmp('ge', size, constant(ieee.leastNormal));
  const { least, most } = limitsOf(format, ieee.type);
  const isNegative = b.cmp('ge', word, constant(ieee.sign));
  /* A sum that has wrapped is off by all that there is, others by half a step. */
  const isOutside = sum
    ? isMore(sizeOf(b.sub(kept, value)), (most - least) / 2)
    : b.and(isSome, b.select(isNegative, isMore(size, least), isMore(size, most)));
  const isGone = b.cmp('eq', sizeOf(kept), constant(0n));
  const within = b.and(isSome, not(isOutside));
  return {
    isNaN,
    outside: b.and(isOutside, not(isNaN)),
    flushed: b.and(within, isGone),
    rounded: b.and(within, not(isGone)),
  };
};

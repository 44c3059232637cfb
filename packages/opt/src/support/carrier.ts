import {
  type Buffer,
  type IdSource,
  type Op,
  type Value,
  isVector,
  lanesOf,
  makeOp,
  makeValue,
  scalarOf,
} from '@filigree/ir';
import { simpleOp } from './values.js';

/** A `temp` buffer that carries a value from one launch to the next. */
export const carrierOf = (v: Value, name: string): Buffer => ({
  name,
  type: scalarOf(v.type),
  length: lanesOf(v.type),
  role: 'temp',
});

/** Ops that leave a value in its carrier. */
export const leave = (v: Value, { name }: Pick<Buffer, 'name'>, ids: IdSource): readonly Op[] => {
  const zero = zeroIndex(ids);
  return [zero, makeOp('mem.store', [v, zero.results[0]!], [], { buffer: `@${name}` }, [], undefined)];
};

/** Ops that take it from there. */
export const take = (v: Value, { name }: Pick<Buffer, 'name'>, ids: IdSource): readonly Op[] => {
  const zero = zeroIndex(ids);
  const lanes = isVector(v.type) ? { lanes: v.type.lanes } : {};
  return [zero, simpleOp('mem.load', [zero.results[0]!], { buffer: `@${name}`, ...lanes }, v)];
};

const zeroIndex = (ids: IdSource): Op =>
  simpleOp('arith.constant', [], { value: 0 }, makeValue(ids.next(), 'i32', undefined));

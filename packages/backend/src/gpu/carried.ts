import { type Buffer, type IdSource, type Op, type Value, makeOp, makeValue, scalarOf } from '@filigree/ir';

/** A `temp` buffer that carries one number from one launch to the next. */
export const carrierOf = (v: Value, name: string): Buffer => ({
  name,
  type: scalarOf(v.type),
  length: 1,
  role: 'temp',
});

/** Ops that leave a value in its carrier. */
export const leave = (v: Value, { name }: Buffer, ids: IdSource): readonly Op[] => {
  const zero = zeroIndex(ids);
  return [zero, makeOp('mem.store', [v, zero.results[0]!], [], { buffer: `@${name}` }, [], undefined)];
};

/** Ops that take it from there. */
export const take = (v: Value, { name }: Buffer, ids: IdSource): readonly Op[] => {
  const zero = zeroIndex(ids);
  return [zero, makeOp('mem.load', [zero.results[0]!], [v], { buffer: `@${name}` }, [], undefined)];
};

const zeroIndex = (ids: IdSource): Op =>
  makeOp('arith.constant', [], [makeValue(ids.next(), 'i32', undefined)], { value: 0 }, [], undefined);

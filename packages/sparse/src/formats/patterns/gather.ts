import type { TypedArray } from '@filigree/ir';

/**
 * A pattern made from another one, with the way back: entry `e` of `pattern` is entry `from[e]` of the source, or new and
 * zero where `from[e]` is −1 (padding of a block). Values of any kind follow by `gather`.
 */
export interface Rearranged<P> {
  readonly pattern: P;
  readonly from: Int32Array;
}

/**
 * `out[e] = values[from[e]]`, in an array of the same kind as `values`; `zero` where `from[e]` is negative. For symbolic
 * values give the node id of zero.
 */
export const gather = <A extends TypedArray>(values: A, from: Int32Array, zero?: A[number]): A => {
  const out = new (values.constructor as new (n: number) => A)(from.length);
  const fill = zero ?? ((isBig(values) ? 0n : 0) as A[number]);
  for (let e = 0; e < from.length; e++) {
    const at = from[e];
    out[e] = at < 0 ? fill : values[at];
  }
  return out;
};

const isBig = (a: TypedArray): boolean => {
  const name = a.constructor.name;
  return name === 'BigInt64Array' || name === 'BigUint64Array';
};

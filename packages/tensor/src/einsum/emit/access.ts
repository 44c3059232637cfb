import type { Builder, Value } from '@filigree/ir';
import type { Interval } from '../layout/layout.js';
import type { Operand } from '../plan/plan.js';
import { entriesAlong, type Storage, storageOf } from './storage.js';

/** A tensor in a buffer, as an action reaches it. */
export interface Access {
  readonly buffer: string;
  /** Where its storage begins within the buffer. */
  readonly base: Value;
  /** One letter a dimension, in the order of storage. */
  readonly indices: string;
  readonly storage: Storage;
  readonly shape: readonly number[];
  /** It holds nothing when the kernel begins, its padding neither. */
  readonly temporary: boolean;
}

export const accessOf = (operand: Operand, buffer: string, base: Value, temporary: boolean): Access => ({
  buffer,
  base,
  indices: operand.indices,
  storage: storageOf(operand.layout, operand.pattern.shape),
  shape: operand.pattern.shape,
  temporary,
});

/** Elements between neighbours along an index of a dense tensor, 0 where it has no such index. */
export const strideAlong = ({ storage: { layout }, indices }: Access, letter: string): number => {
  const d = indices.indexOf(letter);
  return d < 0 || layout.kind !== 'dense' ? 0 : layout.strides[d]!;
};

/** Where a dense tensor may hold something along an index; `undefined` where it has no such index. */
export const extentAlong = ({ storage: { layout }, indices, shape }: Access, letter: string): Interval | undefined => {
  const d = indices.indexOf(letter);
  if (d < 0) return undefined;
  return layout.kind === 'dense' ? entriesAlong(layout, shape)[d]! : [0, shape[d]!];
};

/** Where the box of a dense tensor begins along an index. */
export const boxStart = ({ storage: { layout }, indices }: Access, letter: string): number => {
  const d = indices.indexOf(letter);
  return d < 0 || layout.kind !== 'dense' ? 0 : layout.box[d]![0];
};

export const isDense = ({ storage: { layout } }: Access): boolean => layout.kind === 'dense';

/** Sums of constants and values that are known when code runs; what is known now is added up now. */
export const addConstant = (b: Builder, value: Value, constant: number): Value =>
  constant === 0 ? value : b.add(value, b.i32(constant));

export const addScaled = (b: Builder, value: Value, index: Value, by: number): Value =>
  by === 0 ? value : b.add(value, by === 1 ? index : b.mul(index, b.i32(by)));

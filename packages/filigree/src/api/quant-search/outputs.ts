import type { AnyField } from '@filigree/sparse/fields';
import type { FieldProgram } from '../program.js';

/** Boxes that hold all active elements of outputs; what is sparse lies anywhere in memory, so it is compared by its place. */
export type Boxes = readonly ReturnType<ReturnType<FieldProgram['field']>['bounds']>[];

export const boxesOf = (sim: FieldProgram, outputs: readonly AnyField[]): Boxes =>
  outputs.map((f) => sim.field(f).bounds());

/** All numbers of outputs in boxes, seen as `of` says. */
export const numbersIn = (
  outputs: readonly AnyField[],
  boxes: Boxes,
  of: (field: AnyField) => unknown,
): readonly Float64Array[] =>
  outputs.map((f, n) => {
    const field = of(f) as { toArray: (box: Boxes[number]) => ArrayLike<number | bigint> };
    return boxes[n] === undefined ? new Float64Array(0) : Float64Array.from(field.toArray(boxes[n]), Number);
  });

/** The root mean square of numbers, but for how many they are. */
export const size = (values: Float64Array): number => Math.sqrt(values.reduce((sum, v) => sum + v * v, 0));

/** What numbers are off, relative to the exact ones; infinite where one is no number. */
export const apart = (values: Float64Array, exact: Float64Array): number => {
  const off = Math.sqrt(values.reduce((sum, v, n) => sum + (v - exact[n]) ** 2, 0));
  return off === 0 ? 0 : Number.isFinite(off) ? off / size(exact) : Infinity;
};

import type { Builder, Value } from '@filigree/ir';
import { addConstant, addScaled } from './access.js';

/** Places that are multiplied: one load each. */
export type DenseTerm = readonly Place[];

/** Where something lies for the first values of all loops. */
export interface Place {
  readonly buffer: string;
  readonly at: Value;
}

export interface DenseLoop {
  readonly trips: number;
  /** Elements that the target and each source of a term go on by. */
  readonly strides: readonly number[];
  /** The target does not depend on it. */
  readonly summed: boolean;
}

export interface Cursor {
  readonly target: Place;
  readonly terms: readonly DenseTerm[];
}

export const advance = (b: Builder, cursor: Cursor, i: Value, { strides }: DenseLoop): Cursor => ({
  target: move(b, cursor.target, i, strides[0]!),
  terms: cursor.terms.map((t) => t.map((p, k) => move(b, p, i, strides[k + 1]!))),
});

export const move = (b: Builder, place: Place, i: Value, by: number): Place => ({
  buffer: place.buffer,
  at: addScaled(b, place.at, i, by),
});

/** Where a few steps along a loop lead, as many as are known. */
export const step = (b: Builder, place: Place, steps: number, by: number): Place => ({
  buffer: place.buffer,
  at: addConstant(b, place.at, steps * by),
});

export const over = (
  b: Builder,
  loops: readonly DenseLoop[],
  attrs: Attrs,
  cursor: Cursor,
  body: (cursor: Cursor) => void,
): void => {
  const [first, ...rest] = loops;
  if (first === undefined) return body(cursor);
  b.for(b.i32(0), b.i32(first.trips), b.i32(1), attrs, [], (i) =>
    over(b, rest, {}, advance(b, cursor, i, first), body),
  );
};

/** What is said of the outermost loop. */
export type Attrs = { readonly parallel?: true };

/** Whole vectors, then halves of them down to single lanes. */
export const pieces = (trips: number, lanes: number): readonly { from: number; to: number; width: number }[] => {
  const found: { from: number; to: number; width: number }[] = [];
  let from = 0;
  for (let width = lanes; width >= 1; width = width >> 1) {
    const to = from + Math.floor((trips - from) / width) * width;
    if (to > from) found.push({ from, to, width });
    from = to;
  }
  return found;
};

export const alongLanes = (
  b: Builder,
  loop: DenseLoop,
  attrs: Attrs,
  lanes: number,
  cursor: Cursor,
  body: (cursor: Cursor, width: number) => void,
): void => {
  for (const { from, to, width } of pieces(loop.trips, lanes)) {
    const at = (i: Value): void => body(advance(b, cursor, i, loop), width);
    if (to - from === width) at(b.i32(from));
    else b.for(b.i32(from), b.i32(to), b.i32(width), width === lanes ? attrs : {}, [], at);
  }
};

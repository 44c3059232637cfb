import { fail } from '@filigree/ir';
import { activeIn } from './active.js';
import type { GridElement, Grid1, Grid2, Grid3, Grid4 } from './grid-types.js';
import { parallel } from './host-random.js';

/** What a loop of a kernel runs over. On the host it runs in order. */
export class LoopSpace<T extends number | readonly number[]> implements Iterable<T> {
  constructor(readonly inSequence: () => Iterable<T>) {}

  [Symbol.iterator](): Iterator<T> {
    return parallel(this.inSequence());
  }
}

/**
 * The whole numbers from 0, or from `from`, up to but without `to`. In a kernel an outermost loop over them is parallel.
 * Throws `lang/range` on what is no whole number, or a step that is not positive.
 */
export function range(to: number): LoopSpace<number>;
export function range(from: number, to: number, step?: number): LoopSpace<number>;
export function range(a: number, b?: number, step = 1): LoopSpace<number> {
  const [from, to] = b === undefined ? [0, a] : [a, b];
  whole(from);
  whole(to);
  if (!Number.isInteger(step) || step <= 0)
    fail('lang/range', `a step is a positive whole number, not ${step}`, { remedy: 'count upwards and subtract' });
  return new LoopSpace(function* () {
    for (let i = from; i < to; i += step) yield i;
  });
}

/** Bounds along one axis: a number of indices from 0, or from the first up to but without the second. */
export type Bounds = number | readonly [from: number, to: number];

/**
 * All indices of a box, the last running fastest: `ndrange(n, m)`, `ndrange([1, n - 1], [1, m - 1])`. In a kernel an
 * outermost loop over them is parallel. Throws `lang/range` on bounds that are no whole numbers.
 */
export const ndrange = <const B extends readonly Bounds[]>(
  ...bounds: B
): LoopSpace<{ -readonly [K in keyof B]: number }> => {
  const box = bounds.map((b): readonly [number, number] => (typeof b === 'number' ? [0, b] : b));
  if (box.length === 0) fail('lang/range', 'ndrange takes the bounds of at least one axis');
  for (const b of box.flat()) whole(b);
  return new LoopSpace(() => indicesOf(box)) as unknown as LoopSpace<{ -readonly [K in keyof B]: number }>;
};

/**
 * The active elements of a field: numbers for one axis, tuples for more. What becomes active during the loop is not
 * visited. On the host: every element of nested arrays, and the active ones of a sparse grid.
 */
export function active<E extends GridElement>(u: Grid1<E>): LoopSpace<number>;
export function active<E extends GridElement>(u: Grid2<E>): LoopSpace<[number, number]>;
export function active<E extends GridElement>(u: Grid3<E>): LoopSpace<[number, number, number]>;
export function active<E extends GridElement>(u: Grid4<E>): LoopSpace<[number, number, number, number]>;
export function active(u: object): unknown {
  return new LoopSpace<number | readonly number[]>(function* () {
    for (const at of activeIn(u)) yield at.length === 1 ? at[0] : at;
  });
}

/** Unrolls a loop when the kernel is compiled, with its variable known there. The bounds must be known too; a list is unrolled anyway. */
export function unrolled<T extends number | readonly number[]>(space: LoopSpace<T>): Iterable<T>;
export function unrolled<const T>(list: readonly T[]): Iterable<T>;
export function unrolled(over: LoopSpace<number> | readonly unknown[]): Iterable<unknown> {
  return over instanceof LoopSpace ? over.inSequence() : over;
}

/** Runs a loop in sequence that would be parallel for being outermost, over the items of an array or the rows of a field too. */
export function serially<T extends number | readonly number[]>(space: LoopSpace<T>): Iterable<T>;
export function serially<T>(list: Iterable<T>): Iterable<T>;
export function serially(over: LoopSpace<number> | Iterable<unknown>): Iterable<unknown> {
  return over instanceof LoopSpace ? over.inSequence() : over;
}

function* indicesOf(box: readonly (readonly [number, number])[]): Generator<number[], void, undefined> {
  const at = box.map(([from]) => from);
  if (box.some(([from, to]) => from >= to)) return;
  for (;;) {
    yield [...at];
    let axis = box.length - 1;
    while (axis >= 0 && ++at[axis] === box[axis][1]) at[axis] = box[axis--][0];
    if (axis < 0) return;
  }
}

const whole = (x: number): void => {
  if (!Number.isInteger(x)) fail('lang/range', `bounds are whole numbers, not ${x}`, { remedy: 'use i32(…)' });
};

import type { TypedArray } from '@filigree/ir';

/** A box of elements in a typed array: the first of them, and how far it is from one to the next along each axis. */
export interface Strided {
  readonly array: TypedArray;
  readonly first: number;
  readonly steps: readonly number[];
}

/** Copies a box of elements of these sides from one array to another of numbers. */
export const copyStrided = (from: Strided, to: Strided, sides: readonly number[]): void => {
  if (sides.includes(0)) return;
  copyAlong(from, to, joinedAxes(from.steps, to.steps, sides));
};

/** The same along axes that are known. */
export const copyAlong = (
  from: Pick<Strided, 'array' | 'first'>,
  to: Pick<Strided, 'array' | 'first'>,
  axes: readonly Axis[],
): void => copyAxes(from.array, from.first, to.array, to.first, axes, 0, copyRows);

/** The same of arrays of words, which engines copy several times as fast by code that sees no other arrays. */
export const copyWordsAlong = (
  from: { readonly array: Int32Array; readonly first: number },
  to: { readonly array: Int32Array; readonly first: number },
  axes: readonly Axis[],
): void => copyAxes(from.array, from.first, to.array, to.first, axes, 0, copyRowsOfWords);

/** An axis of a copy: its elements, and how far they are apart on both sides. */
export interface Axis {
  readonly side: number;
  readonly step: number;
  readonly targetStep: number;
}

/** At least two axes, outermost first. What follows one another in memory, on both sides, counts as one axis. */
export const joinedAxes = (
  steps: readonly number[],
  targetSteps: readonly number[],
  sides: readonly number[],
): Axis[] => {
  const last = sides.length - 1;
  const axes: Axis[] = [{ side: sides[last], step: steps[last], targetStep: targetSteps[last] }];
  for (let a = last - 1; a >= 0; a--) {
    const { side, step, targetStep } = axes[0];
    if (steps[a] === step * side && targetSteps[a] === targetStep * side)
      axes[0] = { side: side * sides[a], step, targetStep };
    else axes.unshift({ side: sides[a], step: steps[a], targetStep: targetSteps[a] });
  }
  return axes.length > 1 ? axes : [{ side: 1, step: 0, targetStep: 0 }, ...axes];
};

const copyAxes = <A extends TypedArray>(
  from: A,
  first: number,
  to: A,
  target: number,
  axes: readonly Axis[],
  depth: number,
  rows: (from: A, first: number, to: A, target: number, rows: Axis, row: Axis) => void,
): void => {
  if (depth === axes.length - 2) return rows(from, first, to, target, axes[depth], axes[depth + 1]);
  const { side, step, targetStep } = axes[depth];
  for (let n = 0; n < side; n++) copyAxes(from, first + n * step, to, target + n * targetStep, axes, depth + 1, rows);
};

const copyRows = (from: TypedArray, first: number, to: TypedArray, target: number, rows: Axis, row: Axis): void => {
  const { side, step, targetStep } = row;
  const whole = step === 1 && targetStep === 1 && side >= LONG;
  for (let n = 0, a = first, b = target; n < rows.side; n++, a += rows.step, b += rows.targetStep)
    if (whole) (to as Float64Array).set((from as Float64Array).subarray(a, a + side), b);
    else for (let k = 0; k < side; k++) to[b + k * targetStep] = from[a + k * step];
};

/** Rows of at least this length are worth a call of what engines do fast: a loop over arrays of several types takes longer for each element than such a call begins with. */
const LONG = 4;

const copyRowsOfWords = (
  from: Int32Array,
  first: number,
  to: Int32Array,
  target: number,
  rows: Axis,
  row: Axis,
): void => {
  const { side, step, targetStep } = row;
  const [far, targetFar] = [rows.step, rows.targetStep];
  const isAdjacent = step === 1 && targetStep === 1;
  /* Each in a loop of its own: numbers of 8 bytes that lie between others take half the time so. */
  if (isAdjacent && side === 2)
    for (let n = 0, a = first, b = target; n < rows.side; n++, a += far, b += targetFar) {
      to[b] = from[a];
      to[b + 1] = from[a + 1];
    }
  else if (isAdjacent && side >= MANY_WORDS)
    for (let n = 0, a = first, b = target; n < rows.side; n++, a += far, b += targetFar)
      to.set(from.subarray(a, a + side), b);
  else
    for (let n = 0, a = first, b = target; n < rows.side; n++, a += far, b += targetFar)
      for (let k = 0; k < side; k++) to[b + k * targetStep] = from[a + k * step];
};

/** As `LONG`, of words alone. */
const MANY_WORDS = 32;

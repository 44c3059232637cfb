import { AXIS_NAMES, optionKind, type OptionKind } from '@filigree/ir';

/** A direction of an index space. Nodes on one path that split the same axis split it further and further. */
export type Axis = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
/** Axes of an index space, ascending. */
export type Axes = readonly Axis[];

/* The axes by their usual names, alone and together: `dense(ij, 256)`. */
export const i: readonly [0] = [0];
export const j: readonly [1] = [1];
export const k: readonly [2] = [2];
export const l: readonly [3] = [3];
export const ij: readonly [0, 1] = [0, 1];
export const ijk: readonly [0, 1, 2] = [0, 1, 2];
export const ijkl: readonly [0, 1, 2, 3] = [0, 1, 2, 3];

/** Most axes that a field may have. */
export const MAX_AXES = AXIS_NAMES.length;

export const axisName = (axis: number): string => AXIS_NAMES[axis] ?? String(axis);

export const areAxes = (x: unknown): x is Axes =>
  Array.isArray(x) &&
  x.length > 0 &&
  x.every((a) => Number.isInteger(a) && (a as number) >= 0 && (a as number) < MAX_AXES) &&
  new Set(x).size === x.length;

/** Different axes, as an option. */
export const axesOption: OptionKind = optionKind('different axes such as ij, or [...j, ...k]', areAxes);

import type { DataType } from './recording.js';

/** How much of the largest number of an array may lie between two runs: sums in another order, products that are added without rounding. */
export const RELATIVE: Readonly<Partial<Record<DataType, number>>> = { f32: 1e-4, f64: 1e-9 };

/** The same, as the runner reads it. */
export const byRelative = (type: DataType): string => `relative ${RELATIVE[type] ?? 0}`;

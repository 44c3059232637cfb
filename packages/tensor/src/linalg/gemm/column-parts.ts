import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { planGemm } from './plan-gemm.js';

/** A product of some neighbouring columns of B and C, and where these begin, in elements from where those of all columns do. */
export interface ColumnPart {
  readonly spec: GemmSpec;
  readonly bAt: number;
  readonly cAt: number;
}

/**
 * A product that a loop repeats with the same sparse B, in parts of about as many entries, so that what is written out for each has a place in
 * the instruction cache: a loop over each part reads its code once, where a loop over all reads all code in every trip.
 */
export const columnParts = (spec: GemmSpec, target: GemmTarget): readonly ColumnPart[] => {
  const { b, c, n } = spec;
  if (b.kind === 'dense') return [whole(spec)];
  const wanted = Math.ceil(planGemm(spec, target).codeBytes / (PLACE * target.instructionCache));
  const parts = Math.min(wanted, b.columns.length);
  if (parts <= 1) return [whole(spec)];
  const before = (p: number): number => b.columns[Math.ceil((p * b.columns.length) / parts) - 1] + 1;
  const ends = new Set([...Array.from({ length: parts - 1 }, (_, p) => before(p + 1)), n]);
  return [...ends].map((end, p, all) => {
    const from = p === 0 ? 0 : all[p - 1];
    const [first, last] = [from, end].map((column) => b.columns.filter((j) => j < column).length);
    const bAt = b.stored ? from * b.stored.columnStride : 0;
    return {
      spec: {
        ...spec,
        n: end - from,
        b: {
          ...b,
          rows: b.rows.slice(first, last),
          columns: b.columns.slice(first, last).map((j) => j - from),
          positions: b.positions.slice(first, last).map((at) => at - bAt),
        },
      },
      bAt,
      cAt: from * c.columnStride,
    };
  });
};

/** All columns as one part. */
export const whole = (spec: GemmSpec): ColumnPart => ({ spec, bAt: 0, cAt: 0 });

/** How much of the instruction cache a part may take, beside the code around it. */
const PLACE = 3 / 4;

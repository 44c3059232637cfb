import { byteSize } from '@filigree/ir';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { planGemm } from './plan-gemm.js';

/** Products of so many steps over k each, one after another from step `at` on, that are added up. */
export interface DepthBlock {
  readonly spec: GemmSpec;
  readonly at: number;
  readonly count: number;
}

/**
 * A product of large dense matrices as a sum of products of some steps over k each, where that pays: what tiles return to of A then stays near, and
 * what they read of B in a second-level cache, however large the matrices are. All others are one block. Sums are reassociated.
 */
export const depthBlocks = (spec: GemmSpec, target: GemmTarget): readonly DepthBlock[] => {
  const { m, n, k, a, b, type } = spec;
  const count = Math.ceil(k / DEPTH);
  const whole = [{ spec, at: 0, count: 1 }];
  if (count < 2 || a.kind === 'sparse' || b.kind === 'sparse') return whole;
  const depth = Math.floor(k / count);
  /* The first, which may not add to C, takes what is left over. */
  const first = { ...spec, k: k - (count - 1) * depth };
  const others: GemmSpec = { ...spec, k: depth, beta: 1 };
  const again = (m * n * byteSize(type) * RESULT_LINE) / 64;
  const cycles = planGemm(first, target).cycles + (count - 1) * (planGemm(others, target).cycles + again);
  if (cycles >= planGemm(spec, target).cycles) return whole;
  return [
    { spec: first, at: 0, count: 1 },
    { spec: others, at: first.k, count: count - 1 },
  ];
};

/** Most steps over k of a block: 16 rows in f32, and 6 columns, stay in a first-level cache. */
const DEPTH = 256;

/** Cycles for a line of C that is read again for a block. */
const RESULT_LINE = 6;

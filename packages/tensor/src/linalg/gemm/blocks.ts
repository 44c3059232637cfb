import { byteSize } from '@filigree/ir';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { planGemm } from './plan-gemm.js';

/** Products of parts of a large one, all of one size, which lie one after another along the columns of C and along k. */
export interface GemmBlock {
  readonly spec: GemmSpec;
  readonly columns: Run;
  readonly depth: Run;
}

/** Where the first of some parts begins, and how many there are. */
export interface Run {
  readonly at: number;
  readonly count: number;
}

/**
 * A product of large dense matrices as products of parts of it, one after the other, where that pays: so many steps over k that what tiles return
 * to of A stays near, and so many columns that what they read of B stays in a second-level cache, however large the matrices are. All others are
 * one block. Sums are reassociated.
 */
export const blocksOf = (spec: GemmSpec, target: GemmTarget): readonly GemmBlock[] => {
  const deep = depthBlocks(spec, target);
  const { n, k, type } = spec;
  if (deep.length === 1 || Math.min(k, DEPTH) * n * byteSize(type) <= SECOND_LEVEL) return deep;
  const count = Math.ceil(n / COLUMNS);
  const width = Math.floor(n / count);
  const first = n - (count - 1) * width;
  const over = (n: number, columns: Run): readonly GemmBlock[] =>
    depthBlocks({ ...spec, n }, target).map((block) => ({ ...block, columns }));
  return first === width
    ? over(width, { at: 0, count })
    : [...over(first, only), ...over(width, { at: first, count: count - 1 })];
};

const depthBlocks = (spec: GemmSpec, target: GemmTarget): readonly GemmBlock[] => {
  const { m, n, k, a, b, type } = spec;
  const count = Math.ceil(k / DEPTH);
  const whole = [{ spec, columns: only, depth: only }];
  if (count < 2 || a.kind === 'sparse' || b.kind === 'sparse') return whole;
  const depth = Math.floor(k / count);
  /* The first, which may not add to C, takes what is left over. */
  const first = { ...spec, k: k - (count - 1) * depth };
  const others: GemmSpec = { ...spec, k: depth, beta: 1 };
  const again = (m * n * byteSize(type) * RESULT_LINE) / 64;
  const cycles = planGemm(first, target).cycles + (count - 1) * (planGemm(others, target).cycles + again);
  if (cycles >= planGemm(spec, target).cycles) return whole;
  return [
    { spec: first, columns: only, depth: only },
    { spec: others, columns: only, depth: { at: first.k, count: count - 1 } },
  ];
};

const only: Run = { at: 0, count: 1 };

/** Most steps over k of a block: 16 rows in f32, and 6 columns, stay in a first-level cache. And its most columns, for each of which all rows are copied. */
const [DEPTH, COLUMNS] = [256, 256];

/** Bytes of B that stay in a second-level cache, beside what else passes by. */
const SECOND_LEVEL = 524288;

/** Cycles for a line of C that is read again for a block. */
const RESULT_LINE = 6;

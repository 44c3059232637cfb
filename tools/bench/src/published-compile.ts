import type { TableCase } from './table-cases.js';

/** What the authors of the method report of their own compiler (Herholz et al. 2022, Table 3), the smallest size of each program. They name no machine for it: it says that their times do not depend on it, and their other tables are of an Intel Core i9 at 2.3 GHz and an AMD EPYC. */
export interface PublishedCompile {
  /** Rows or vertices. */
  readonly size: number;
  readonly seconds: {
    readonly execute: number;
    readonly analyse: number;
    readonly generate: number;
    readonly gcc: number;
  };
  readonly peakGB: number;
}

const published = (
  size: number,
  execute: number,
  analyse: number,
  generate: number,
  gcc: number,
  peakGB: number,
): PublishedCompile => ({ size, seconds: { execute, analyse, generate, gcc }, peakGB });

export const PUBLISHED_COMPILE: Readonly<Partial<Record<TableCase, PublishedCompile>>> = {
  'numeric-0': published(100_000, 81.458, 174.911, 1.472, 1.149, 7.7),
  cotan: published(200_000, 20.607, 137.935, 1.93, 1.473, 8.2),
  'dual-laplacian': published(7_000, 16.049, 143.564, 1.415, 7.503, 10),
  arap: published(300_000, 312.58, 376.669, 0.506, 3.127, 34.3),
  'cloth-hessian': published(20_000, 33.512, 24.217, 0.025, 1.587, 3.7),
};

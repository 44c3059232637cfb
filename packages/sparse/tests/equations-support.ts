import * as E from 'fp-ts/lib/Either.js';
import type { Diagnostics, Module } from '@filigree/ir';
import {
  evaluateRegions,
  forEachRun,
  solveProgram,
  type InterestRegion,
  type PointSet,
  type ReadProgramOptions,
  type Regions,
  type SolvedProgram,
} from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';

export const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.map((d) => `${d.code}: ${d.message}`).join('\n'));
  return e.right;
};

/** Numbers in [0, 1) that a seed decides. */
export const randomSource = (seed: number): (() => number) => {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
};

const randomPattern = (random: () => number, rows: number, cols: number, density: number): CsrPattern => {
  const rowPtr = new Int32Array(rows + 1);
  const colIdx: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) if (random() < density) colIdx.push(j);
    rowPtr[i + 1] = colIdx.length;
  }
  return { rows, cols, rowPtr, colIdx: Int32Array.from(colIdx) };
};

/** Random patterns of all inputs. */
export const randomInputs = (
  solved: SolvedProgram,
  random: () => number,
  density: number,
): Record<string, CsrPattern> =>
  Object.fromEntries(
    solved.program.arrays
      .filter((a) => a.role === 'input' || a.role === 'inout')
      .map((a) => {
        const [rows, cols] = a.shape.length === 2 ? a.shape : [a.shape.reduce((n, x) => n * x, 1), 1];
        return [a.name, randomPattern(random, rows, cols, density)];
      }),
  );

/** A dense array of a pattern: random numbers from 1 to 2 at its places, 0 elsewhere. */
export const valuesOf = (p: CsrPattern, random: () => number): Float64Array => {
  const out = new Float64Array(p.rows * p.cols);
  for (let i = 0; i < p.rows; i++)
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) out[i * p.cols + p.colIdx[e]] = 1 + random();
  return out;
};

export const regionsOf = (
  module: Module,
  inputs: (s: SolvedProgram) => Record<string, CsrPattern>,
  options: ReadProgramOptions = {},
): Regions => {
  const solved = right(solveProgram(module, options));
  return right(evaluateRegions(solved, inputs(solved)));
};

export const codesOf = (set: PointSet): number[] => {
  const out: number[] = [];
  forEachRun(set, (from, to) => {
    for (let c = from; c < to; c++) out.push(c);
  });
  return out;
};

/** The iterations of a region as `i,j,k`. */
export const iterationsOf = (r: InterestRegion): string[] =>
  codesOf(r.points()).map((c) =>
    r.box.strides.map((s, d) => (Math.floor(c / s) % r.box.extent[d]) + r.box.lower[d]).join(),
  );

import type { CsrPattern } from '../../formats/csr.js';
import { rowShapes } from '../row-shapes.js';
import { groupBy } from './group-by.js';

/**
 * A part of a matrix whose rows are computed by one loop: units of `height` consecutive rows that have the same columns.
 * What is not a function of the loop is a table.
 */
export interface Region {
  readonly height: number;
  /** Columns of every unit, or of each. */
  readonly length: number | Int32Array;
  /** The first row of each unit: a progression, one by one, or segments of consecutive ones. */
  readonly rows: Progression | Int32Array | Segments;
  readonly columns: Columns;
  /** How many units there are. */
  readonly count: number;
  /** Position of the region's first value, in the order that the plan visits values. */
  readonly start: number;
  /** Whether the code of a unit is written out; else it is a loop over its columns. */
  readonly unrolled: boolean;
}

export interface Progression {
  readonly first: number;
  readonly step: number;
}

/**
 * Runs of consecutive rows, which fill lanes. Within a segment the values lie entry by entry, so that the same entry of
 * consecutive rows is contiguous; elsewhere they lie unit by unit, a unit column by column.
 */
export interface Segments {
  readonly firsts: Int32Array;
  readonly counts: Int32Array;
}

/** Columns of a unit: constants away from its first row, from an anchor of its own, or all in a table (unit by unit). */
export type Columns =
  | { readonly from: 'row'; readonly offsets: Int32Array }
  | { readonly from: 'anchor'; readonly offsets: Int32Array; readonly anchors: Int32Array }
  | { readonly from: 'table'; readonly table: Int32Array };

export interface RowPlan {
  readonly regions: readonly Region[];
  /** For each value in the plan's order, its position in the CSR values. */
  readonly from: Int32Array;
}

export interface RowPlanOptions {
  /** Rows are computed in their own order, as a triangular solve needs; default false. */
  readonly inOrder?: boolean;
  /** Terms of a unit that may be written out; default what pays for a product with a vector. */
  readonly unitTerms?: number;
}

/** What the cost model knows, measured with g++ 12 on processors with 256-bit vectors. */
const COST = {
  /** Rows in a run from which on lanes pay. */
  lanes: 8,
  /** Units from which on a loop of their own pays for a shape. */
  units: 4,
  /** Values from which on a loop of its own pays for a shape that is not written out. */
  values: 256,
  /** Terms of a unit that are written out at most, and of all units of a plan: compilers take their time. */
  unitTerms: 96,
  terms: 800,
  /** Loops of a plan at most, besides those for what has no shape. */
  loops: 32,
  /** Rows of a unit at most. */
  height: 8,
};

/**
 * Chooses how the rows of a matrix are computed, so that no region does more work than plain CSR: rows at regular distances
 * with the same columns relative to themselves need no index at all, others of one shape one index a unit, and the rest one
 * index a column; rows that share their columns share those indices and what is loaded through them.
 */
export const planRows = (pattern: CsrPattern, options: RowPlanOptions = {}): RowPlan => {
  const unitTerms = options.unitTerms ?? COST.unitTerms;
  const groups = options.inOrder === true ? orderedGroups(pattern, unitTerms) : groupedUnits(pattern, unitTerms);
  const from = new Int32Array(pattern.colIdx.length);
  const regions: Region[] = [];
  let start = 0;
  for (const g of groups) {
    const region = regionOf(pattern, g, start);
    start = fillOrder(pattern, region, g.firsts, from);
    regions.push(region);
  }
  return { regions, from };
};

/** Units of one height, by their first rows, with what they have in common. */
interface UnitGroup {
  readonly height: number;
  readonly firsts: readonly number[];
  readonly common: 'row' | 'anchor' | 'length' | 'nothing';
  /** Rows in long runs, for lanes. */
  readonly lanes: boolean;
  readonly unrolled: boolean;
}

/** Shapes relative to the row first; what is left relative to the first column; then by length alone; then the rest. */
const groupedUnits = (p: CsrPattern, unitTerms: number): UnitGroup[] => {
  const height = unitHeights(p);
  const found: UnitGroup[] = [];
  let left: number[] = [];
  for (let i = 0; i < p.rows; i += height[i]) left.push(i);
  for (const common of ['row', 'anchor', 'length'] as const) {
    const shape = shapesBy(p, common);
    const groups = groupBy(left, (i) => shape(i) * COST.height + height[i] - 1);
    left = [];
    for (const firsts of groups) {
      const of = { height: height[firsts[0]], common, unrolled: false };
      const [runs, others] = common === 'row' && of.height === 1 ? longRuns(firsts) : [[], firsts];
      if (runs.length > 0) found.push({ ...of, firsts: runs, lanes: true });
      if (others.length >= COST.units) found.push({ ...of, firsts: others, lanes: false });
      else left.push(...others);
    }
    left.sort((a, b) => a - b);
  }
  const { chosen, others } = affordable(p, found, unitTerms);
  const rest = [...left, ...others.flatMap((g) => g.firsts)].sort((a, b) => lengthOf(p, a) - lengthOf(p, b) || a - b);
  for (const firsts of groupBy(rest, (i) => height[i])) {
    chosen.push({ height: height[firsts[0]], firsts, common: 'nothing', lanes: false, unrolled: false });
  }
  return chosen;
};

const shapesBy = (p: CsrPattern, common: 'row' | 'anchor' | 'length'): ((row: number) => number) => {
  if (common === 'length') return (i) => lengthOf(p, i);
  const { shapeOf } = rowShapes(p, common === 'row' ? (i) => i : (i) => p.colIdx[p.rowPtr[i]]);
  /* Empty rows, of shape −1, have one, too. */
  return (i) => shapeOf[i] + 1;
};

/** The groups that get a loop of their own, the largest first, until code grows too long; and the others. */
const affordable = (
  p: CsrPattern,
  groups: readonly UnitGroup[],
  unitTerms: number,
): { chosen: UnitGroup[]; others: UnitGroup[] } => {
  const size = (g: UnitGroup): number => g.height * lengthOf(p, g.firsts[0]);
  const values = (g: UnitGroup): number => size(g) * g.firsts.length;
  const chosen: UnitGroup[] = [];
  const others: UnitGroup[] = [];
  let terms = 0;
  for (const g of [...groups].sort((a, b) => values(b) - values(a))) {
    const unrolled = size(g) <= unitTerms && terms + size(g) <= COST.terms;
    const pays = unrolled || (g.common !== 'length' && values(g) >= COST.values);
    if (!pays || chosen.length === COST.loops) {
      others.push(g);
    } else {
      chosen.push({ ...g, unrolled });
      if (unrolled) terms += size(g);
    }
  }
  return { chosen, others };
};

/** Rows in runs of consecutive ones that are long enough for lanes, and the others. */
const longRuns = (rows: readonly number[]): [number[], number[]] => {
  const runs: number[] = [];
  const others: number[] = [];
  for (const [a, b] of consecutive(rows)) {
    const to = b - a >= COST.lanes ? runs : others;
    for (let k = a; k < b; k++) to.push(rows[k]);
  }
  return [runs, others];
};

/** Intervals of a sorted list whose rows follow one another. */
const consecutive = (rows: readonly number[]): [number, number][] => {
  const out: [number, number][] = [];
  for (let a = 0, b = 1; a < rows.length; a = b++) {
    while (b < rows.length && rows[b] === rows[b - 1] + 1) b++;
    out.push([a, b]);
  }
  return out;
};

/** The longest runs of rows of one shape, and what lies between them, all in order. */
const orderedGroups = (p: CsrPattern, unitTerms: number): UnitGroup[] => {
  const shape = shapesBy(p, 'row');
  const runs: [number, number][] = [];
  for (let a = 0, b = 1; a < p.rows; a = b++) {
    while (b < p.rows && shape(b) === shape(a)) b++;
    if (b - a >= COST.lanes) runs.push([a, b]);
  }
  const all = runs.map(([a, b]): UnitGroup => unitRows(a, b, 'row'));
  const { chosen } = affordable(p, all, unitTerms);
  const out: UnitGroup[] = [];
  let at = 0;
  for (const g of [...chosen].sort((x, y) => x.firsts[0] - y.firsts[0])) {
    if (g.firsts[0] > at) out.push(unitRows(at, g.firsts[0], 'nothing'));
    out.push(g);
    at = g.firsts[g.firsts.length - 1] + 1;
  }
  if (at < p.rows) out.push(unitRows(at, p.rows, 'nothing'));
  return out;
};

const unitRows = (from: number, to: number, common: UnitGroup['common']): UnitGroup => ({
  height: 1,
  firsts: Array.from({ length: to - from }, (_, k) => from + k),
  common,
  lanes: false,
  unrolled: false,
});

/** Rows of the unit that begins at a row, as many as share its columns. */
const unitHeights = (p: CsrPattern): Int32Array => {
  const height = new Int32Array(p.rows);
  for (let i = 0; i < p.rows;) {
    let e = i + 1;
    while (e < p.rows && e - i < COST.height && lengthOf(p, i) > 0 && sameColumns(p, i, e)) e++;
    height[i] = e - i;
    i = e;
  }
  return height;
};

const sameColumns = (p: CsrPattern, a: number, b: number): boolean => {
  const n = lengthOf(p, a);
  if (lengthOf(p, b) !== n) return false;
  for (let k = 0; k < n; k++) if (p.colIdx[p.rowPtr[a] + k] !== p.colIdx[p.rowPtr[b] + k]) return false;
  return true;
};

const lengthOf = (p: CsrPattern, i: number): number => p.rowPtr[i + 1] - p.rowPtr[i];

const regionOf = (p: CsrPattern, g: UnitGroup, start: number): Region => ({
  height: g.height,
  length: g.common === 'nothing' ? Int32Array.from(g.firsts, (i) => lengthOf(p, i)) : lengthOf(p, g.firsts[0]),
  rows: rowsOf(g),
  columns: columnsOf(p, g),
  count: g.firsts.length,
  start,
  unrolled: g.unrolled,
});

const rowsOf = ({ firsts, lanes, unrolled }: UnitGroup): Region['rows'] => {
  if (lanes && unrolled) {
    const runs = consecutive(firsts);
    return { firsts: Int32Array.from(runs, ([a]) => firsts[a]), counts: Int32Array.from(runs, ([a, b]) => b - a) };
  }
  const step = firsts.length > 1 ? firsts[1] - firsts[0] : 1;
  return firsts.every((f, k) => f === firsts[0] + k * step) ? { first: firsts[0], step } : Int32Array.from(firsts);
};

const columnsOf = (p: CsrPattern, { firsts, common }: UnitGroup): Columns => {
  const [begin, end] = [p.rowPtr[firsts[0]], p.rowPtr[firsts[0] + 1]];
  if (common === 'row') return { from: 'row', offsets: p.colIdx.slice(begin, end).map((j) => j - firsts[0]) };
  if (common === 'anchor') {
    const offsets = p.colIdx.slice(begin, end).map((j) => j - p.colIdx[begin]);
    return { from: 'anchor', offsets, anchors: Int32Array.from(firsts, (i) => p.colIdx[p.rowPtr[i]]) };
  }
  const table = new Int32Array(firsts.reduce((n, i) => n + lengthOf(p, i), 0));
  let at = 0;
  for (const i of firsts) {
    table.set(p.colIdx.subarray(p.rowPtr[i], p.rowPtr[i + 1]), at);
    at += lengthOf(p, i);
  }
  return { from: 'table', table };
};

/** Writes the order of a region's values; gives the position behind them. */
const fillOrder = (p: CsrPattern, r: Region, firsts: readonly number[], from: Int32Array): number => {
  let at = r.start;
  if ('counts' in r.rows) {
    const { firsts: begins, counts } = r.rows;
    begins.forEach((i, s) => {
      for (let k = 0; k < (r.length as number); k++)
        for (let u = 0; u < counts[s]; u++) from[at++] = p.rowPtr[i + u] + k;
    });
    return at;
  }
  for (const i of firsts) {
    for (let k = 0; k < lengthOf(p, i); k++) for (let h = 0; h < r.height; h++) from[at++] = p.rowPtr[i + h] + k;
  }
  return at;
};

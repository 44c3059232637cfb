import type { Interval, Layout } from '../layout/layout.js';

/** An operand as mappings see it: dimensions in the order of storage. */
export interface Placed {
  readonly indices: string;
  readonly layout: Layout;
}

/** A contraction of two operands to a target, and where its indices run. */
export interface Contraction {
  readonly target: Placed;
  readonly left: Placed;
  readonly right: Placed;
  readonly ranges: Readonly<Record<string, Interval>>;
}

/** A loop over matrix products that performs a contraction (§2.3). */
export interface LogMapping {
  /** The contraction's right operand gives the rows. */
  readonly swapped: boolean;
  readonly m: string;
  readonly n: string;
  readonly k: string;
  /** The outermost first. Summed indices come last. */
  readonly loops: string;
  readonly transposeLeft: boolean;
  readonly transposeRight: boolean;
  /** Matrices without a unit stride, and sums that are left to loops. */
  readonly slices: number;
  /** Extents of the matrix product, and how many of them there are. */
  readonly size: { readonly m: number; readonly n: number; readonly k: number; readonly count: number };
}

/**
 * All mappings of a contraction to loops over matrix products, in the manner of Springer and Bientinesi (listing 7):
 * rows, columns and sums each take a run of indices that is contiguous and fusable (9) in both tensors that have it;
 * the rest is looped over. A sparse operand gives the columns, and all of its indices belong to the matrix.
 */
export const logMappings = (c: Contraction): readonly LogMapping[] => [
  ...mappingsOf(c.target, c.left, c.right, c.ranges, false),
  ...mappingsOf(c.target, c.right, c.left, c.ranges, true),
];

/** Products of matrices side by side: where an index runs on lanes, and all others are loops around them. */
export interface BatchMapping {
  /** Contiguous, and first, in the target and both operands. */
  readonly along: string;
  /** Letters of rows, columns and sums; what is in none of them is in all three operands. */
  readonly m: string;
  readonly n: string;
  readonly k: string;
  /** Extents of one product, and how many of them there are. */
  readonly size: { readonly m: number; readonly n: number; readonly k: number; readonly count: number };
}

/**
 * The mapping of a contraction whose target and operands all begin with the same index, as `C_bij = A_bik B_bkj` does: no matrix
 * in it has a unit stride, while its products lie side by side. None where another index comes first in one of them, or where those that lie side by side fill
 * neither a vector nor half of one: a kernel of matrices gathers what it reads in less time than idle lanes take.
 */
export const batchMapping = ({ target, left, right, ranges }: Contraction, lanes: number): BatchMapping | undefined => {
  const all = [target, left, right];
  const along = target.indices[0];
  if (along === undefined) return undefined;
  const width = widthOf(all, ranges);
  if (width < 2 || (width < lanes && 2 * width !== lanes)) return undefined;
  const only = (a: Placed, b: Placed, lacks: Placed): string =>
    [...a.indices].filter((i) => b.indices.includes(i) && !lacks.indices.includes(i)).join('');
  const [m, n, k] = [only(target, left, right), only(target, right, left), only(left, right, target)];
  const extent = (letters: string): number => extentOf(letters, ranges);
  const shared = [...target.indices].filter((i) => !m.includes(i) && !n.includes(i)).join('');
  return { along, m, n, k, size: { m: extent(m), n: extent(n), k: extent(k), count: extent(shared) } };
};

/** How many values indices take together. */
const extentOf = (indices: string, ranges: Contraction['ranges']): number =>
  [...indices].reduce((n, i) => n * (ranges[i]![1] - ranges[i]![0]), 1);

/** How many entries follow one another in all operands, by the same indices. */
const widthOf = (all: readonly Placed[], ranges: Contraction['ranges']): number => {
  let width = 1;
  for (const [k, l] of [...all[0].indices].entries()) {
    const next = width;
    if (all.some((o) => o.layout.kind !== 'dense' || o.indices[k] !== l || o.layout.strides[k] !== next)) break;
    width *= ranges[l]![1] - ranges[l]![0];
  }
  return width;
};

const mappingsOf = (
  target: Placed,
  rows: Placed,
  columns: Placed,
  ranges: Contraction['ranges'],
  swapped: boolean,
): readonly LogMapping[] => {
  if (target.layout.kind !== 'dense' || rows.layout.kind !== 'dense') return [];
  const [c, a, b] = [target.indices, rows.indices, columns.indices];
  const has = (where: string, ...lacks: readonly string[]) =>
    [...where].filter((i) => lacks.every((l) => !l.includes(i)));
  const M = has(c, b);
  const N = has(c, a);
  const K = has(a, c);
  const batch = [...c].filter((i) => a.includes(i) && b.includes(i));
  const sparse = columns.layout.kind !== 'dense';
  if (sparse && batch.length > 0) return [];
  const length = (i: string): number => ranges[i][1] - ranges[i][0];
  const extent = (indices: string): number => extentOf(indices, ranges);
  const ms = runs(M, [target, rows], length);
  const ns = runs(N, sparse ? [target] : [target, columns], length).filter((n) => !sparse || n.length === N.length);
  const ks = runs(K, sparse ? [rows] : [rows, columns], length).filter((k) => !sparse || k.length === K.length);
  const found: LogMapping[] = [];
  for (const m of ms)
    for (const n of ns)
      for (const k of ks) {
        const left = orient(rows, m, k);
        const right = sparse ? NORMAL : orient(columns, k, n);
        const result = m === '' ? NORMAL : orient(target, m, '');
        const free = [...c].reverse().filter((i) => !m.includes(i) && !n.includes(i));
        const sums = K.filter((i) => !k.includes(i));
        const loops = [...free, ...sums].join('');
        found.push({
          swapped,
          m,
          n,
          k,
          loops,
          transposeLeft: left.transposed,
          transposeRight: right.transposed,
          slices: left.slices + right.slices + (result.transposed ? 1 : result.slices) + sums.length,
          size: { m: extent(m), n: extent(n), k: extent(k), count: extent(loops) },
        });
      }
  return found;
};

interface Orientation {
  readonly transposed: boolean;
  readonly slices: number;
}
const NORMAL: Orientation = { transposed: false, slices: 0 };
const TRANSPOSED: Orientation = { transposed: true, slices: 0 };

/** How a matrix of some rows and columns lies: one of the two must have stride 1. */
const orient = (operand: Placed, rows: string, columns: string): Orientation => {
  const unit = (i: string): boolean => strideOf(operand, i) === 1;
  if (rows !== '' && unit(rows[0])) return NORMAL;
  if (columns !== '' && unit(columns[0])) return TRANSPOSED;
  // A vector of any stride is a row of a matrix.
  if (rows === '') return NORMAL;
  if (columns === '') return TRANSPOSED;
  return { transposed: false, slices: 1 };
};

/** The stride of an index of a dense operand. */
export const strideOf = ({ indices, layout }: Placed, index: string): number => {
  const d = indices.indexOf(index);
  return layout.kind === 'dense' && d >= 0 ? layout.strides[d] : 1;
};

/** Runs of the given indices that are contiguous and fusable in all operands; only the empty one where there are none. */
const runs = (
  of: readonly string[],
  operands: readonly Placed[],
  length: (index: string) => number,
): readonly string[] => {
  if (of.length === 0) return [''];
  const order = operands[0].indices;
  const found: string[] = [];
  for (let begin = 0; begin < order.length; begin++)
    for (let end = begin + 1; end <= order.length; end++) {
      const run = order.slice(begin, end);
      if ([...run].some((i) => !of.includes(i))) break;
      if (operands.every((o) => isFusable(o, run, length))) found.push(run);
    }
  return found;
};

/** (9): each dimension of the run begins where the one before ends. */
const isFusable = ({ indices, layout }: Placed, run: string, length: (index: string) => number): boolean => {
  const at = indices.indexOf(run);
  if (at < 0) return false;
  if (layout.kind !== 'dense') return true;
  for (let d = at; d + 1 < at + run.length; d++)
    if (layout.strides[d + 1] !== layout.strides[d] * length(indices[d])) return false;
  return true;
};

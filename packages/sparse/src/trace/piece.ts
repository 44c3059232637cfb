/** constant + Σ coefs[d] · x_d over the iterators x, outermost first. */
export interface Affine {
  readonly constant: number;
  /** One coefficient for each iterator that the function may name; missing ones are 0. */
  readonly coefs: readonly number[];
}

/** An affine function divided by a positive whole number. */
export interface Face extends Affine {
  readonly divisor: number;
}

/**
 * The range of one iterator: from the greatest lower face, rounded up, to the least upper face, rounded down, both ends
 * included; faces are functions of the iterators outside. An iterator whose range is empty runs no iteration.
 */
export interface Level {
  readonly lower: readonly Face[];
  readonly upper: readonly Face[];
}

/**
 * A regular piece of a trace (§3): the integer points of a polyhedron, visited in lexicographic order, and for each stream
 * the affine function that gives its value at a point. For the trace of a sparse matrix the streams are the position in
 * the value array, the row and the column: (D, F_A, F_i, F_j). Plain data, so it is its own JSON.
 */
export interface Piece {
  /** The polyhedron D as loops, outermost first; no loops: a single point. */
  readonly levels: readonly Level[];
  /** One function for each stream, of all iterators. */
  readonly access: readonly Affine[];
  /** Points of D: elements of the trace that the piece stands for. */
  readonly count: number;
}

/** The value of an affine function at a point. */
export const evaluateAffine = (f: Affine, x: ArrayLike<number>): number => {
  let value = f.constant;
  for (let d = 0; d < f.coefs.length; d++) value += f.coefs[d] * x[d];
  return value;
};

/**
 * Visits the points of a piece in order with their iterators and the value of every stream. Both arrays are reused from
 * point to point. Stops early when `visit` answers false.
 */
export const forEachPoint = (
  piece: Piece,
  visit: (values: Float64Array, iterators: Float64Array) => boolean | void,
): void => {
  const depth = piece.levels.length;
  const x = new Float64Array(depth);
  const values = new Float64Array(piece.access.length);
  const upper = new Float64Array(depth);
  const point = (): boolean => {
    for (let k = 0; k < values.length; k++) values[k] = evaluateAffine(piece.access[k], x);
    return visit(values, x) !== false;
  };
  if (depth === 0) {
    point();
    return;
  }
  let d = 0;
  enter(piece.levels[0], x, 0, upper);
  while (d >= 0) {
    if (x[d] > upper[d]) {
      if (--d >= 0) x[d]++;
    } else if (d < depth - 1) {
      d++;
      enter(piece.levels[d], x, d, upper);
    } else {
      if (!point()) return;
      x[d]++;
    }
  }
};

/** The streams that pieces stand for, one after another: what `reconstruct` was given. */
export const expandPieces = (pieces: readonly Piece[], width = pieces[0]?.access.length ?? 0): Float64Array[] => {
  const length = pieces.reduce((n, p) => n + p.count, 0);
  const streams = Array.from({ length: width }, () => new Float64Array(length));
  let t = 0;
  for (const p of pieces) {
    forEachPoint(p, (values) => {
      if (t < length) for (let k = 0; k < width; k++) streams[k][t] = values[k];
      t++;
    });
  }
  if (t !== length) throw new RangeError(`pieces of ${length} points have ${t}`);
  return streams;
};

/**
 * Whether pieces, one after another, give these streams from `from` on, every element once and in order, and how many
 * elements they give. Linear in the number of elements.
 */
export const coversExactly = (
  pieces: readonly Piece[],
  streams: readonly ArrayLike<number>[],
  from = 0,
): { readonly exact: boolean; readonly covered: number } => {
  const length = streams[0]?.length ?? 0;
  let t = from;
  for (const p of pieces) {
    const end = t + p.count;
    let agree = p.access.length === streams.length;
    forEachPoint(p, (values) => {
      if (t >= length || t >= end) agree = false;
      for (let k = 0; agree && k < streams.length; k++) agree = streams[k][t] === values[k];
      t++;
      return agree;
    });
    if (!agree || t !== end) return { exact: false, covered: t - from };
  }
  return { exact: t === length, covered: t - from };
};

const enter = (level: Level, x: Float64Array, d: number, upper: Float64Array): void => {
  let lo = -Infinity;
  let hi = Infinity;
  for (const f of level.lower) lo = Math.max(lo, Math.ceil(partial(f, x, d)));
  for (const f of level.upper) hi = Math.min(hi, Math.floor(partial(f, x, d)));
  x[d] = lo;
  upper[d] = hi;
};

/** A face names only the iterators outside its level. */
const partial = (f: Face, x: Float64Array, d: number): number => {
  let value = f.constant;
  for (let k = 0; k < d && k < f.coefs.length; k++) value += f.coefs[k] * x[k];
  return f.divisor === 1 ? value : value / f.divisor;
};

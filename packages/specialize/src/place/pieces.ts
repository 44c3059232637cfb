/**
 * Instances of a group, cut into pieces in which index columns are affine (by the idea of trace reconstruction): every
 * `step`-th instance of a stretch, since instances of one structure often come in turns. All pieces share the strides of
 * their columns, so that an origin a piece stands for a table entry an instance.
 */
export interface Pieces {
  readonly step: number;
  /** Piece p is the instances `first[p] + step·m`, 0 ≤ m < count[p]. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** Tile t is pieces `ofTile[t] .. ofTile[t+1])`. */
  readonly ofTile: Int32Array;
  /** How much each column grows from instance to instance of a piece; undefined where it does not do so evenly. */
  readonly strides: readonly (number | undefined)[];
}

/** What the beginning of a piece costs, in bytes of tables that could be read meanwhile: its bounds and its loop. */
const PIECE_BYTES = 128;

/** Instances that fill a vector; at the end of a piece fewer run one by one, and what an operation of theirs costs in such bytes. */
const LANES = 4;
const OPERATION_BYTES = 2;

/**
 * What pieces cost of these counts.
 *
 * @param operations of an instance where these fill vector lanes, 0 where they do not
 */
export const piecesBytes = (counts: Int32Array, operations: number): number =>
  counts.reduce((sum, count) => sum + pieceBytes(count, operations), 0);

const pieceBytes = (count: number, operations: number): number =>
  PIECE_BYTES + (count % LANES) * OPERATION_BYTES * operations;

/**
 * What an access costs, in such bytes, that is made one by one since positions come from a table: where all that instances in a row read and write lies in a row, an access is of a whole vector.
 */
const ACCESS_BYTES = 1;

/**
 * What each instance saves besides tables whose columns have these strides: `bytes[c]` is what an entry of column c takes as a table. Tables that are left are read from end to end by each of the
 * pieces that come in turns.
 */
export const savedBesides = (bytes: readonly number[], { step, strides }: Pick<Pieces, 'step' | 'strides'>): number => {
  const isTable = (c: number): boolean => bytes[c] > 0 && strides[c] === undefined;
  const left = bytes.reduce((sum, n, c) => sum + (isTable(c) ? n : 0), 0);
  const inRows = bytes.every((n, c) => n === 0 || strides[c] === 0 || strides[c] === 1);
  return (inRows ? ACCESS_BYTES * bytes.length : 0) - (step - 1) * left;
};

/** Instances that may take turns. */
const STEPS = [1, 2, 3, 4, 6, 8];

/** Differences from which strides are guessed, in the middle of a column; a quarter of them may be others. */
const SAMPLE = 128;

/**
 * The pieces of columns of one length that save most bytes, tile by tile, or undefined where none would: `bytes[c]` is what
 * an entry of column c takes as a table, 0 where it takes none, `operations` as of `piecesBytes`. Columns without order cost a look at a sample only.
 */
export const findPieces = (
  columns: readonly Int32Array[],
  bytes: readonly number[],
  starts: Int32Array,
  operations: number,
): Pieces | undefined => {
  let best: Pieces | undefined;
  let most = 0;
  for (const step of STEPS) {
    const strides = columns.map((column, c) => (bytes[c] === 0 ? undefined : commonStride(column, step)));
    const tables = strides.reduce<number>((sum, s, c) => sum + (s === undefined ? 0 : bytes[c]), 0);
    if (tables === 0) continue;
    const saved = tables + savedBesides(bytes, { step, strides });
    if (saved <= 0) continue;
    const origins = 4 * strides.filter((s) => s !== undefined).length;
    const gain = starts[starts.length - 1] * saved;
    const costOf = (length: number): number => {
      const counts = Int32Array.from({ length: step }, (_, i) => Math.ceil((length - i) / step));
      return piecesBytes(counts, operations) + step * origins;
    };
    const found = stretches(columns, strides, step, starts, costOf, gain - most);
    if (found === undefined) continue;
    most = gain - found.cost;
    best = piecesOf(found.begins, step, starts, strides);
  }
  return best;
};

/** The difference that most of the sampled ones are, if it is nearly all of them. */
const commonStride = (column: Int32Array, step: number): number | undefined => {
  const from = Math.max(0, Math.floor((column.length - SAMPLE) / 2));
  const to = Math.min(column.length, from + SAMPLE);
  let [stride, votes] = [0, 0];
  for (let i = from + step; i < to; i++) {
    const d = column[i] - column[i - step];
    if (votes === 0) stride = d;
    votes += d === stride ? 1 : -1;
  }
  let others = 0;
  for (let i = from + step; i < to; i++) if (column[i] - column[i - step] !== stride) others++;
  return 4 * others <= to - from - step ? stride : undefined;
};

/** Where stretches begin within which all columns keep their strides, and what they cost by their lengths; undefined as soon as that is too much. */
const stretches = (
  columns: readonly Int32Array[],
  strides: readonly (number | undefined)[],
  step: number,
  starts: Int32Array,
  costOf: (length: number) => number,
  most: number,
): { readonly begins: readonly number[]; readonly cost: number } | undefined => {
  const regular = strides.flatMap((stride, c) => (stride === undefined ? [] : [{ column: columns[c], stride }]));
  const begins: number[] = [];
  let cost = 0;
  for (let t = 0; t + 1 < starts.length; t++) {
    for (let begin = starts[t]; begin < starts[t + 1];) {
      begins.push(begin);
      const end = stretchEnd(regular, step, begin, starts[t + 1]);
      cost += costOf(end - begin);
      if (cost >= most) return undefined;
      begin = end;
    }
  }
  return { begins, cost };
};

/** The end of the stretch that begins at `begin`, `limit` at most. */
const stretchEnd = (
  regular: readonly { readonly column: Int32Array; readonly stride: number }[],
  step: number,
  begin: number,
  limit: number,
): number => {
  for (let end = begin + step; end < limit; end++)
    for (let c = 0; c < regular.length; c++)
      if (regular[c].column[end] - regular[c].column[end - step] !== regular[c].stride) return end;
  return limit;
};

const piecesOf = (
  begins: readonly number[],
  step: number,
  starts: Int32Array,
  strides: readonly (number | undefined)[],
): Pieces => {
  const first: number[] = [];
  const count: number[] = [];
  const ofTile = new Int32Array(starts.length);
  const end = starts[starts.length - 1];
  let t = 0;
  begins.forEach((begin, s) => {
    for (; starts[t] <= begin; t++) ofTile[t] = first.length;
    const next = begins[s + 1] ?? end;
    for (let i = begin; i < Math.min(begin + step, next); i++) {
      first.push(i);
      count.push(Math.ceil((next - i) / step));
    }
  });
  ofTile.fill(first.length, t);
  return { step, first: Int32Array.from(first), count: Int32Array.from(count), ofTile, strides };
};

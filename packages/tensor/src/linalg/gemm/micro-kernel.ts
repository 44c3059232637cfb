import type { Builder, Type, Value } from '@filigree/ir';
import {
  type TileShape,
  hasNumber,
  hasVector,
  loadNumber,
  loadResult,
  loadVector,
  loadWhole,
  storeResult,
} from './factors.js';
import { type Place, indexOf, moved } from './place.js';
import type { GemmPlan } from './gemm-plan.js';

/** Where the matrices of a tile begin. */
export interface TilePlaces {
  readonly a: Place;
  readonly b: Place;
  readonly c: Place;
  /** Vectors of A that `emitPanel` made. */
  readonly panel?: Place;
  /** What is prefetched along the stores to C. */
  readonly prefetch?: Place;
}

/** The sums of a tile, column by column; absent where nothing was added yet. */
type Sums = readonly (Value | undefined)[];

/**
 * One block of C in registers: for each step over k the outer product of a few vectors of A with a few numbers of B is
 * added to it.
 *
 * @param alpha the factor in all lanes, where it is neither 1 nor -1
 */
export const emitTile = (b: Builder, plan: GemmPlan, shape: TileShape, places: TilePlaces, alpha?: Value): void => {
  const { rows, columns } = shape;
  const none: Sums = columns.flatMap(() => rows.map(() => undefined));
  const chains = Math.min(plan.chains(rows.length, columns.length), plan.unrolledK);
  const sums = emitSteps(
    b,
    plan,
    shape,
    places,
    Array.from({ length: chains }, () => none),
  );
  storeTile(
    b,
    plan,
    shape,
    places,
    sums.reduce((x, y) => x.map((v, s) => added(b, v, y[s]))),
    alpha,
  );
};

/** Puts the sums of a tile into C, or adds them to it. */
export const storeTile = (
  b: Builder,
  plan: GemmPlan,
  { rows, columns }: TileShape,
  places: TilePlaces,
  sums: Sums,
  alpha?: Value,
): void => {
  columns.forEach((c, q) => {
    const column = sums.slice(q * rows.length, (q + 1) * rows.length);
    if (plan.spec.beta === 1 && column.every((v) => v === undefined)) return;
    /* C is added in the end, by units that do not multiply; and read before it is written, as the last vector may reach back. */
    const before = rows.map((r) => (plan.spec.beta === 1 ? loadResult(b, plan, r, c, places.c) : undefined));
    rows.forEach((r, p) => {
      storeResult(b, plan, r, c, finished(b, plan, column[p], before[p], alpha), places.c);
      if (places.prefetch) emitPrefetch(b, plan, r, c, places.prefetch);
    });
  });
};

/** Makes the vectors of A that a tile's rows need in all columns, one after another in the order of use. */
export const emitPanel = (b: Builder, plan: GemmPlan, shape: TileShape, from: Place, panel: Place): void => {
  const { k, a } = plan.spec;
  const pack = (from: Place, to: Place, l: number): void =>
    shape.rows.forEach((r, p) => {
      if (hasVector(plan, shape, r, l))
        b.store(to.buffer, loadVector(b, plan, shape, r, l, from), indexOf(b, to, panelAt(plan, shape, p, l)));
    });
  const by = a.kind === 'sparse' ? k : Math.min(k, PANEL_STEPS);
  const looped = k - (k % by);
  const steps = (first: number, last: number, from: Place, to: Place): void => {
    for (let l = first; l < last; l++) pack(from, to, l);
  };
  if (looped === by) return steps(0, k, from, panel);
  b.for(b.i32(0), b.i32(looped), b.i32(by), {}, [], (l) => {
    const stride = a.kind === 'dense' ? a.columnStride : 0;
    steps(0, by, moved(b, from, l, stride), moved(b, panel, l, panelAt(plan, shape, 0, 1)));
  });
  steps(looped, k, from, panel);
};

/** Steps of a panel that are written out in a loop. */
const PANEL_STEPS = 8;

const panelAt = (plan: GemmPlan, { rows }: TileShape, piece: number, l: number): number =>
  (piece + l * rows.length) * plan.pieces.lanes;

const emitSteps = (
  b: Builder,
  plan: GemmPlan,
  shape: TileShape,
  places: TilePlaces,
  first: readonly Sums[],
): readonly Sums[] => {
  const { k, a, b: right } = plan.spec;
  const { unrolledK: by } = plan;
  const chains = first.length;
  const steps = (from: number, to: number, sums: readonly Sums[], at: TilePlaces): readonly Sums[] => {
    const next = [...sums];
    for (let l = from; l < to; l++) next[l % chains] = emitStep(b, plan, shape, at, l, next[l % chains]);
    return next;
  };
  if (by === k || a.kind === 'sparse' || right.kind === 'sparse') return steps(0, k, first, places);
  const looped = k - (k % by);
  const zero = b.constant(0, vectorType(plan));
  const inits = first.flat().map((v) => v ?? zero);
  const sums = b.for(
    b.i32(0),
    b.i32(looped),
    b.i32(by),
    {},
    inits,
    (l, carried) =>
      steps(0, by, inChains(carried, chains), {
        ...places,
        a: moved(b, places.a, l, a.columnStride),
        b: moved(b, places.b, l, right.rowStride),
        ...(places.panel ? { panel: moved(b, places.panel, l, panelAt(plan, shape, 0, 1)) } : {}),
      }).flat() as readonly Value[],
  );
  return steps(looped, k, inChains(sums, chains), places);
};

export const inChains = <V>(values: readonly V[], chains: number): readonly (readonly V[])[] => {
  const size = values.length / chains;
  return Array.from({ length: chains }, (_, c) => values.slice(c * size, (c + 1) * size));
};

/** All products of what lies along rows and along columns, absent where it is zero: the fewer of the two are held in registers, and the others stream by. */
export const eachProduct = (
  { rows, columns }: TileShape,
  along: { readonly rows: (p: number) => Value | undefined; readonly columns: (q: number) => Value | undefined },
  add: (p: number, q: number, x: Value, y: Value) => void,
): void => {
  if (rows.length <= columns.length) {
    const held = rows.map((_, p) => along.rows(p));
    columns.forEach((_, q) => {
      const y = along.columns(q);
      if (y) held.forEach((x, p) => x && add(p, q, x, y));
    });
  } else {
    const held = columns.map((_, q) => along.columns(q));
    rows.forEach((_, p) => {
      const x = along.rows(p);
      if (x) held.forEach((y, q) => y && add(p, q, x, y));
    });
  }
};

const emitStep = (b: Builder, plan: GemmPlan, shape: TileShape, places: TilePlaces, l: number, sums: Sums): Sums => {
  const { rows, columns } = shape;
  const next = [...sums];
  const vectors = rows.map((r) => hasVector(plan, shape, r, l));
  const numbers = columns.map((c) => hasNumber(plan, shape, l, c));
  if (!vectors.includes(true) || !numbers.includes(true)) return sums;
  const vector = (p: number): Value =>
    places.panel
      ? loadWhole(b, plan, indexOf(b, places.panel, panelAt(plan, shape, p, l)), places.panel.buffer, columns.length)
      : loadVector(b, plan, shape, rows[p], l, places.a);
  const number = (q: number): Value => loadNumber(b, plan, shape, l, columns[q], places.b);
  const add = (p: number, q: number, x: Value, y: Value): void => {
    const s = q * rows.length + p;
    const sum = next[s];
    next[s] = sum === undefined ? b.mul(x, y) : b.fma(x, y, sum);
  };
  eachProduct(
    shape,
    {
      rows: (p) => (vectors[p] ? vector(p) : undefined),
      columns: (q) => (numbers[q] ? number(q) : undefined),
    },
    add,
  );
  return next;
};

const added = (b: Builder, x: Value | undefined, y: Value | undefined): Value | undefined =>
  x === undefined ? y : y === undefined ? x : b.add(x, y);

/** alpha·sum + beta·C. */
const finished = (
  b: Builder,
  plan: GemmPlan,
  sum: Value | undefined,
  before: Value | undefined,
  alpha: Value | undefined,
): Value => {
  if (sum === undefined) return before ?? b.constant(0, vectorType(plan));
  if (alpha) return before ? b.fma(sum, alpha, before) : b.mul(sum, alpha);
  if (plan.spec.alpha === 1) return before ? b.add(before, sum) : sum;
  return before ? b.sub(before, sum) : b.neg(sum);
};

export const vectorType = ({ pieces, spec }: GemmPlan): Type =>
  pieces.lanes === 1 ? spec.type : { lanes: pieces.lanes, of: spec.type };

/* Once a cache line, which is 64 bytes nearly everywhere. */
const emitPrefetch = (b: Builder, { spec, pieces }: GemmPlan, r: number, c: number, to: Place): void => {
  const perLine = 64 / (spec.type === 'f64' ? 8 : 4);
  if (spec.c.rowStride !== 1 || r % perLine >= pieces.lanes) return;
  b.op('mem.prefetch', [indexOf(b, to, r * spec.c.rowStride + c * spec.c.columnStride)], { buffer: `@${to.buffer}` });
};

import type { Builder, Value } from '@filigree/ir';
import type { TileShape } from './factors.js';
import type { DeepLanes, GemmPlan } from './gemm-plan.js';
import { type TilePlaces, storeTile } from './micro-kernel.js';
import { type Place, indexOf, moved } from './place.js';

/**
 * One block of C whose sums are vectors along k, several of each where one alone would wait for itself: whole vectors in a loop, then those
 * that are left, and what fills none under a mask or number by number.
 */
export const emitDeepTile = (
  b: Builder,
  plan: GemmPlan,
  deep: DeepLanes,
  shape: TileShape,
  places: TilePlaces,
  alpha?: Value,
): void => {
  const { k, type } = plan.spec;
  const { lanes, chains } = deep;
  const whole = k - (k % lanes);
  const by = lanes * chains;
  const looped = whole - (whole % by);
  const step = (at: TilePlaces, first: number, count: number, sums: readonly Value[]): readonly Value[] =>
    addProducts(b, plan, shape, at, first, count, lanes, sums);
  const zero = b.constant(0, { lanes, of: type });
  const trip = (at: TilePlaces, sums: readonly (readonly Value[])[]): readonly (readonly Value[])[] =>
    sums.map((chain, c) => step(at, c * lanes, lanes, chain));
  const none = Array.from({ length: chains }, () => shape.columns.flatMap(() => shape.rows.map(() => zero)));
  const size = shape.rows.length * shape.columns.length;
  const sums =
    looped === by
      ? trip(places, none).map((chain) => [...chain])
      : inChains(
          b.for(b.i32(0), b.i32(looped), b.i32(by), {}, none.flat(), (l, carried) =>
            trip(
              { ...places, a: moved(b, places.a, l, 1), b: moved(b, places.b, l, 1) },
              inChains(carried, size),
            ).flat(),
          ),
          size,
        );
  const chained = [...sums];
  for (let l = looped; l < whole; l += lanes) {
    const c = ((l - looped) / lanes) % chains;
    chained[c] = [...step(places, l, lanes, chained[c])];
  }
  const rest = k - whole;
  if (rest > 0 && deep.masked) chained[chains - 1] = [...step(places, whole, rest, chained[chains - 1])];
  const vectors = chained.reduce((x, y) => x.map((v, s) => b.add(v, y[s])));
  let totals: readonly Value[] = vectors.map((v) => b.reduce('add', v));
  if (!deep.masked) for (let l = whole; l < k; l++) totals = addProducts(b, plan, shape, places, l, 1, 1, totals);
  storeTile(b, plan, shape, places, totals, alpha);
};

const inChains = (values: readonly Value[], size: number): Value[][] =>
  Array.from({ length: values.length / size }, (_, c) => values.slice(c * size, (c + 1) * size));

/** Adds to each sum its product from step `l` on, of so many lanes of which the first `count` are filled. */
const addProducts = (
  b: Builder,
  { spec }: GemmPlan,
  { rows, columns }: TileShape,
  places: TilePlaces,
  l: number,
  count: number,
  lanes: number,
  sums: readonly Value[],
): readonly Value[] => {
  const { a, b: right } = spec;
  const [rowStride, columnStride] = [
    a.kind === 'dense' ? a.rowStride : 0,
    right.kind === 'dense' ? right.columnStride : 0,
  ];
  const load = (place: Place, at: number): Value =>
    count < lanes
      ? b.loadFirst(place.buffer, indexOf(b, place, at), lanes, count)
      : b.load(place.buffer, indexOf(b, place, at), lanes);
  /* What is held in registers is the fewer of the two; the others stream by. */
  const next = [...sums];
  const add = (p: number, q: number, x: Value, y: Value): void => {
    const s = q * rows.length + p;
    next[s] = b.fma(x, y, next[s]);
  };
  if (rows.length <= columns.length) {
    const held = rows.map((r) => load(places.a, r * rowStride + l));
    columns.forEach((c, q) => {
      const y = load(places.b, c * columnStride + l);
      held.forEach((x, p) => add(p, q, x, y));
    });
  } else {
    const held = columns.map((c) => load(places.b, c * columnStride + l));
    rows.forEach((r, p) => {
      const x = load(places.a, r * rowStride + l);
      held.forEach((y, q) => add(p, q, x, y));
    });
  }
  return next;
};

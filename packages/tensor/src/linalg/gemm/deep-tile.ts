import type { Builder, Value } from '@filigree/ir';
import type { TileShape } from './factors.js';
import type { DeepLanes, GemmPlan } from './gemm-plan.js';
import { type TilePlaces, eachProduct, inChains, storeTile } from './micro-kernel.js';
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
  const sums =
    looped === by
      ? trip(places, none)
      : inChains(
          b.for(b.i32(0), b.i32(looped), b.i32(by), {}, none.flat(), (l, carried) =>
            trip(
              { ...places, a: moved(b, places.a, l, 1), b: moved(b, places.b, l, 1) },
              inChains(carried, chains),
            ).flat(),
          ),
          chains,
        );
  const chained = [...sums];
  for (let l = looped; l < whole; l += lanes) {
    const c = ((l - looped) / lanes) % chains;
    chained[c] = step(places, l, lanes, chained[c]);
  }
  const rest = k - whole;
  if (rest > 0 && deep.masked) chained[chains - 1] = step(places, whole, rest, chained[chains - 1]);
  const vectors = chained.reduce((x, y) => x.map((v, s) => b.add(v, y[s])));
  let totals: readonly Value[] = vectors.map((v) => b.reduce('add', v));
  if (!deep.masked) for (let l = whole; l < k; l++) totals = addProducts(b, plan, shape, places, l, 1, 1, totals);
  storeTile(b, plan, shape, places, totals, alpha);
};

/** Adds to each sum its product from step `l` on, of so many lanes of which the first `count` are filled. */
const addProducts = (
  b: Builder,
  plan: GemmPlan,
  shape: TileShape,
  places: TilePlaces,
  l: number,
  count: number,
  lanes: number,
  sums: readonly Value[],
): readonly Value[] => {
  const { rows, columns } = shape;
  const load = (place: Place, at: number): Value =>
    count < lanes
      ? b.loadFirst(place.buffer, indexOf(b, place, at), lanes, count)
      : b.load(place.buffer, indexOf(b, place, at), lanes);
  const next = [...sums];
  eachProduct(
    shape,
    { rows: (p) => load(places.a, plan.a.at(rows[p], l)), columns: (q) => load(places.b, plan.b.at(l, columns[q])) },
    (p, q, x, y) => {
      const s = q * rows.length + p;
      next[s] = b.fma(x, y, next[s]);
    },
  );
  return next;
};

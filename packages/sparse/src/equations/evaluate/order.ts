import type { Affine } from '../../trace/piece.js';
import type { Query, QueryAtom } from './query.js';

/**
 * The order in which to bind the iterators of a query: that of least estimated work, from the sizes of the sets. Iterators
 * are bound by going through the atoms' sets where they can be, by counting where they cannot.
 */
export const bestOrder = (q: Query, distinct: boolean): readonly number[] => {
  let best: readonly number[] = [];
  let least = Infinity;
  for (const order of permutations(q.dims)) {
    const cost = costOf(q, order, distinct, least);
    if (cost < least) [best, least] = [order, cost];
  }
  return best;
};

/** Where each subscript of an atom is known: the position in the order of the last iterator it names; −1 from the start. */
export const boundAt = (f: Affine, order: readonly number[]): number => {
  let last = -1;
  order.forEach((d, l) => {
    if ((f.coefs[d] ?? 0) !== 0) last = l;
  });
  return last;
};

const costOf = (q: Query, order: readonly number[], distinct: boolean, limit: number): number => {
  const states = q.atoms.filter((a) => 'set' in a.in).map((atom) => new Estimate(atom, order));
  const lastHead = Math.max(-1, ...q.head.map((d) => order.indexOf(d)));
  let bindings = 1;
  /* Those of the kept iterators alone: rows of the result. */
  let rows = 1;
  let cost = states.reduce((n, s) => n + s.making, 0);
  for (let l = 0; l < order.length; l++) {
    const d = order[l];
    const range = q.ranges[d].max - q.ranges[d].min + 1;
    let least = range;
    let kept = 1;
    let sets = 0;
    for (const s of states) {
      const fan = s.fanOut(l);
      if (fan === undefined) continue;
      sets++;
      kept *= Math.min(1, fan.children / fan.extent);
      least = Math.min(least, fan.children);
    }
    const isLast = l === order.length - 1;
    /* Runs of the last iterator are handled whole where they are runs of the result. */
    const inRuns = isLast && q.head.length > 0 && d === q.head[q.head.length - 1];
    const free = isLast && least === range;
    /* No more is added to a row that is full: about range·ln(range) random points. */
    if (inRuns && !distinct) bindings = Math.min(bindings, (rows * range * (1 + Math.log(range))) / least);
    cost +=
      bindings *
      (distinct && isLast && (free || sets === 1)
        ? 1
        : inRuns
          ? free
            ? 1
            : 1 + least / 8
          : l > lastHead
            ? Math.min(least, 4) + 1
            : 1 + least);
    if (cost >= limit) return Infinity;
    bindings *= Math.max(range * kept, 1e-9);
    if (q.head.includes(d)) rows = bindings;
    if (l > lastHead) bindings = Math.min(bindings, 1);
  }
  /* Of equals the order of the text. */
  return cost * (1 + 1e-9 * order.reduce((n, d, l) => n + Math.abs(d - l), 0));
};

/** How many values each subscript of an atom has below those that are bound, on average. */
class Estimate {
  private readonly size: number;
  private readonly points: number;
  private readonly level: readonly number[];
  /** What its trie takes: sorting where its subscripts are bound in another order. */
  readonly making: number;

  constructor(
    private readonly atom: QueryAtom,
    order: readonly number[],
  ) {
    const { set } = atom.in as { set: { count: number; box: { size: number } } };
    this.size = set.count;
    this.points = Math.max(1, set.box.size);
    this.level = atom.at.map((f) => boundAt(f, order));
    this.making = this.level.some((l, k) => k > 0 && l < this.level[k - 1]) ? 2 * this.size : 0;
  }

  fanOut(l: number): { readonly children: number; readonly extent: number } | undefined {
    if (!this.level.includes(l)) return undefined;
    const before = this.projected((at) => at < l);
    const after = this.projected((at) => at <= l);
    return { children: after.nodes / Math.max(before.nodes, 1e-9), extent: after.extent / before.extent };
  }

  private projected(has: (level: number) => boolean): { readonly nodes: number; readonly extent: number } {
    const { extent } = (this.atom.in as { set: { box: { extent: readonly number[] } } }).set.box;
    const n = this.level.reduce((x, at, k) => (has(at) ? x * extent[k] : x), 1);
    /* Random places: those hit at least once. */
    const nodes = n >= this.points ? this.size : n * -Math.expm1(-this.size / n);
    return { nodes, extent: n };
  }
}

/** All orders of 0..n-1, that of the numbers first; only that and its rotations where there are too many. */
function* permutations(n: number): Generator<readonly number[]> {
  if (n > 6) {
    for (let k = 0; k < n; k++) yield Array.from({ length: n }, (_, d) => (d + k) % n);
    return;
  }
  const at = Array.from({ length: n }, (_, k) => k);
  const used = new Array<boolean>(n).fill(false);
  const order: number[] = [];
  function* rest(): Generator<readonly number[]> {
    if (order.length === n) {
      yield [...order];
      return;
    }
    for (const d of at) {
      if (used[d]) continue;
      used[d] = true;
      order.push(d);
      yield* rest();
      order.pop();
      used[d] = false;
    }
  }
  yield* rest();
}

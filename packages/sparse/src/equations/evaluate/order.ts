import type { Affine } from '../../trace/piece.js';
import { isDense, MOST_BITS } from '../sets/bit-table.js';
import type { Conjunction } from '../sets/conjunction.js';
import type { PointSet } from '../sets/point-set.js';
import type { Query, QueryAtom } from './query.js';

/**
 * What a join is for: loops of a program over its points (`visit`), which use tries alone; the points as a set
 * (`collect`); or their number (`count`). Joins for `visit` and `count` keep all iterators, so every point comes once.
 */
export type Purpose = 'visit' | 'collect' | 'count';

export interface BestOrder {
  readonly order: readonly number[];
  /** Estimated work, in visits of a node of a trie. */
  readonly cost: number;
  /** Whether dense sets alone offer the values of the last iterator, a word at a time. */
  readonly inWords: boolean;
}

/**
 * The order in which to bind the iterators of a query: that of least estimated work, from the sizes of the sets. Iterators
 * are bound by going through the atoms' sets where they can be, by counting where they cannot.
 */
export const bestOrder = (q: Query, purpose: Purpose): BestOrder => {
  let best: readonly number[] = [];
  let least = Infinity;
  for (const order of permutations(q.dims)) {
    const cost = costOf(q, order, purpose, least);
    if (cost < least) [best, least] = [order, cost];
  }
  return { order: best, cost: least, inWords: endsInWords(q, best, purpose) };
};

/** Where each subscript of an atom is known: the position in the order of the last iterator it names; −1 from the start. */
export const boundAt = (f: Affine, order: readonly number[]): number => {
  let last = -1;
  order.forEach((d, l) => {
    if ((f.coefs[d] ?? 0) !== 0) last = l;
  });
  return last;
};

const costOf = (q: Query, order: readonly number[], purpose: Purpose, limit: number): number => {
  const states = q.atoms.filter((a) => 'set' in a.in).map((atom) => new Estimate(atom, order, purpose));
  const distinct = purpose !== 'collect';
  const free = purpose === 'count' ? freeLevels(q, order) : undefined;
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
    /* Dense sets, which offer values a word at a time if nothing else restricts them. */
    let dense = 0;
    let aligned = true;
    for (const s of states) {
      if (s.dense) {
        if (s.last !== l) continue;
        dense++;
        kept *= s.density;
        aligned &&= s.aligned;
        continue;
      }
      const fan = s.fanOut(l);
      if (fan === undefined) continue;
      sets++;
      kept *= Math.min(1, fan.children / fan.extent);
      least = Math.min(least, fan.children);
    }
    const isFree = free?.[l] === true;
    const isLast = l === order.length - 1 || isFree;
    const isKept = q.head.length > 0 && d === q.head[q.head.length - 1];
    const inWords = sets === 0 && dense > 0 && aligned;
    const words = (dense * range) / 32;
    if (inWords && isLast && (l > lastHead || distinct || q.result.size <= MOST_BITS)) {
      if (!distinct && l <= lastHead) {
        bindings = Math.min(bindings, (rows * (1 + Math.log(range))) / kept);
        /* Rows that are not the result's are turned. */
        if (!isKept) cost += (q.result.size / 32) * TURN;
      }
      cost += bindings * (1 + WORD * (l > lastHead ? Math.min(words, dense / (32 * kept)) : words));
    } else if (inWords) cost += bindings * (1 + WORD * words + range * kept);
    else {
      /* Runs of the last iterator are handled whole where they are runs of the result. */
      const inRuns = l === order.length - 1 && isKept;
      const only = isLast && dense === 0;
      /* Nothing more is added to a row that is full, which takes about range·ln(range) random points. */
      if (inRuns && !distinct) bindings = Math.min(bindings, (rows * range * (1 + Math.log(range))) / least);
      cost +=
        bindings *
        (distinct && only && (least === range || sets === 1)
          ? 1
          : inRuns
            ? only && least === range
              ? 1
              : 1 + least / 8
            : l > lastHead
              ? Math.min(least, 4) + 1
              : 1 + least);
      /* Looking for a value in another set's rows leaves the cache. */
      if (purpose === 'count') cost += bindings * least * Math.max(0, SEEK * (sets - 1) + dense / 4);
    }
    if (cost >= limit) return Infinity;
    if (isFree) continue;
    bindings *= Math.max(range * kept, 1e-9);
    if (q.head.includes(d)) rows = bindings;
    if (l > lastHead) bindings = Math.min(bindings, 1);
  }
  /* Of equals the order of the text. */
  return cost * (1 + 1e-9 * order.reduce((n, d, l) => n + Math.abs(d - l), 0));
};

/** Whether the values of the last iterator come from bits that stand side by side, and from nothing else. */
const endsInWords = (q: Query, order: readonly number[], purpose: Purpose): boolean => {
  const end = order.length - 1;
  const mine = q.atoms.filter((a) => a.at.some((f) => boundAt(f, order) === end));
  return (
    mine.length > 0 &&
    mine.every((a) => 'set' in a.in) &&
    mine.map((a) => new Estimate(a, order, purpose)).every((s) => s.dense && s.aligned)
  );
};

/** The cost of a word of bits, and of a word of bits that is transposed, in visits of a node. */
const WORD = 1 / 16;
const TURN = 0.4;

/** Looking for a value in rows that are entered in no order. */
const SEEK = 6;

/** How many values each subscript of an atom has below those that are bound, on average. */
class Estimate {
  private readonly size: number;
  private readonly points: number;
  private readonly level: readonly number[];
  /** What its trie takes: sorting where its subscripts are bound in another order. */
  readonly making: number;
  /** Taken as bits, asked where its last subscript is bound. */
  readonly dense: boolean;
  readonly density: number;
  readonly last: number;
  /** Whether the bits of the last iterator stand side by side. */
  readonly aligned: boolean;

  constructor(
    private readonly atom: QueryAtom,
    order: readonly number[],
    purpose: Purpose,
  ) {
    const { set } = atom.in as { set: PointSet };
    this.size = set.count;
    this.points = Math.max(1, set.box.size);
    this.density = this.size / this.points;
    this.level = atom.at.map((f) => boundAt(f, order));
    this.last = Math.max(-1, ...this.level);
    this.dense = purpose !== 'visit' && isDense(set);
    const fastest = this.level.lastIndexOf(this.last);
    this.aligned =
      this.level.indexOf(this.last) === fastest && this.last >= 0 && atom.at[fastest].coefs[order[this.last]] === 1;
    this.making = this.dense
      ? this.aligned && fastest < this.level.length - 1
        ? (this.points / 32) * TURN
        : 0
      : this.level.some((l, k) => k > 0 && l < this.level[k - 1])
        ? 2 * this.size
        : 0;
  }

  fanOut(l: number): { readonly children: number; readonly extent: number } | undefined {
    if (!this.level.includes(l)) return undefined;
    const before = this.projected((at) => at < l);
    const after = this.projected((at) => at <= l);
    return { children: after.nodes / Math.max(before.nodes, 1e-9), extent: after.extent / before.extent };
  }

  private projected(has: (level: number) => boolean): { readonly nodes: number; readonly extent: number } {
    const { extent } = (this.atom.in as { set: PointSet }).set.box;
    const n = this.level.reduce((x, at, k) => (has(at) ? x * extent[k] : x), 1);
    /* Random places: those hit at least once. */
    const nodes = n >= this.points ? this.size : n * -Math.expm1(-this.size / n);
    return { nodes, extent: n };
  }
}

/**
 * Where counting below an iterator does not depend on its value: nothing names it together with an iterator that is bound
 * later.
 */
export const freeLevels = (
  { atoms, where }: { readonly atoms: readonly { readonly at: readonly Affine[] }[]; readonly where: Conjunction },
  order: readonly number[],
): readonly boolean[] => {
  const names = (fs: readonly Affine[], d: number): boolean => fs.some((f) => (f.coefs[d] ?? 0) !== 0);
  const together = [...atoms.map((a) => a.at), ...where.map((f) => [f])];
  return order.map((d, l) => {
    const later = order.slice(l + 1);
    return later.length > 0 && together.every((fs) => !names(fs, d) || !later.some((e) => names(fs, e)));
  });
};

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

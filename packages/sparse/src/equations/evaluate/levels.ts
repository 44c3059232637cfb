import type { Affine } from '../../trace/piece.js';
import type { Trie } from '../sets/trie.js';
import { boundAt } from './order.js';
import type { Query } from './query.js';

/** A subscript on a level: c·x + rest = a value of the trie at `trieLevel`. */
interface Subscript {
  readonly atom: number;
  readonly trieLevel: number;
  readonly coef: number;
  readonly rest: Compiled;
}

/** An affine function of iterators that are bound. */
export interface Compiled {
  readonly constant: number;
  readonly at: readonly number[];
  readonly coefs: readonly number[];
}

/** c·x + rest ≥ 0. */
export interface Condition {
  readonly coef: number;
  readonly rest: Compiled;
}

/** What is done where an iterator is bound. */
export interface LevelPlan {
  readonly iterator: number;
  readonly min: number;
  readonly max: number;
  /** Those whose last iterator this is. */
  readonly conditions: readonly Condition[];
  /** The first subscript of each atom that this iterator binds. */
  readonly drives: readonly Subscript[];
  /** Further subscripts of the same atoms, which it binds too. */
  readonly checks: readonly Subscript[];
  readonly probes: readonly {
    readonly has: (code: number) => boolean;
    readonly code: Compiled;
    readonly inside: readonly Subscripted[];
  }[];
  /** What the iterator adds to the code of the result; 0 where it is not kept. */
  readonly stride: number;
}

/** `upTo[n]`: points below the nodes before n above an atom's last level. */
export interface Tally {
  readonly atom: number;
  readonly upTo: Float64Array;
}

/** Rows of a result that several bindings add to. */
export interface Rows {
  /** The last level of the iterators that choose a row; −1 where there is one row. */
  readonly level: number;
  /** Where the last iterator may lie, under conditions on those. */
  readonly min: number;
  readonly max: number;
  readonly conditions: readonly Condition[];
}

interface Subscripted {
  readonly f: Compiled;
  readonly min: number;
  readonly max: number;
}

/** The levels of a query whose iterators are bound in an order. */
export const levelPlans = (
  q: Query,
  order: readonly number[],
  tries: readonly (Trie | undefined)[],
): readonly LevelPlan[] => order.map((d, l) => levelPlan(q, order, tries, d, l));

/** Points of the last level, where it is kept, one set alone has a say in it, and all of its runs lie in range. */
export const tallyOf = (levels: readonly LevelPlan[], tries: readonly (Trie | undefined)[]): Tally | undefined => {
  const plan = levels[levels.length - 1];
  if (plan === undefined || plan.stride === 0 || plan.drives.length !== 1) return undefined;
  if (plan.checks.length > 0 || plan.probes.length > 0 || plan.conditions.length > 0) return undefined;
  const { atom, trieLevel, coef, rest } = plan.drives[0];
  const trie = tries[atom]!;
  if (trieLevel === 0 || trieLevel < trie.values.length || coef !== 1 || rest.at.length > 0) return undefined;
  const [min, max] = [plan.min + rest.constant, plan.max + rest.constant];
  if (trie.lo.some((x) => x < min) || trie.hi.some((x) => x > max)) return undefined;
  const points = pointsUpTo(trie);
  return { atom, upTo: Float64Array.from(trie.begin[trieLevel - 1], (n) => points[n]) };
};

/** Rows: the last iterator runs along them, and iterators that are not kept stand between it and the others. */
export const rowsOf = (levels: readonly LevelPlan[]): Rows | undefined => {
  const last = levels.length - 1;
  if (last < 1 || levels[last].stride !== 1) return undefined;
  let level = last - 1;
  while (level >= 0 && levels[level].stride === 0) level--;
  if (level === last - 1) return undefined;
  const { min, max, conditions } = levels[last];
  const bound = levels.slice(0, level + 1).map((l) => l.iterator);
  return { level, min, max, conditions: conditions.filter((c) => c.rest.at.every((d) => bound.includes(d))) };
};

/** Points of a trie before each run. */
export const pointsUpTo = ({ lo, hi }: Trie): Float64Array => {
  const out = new Float64Array(lo.length + 1);
  for (let n = 0; n < lo.length; n++) out[n + 1] = out[n] + hi[n] - lo[n] + 1;
  return out;
};

const levelPlan = (
  q: Query,
  order: readonly number[],
  tries: readonly (Trie | undefined)[],
  d: number,
  l: number,
): LevelPlan => {
  const drives: Subscript[] = [];
  const checks: Subscript[] = [];
  q.atoms.forEach((a, atom) => {
    const trie = tries[atom];
    if (trie === undefined) return;
    let first = true;
    trie.order.forEach((k, trieLevel) => {
      if (boundAt(a.at[k], order) !== l) return;
      (first ? drives : checks).push({ atom, trieLevel, coef: a.at[k].coefs[d], rest: compiled(a.at[k], d) });
      first = false;
    });
  });
  const k = q.head.indexOf(d);
  return {
    iterator: d,
    ...q.ranges[d],
    conditions: q.where
      .filter((f) => boundAt(f, order) === l)
      .map((f) => ({ coef: f.coefs[d], rest: compiled(f, d) }))
      /* Those of one iterator are in its range. */
      .filter((c) => c.rest.at.length > 0),
    drives,
    checks,
    probes: q.atoms.flatMap(({ at, in: set }) => {
      if ('set' in set || Math.max(-1, ...at.map((f) => boundAt(f, order))) !== l) return [];
      const { box, has } = set;
      let code: Affine = { constant: 0, coefs: [] };
      at.forEach((f, n) => (code = added(code, f, box.strides[n], box.lower[n])));
      const inside = at.map((f, n) => ({ f: compiled(f), min: box.lower[n], max: box.lower[n] + box.extent[n] - 1 }));
      return [{ has, code: compiled(code), inside }];
    }),
    stride: k < 0 ? 0 : q.result.strides[k],
  };
};

const compiled = (f: Affine, without = -1): Compiled => {
  const at = f.coefs.map((_, d) => d).filter((d) => d !== without && f.coefs[d] !== 0);
  return { constant: f.constant, at, coefs: at.map((d) => f.coefs[d]) };
};

/** sum + stride·(f − lower). */
const added = (sum: Affine, f: Affine, stride: number, lower: number): Affine => {
  const n = Math.max(sum.coefs.length, f.coefs.length);
  return {
    constant: sum.constant + stride * (f.constant - lower),
    coefs: Array.from({ length: n }, (_, d) => (sum.coefs[d] ?? 0) + stride * (f.coefs[d] ?? 0)),
  };
};

import type { Affine } from '../../trace/piece.js';
import type { BitTable } from '../sets/bit-table.js';
import type { Box } from '../sets/box.js';
import { combine, constantOf, minus, shiftedBy } from '../sets/conjunction.js';
import type { Trie } from '../sets/trie.js';
import { boundAt } from './order.js';
import type { Prepared } from './prepared.js';

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
  /** Dense sets whose last iterator this is. */
  readonly rows: readonly BitRow[];
  /** Whether the bits of all of these stand side by side. */
  readonly aligned: boolean;
  /** What the iterator adds to the code of the result; 0 where it is not kept. */
  readonly stride: number;
}

/** Bits of a dense set by an iterator x: bit base + step·x, where `within` holds. */
export interface BitRow {
  /** Numbers all rows of a join. */
  readonly slot: number;
  readonly bits: Uint32Array;
  readonly base: Compiled;
  readonly step: number;
  readonly within: readonly Condition[];
  /** Subscripts that x has no part in, within their box. */
  readonly inside: readonly Subscripted[];
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

export interface Subscripted {
  readonly f: Compiled;
  readonly min: number;
  readonly max: number;
}

/** The levels of a join. */
export const levelPlans = (p: Prepared): readonly LevelPlan[] => {
  let slots = 0;
  return p.order.map((d, l) => levelPlan(p, d, l, () => slots++));
};

/** Points of the last level, where it is kept, one set alone has a say in it, and all of its runs lie in range. */
export const tallyOf = (levels: readonly LevelPlan[], tries: readonly (Trie | undefined)[]): Tally | undefined => {
  const plan = levels[levels.length - 1];
  if (plan === undefined || plan.stride === 0 || plan.drives.length !== 1) return undefined;
  if (plan.checks.length + plan.probes.length + plan.rows.length + plan.conditions.length > 0) return undefined;
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
  { query: q, order, tries, tables, grown }: Prepared,
  d: number,
  l: number,
  slot: () => number,
): LevelPlan => {
  const drives: Subscript[] = [];
  const checks: Subscript[] = [];
  const lastOf = (at: readonly Affine[]): number => Math.max(-1, ...at.map((f) => boundAt(f, order)));
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
  const rows = q.atoms.flatMap(({ at }, atom) => {
    const table = tables[atom];
    return table === undefined || lastOf(at) !== l ? [] : [bitRow(table, at, d, slot())];
  });
  return {
    iterator: d,
    ...q.ranges[d],
    conditions: q.where
      .filter((f) => boundAt(f, order) === l)
      .map((f) => conditionOn(f, d))
      /* Those of one iterator are in its range. */
      .filter((c) => c.rest.at.length > 0),
    drives,
    checks,
    probes: q.atoms.flatMap(({ at }, atom) => {
      const set = grown[atom];
      if (set === undefined || lastOf(at) !== l) return [];
      const { box, has } = set;
      return [{ has, code: compiled(placeOf(at, box, box.strides)), inside: at.map((f, n) => insideOf(f, box, n)) }];
    }),
    rows,
    aligned: rows.every((r) => r.step === 1),
    stride: k < 0 ? 0 : q.result.strides[k],
  };
};

const bitRow = ({ bits, strides, box }: BitTable, at: readonly Affine[], d: number, slot: number): BitRow => {
  const place = placeOf(at, box, strides);
  const names = (f: Affine): boolean => (f.coefs[d] ?? 0) !== 0;
  return {
    slot,
    bits,
    base: compiled(place, d),
    step: place.coefs[d] ?? 0,
    within: at.flatMap((f, n) => {
      if (!names(f)) return [];
      const above = shiftedBy(f, -box.lower[n]);
      return [above, minus(constantOf(box.extent[n] - 1), above)].map((g) => conditionOn(g, d));
    }),
    inside: at.flatMap((f, n) => (names(f) ? [] : [insideOf(f, box, n)])),
  };
};

const conditionOn = (f: Affine, d: number): Condition => ({ coef: f.coefs[d], rest: compiled(f, d) });

const insideOf = (f: Affine, { lower, extent }: Box, n: number): Subscripted => ({
  f: compiled(f),
  min: lower[n],
  max: lower[n] + extent[n] - 1,
});

/** The place that subscripts have, from the lower corner of a box. */
const placeOf = (at: readonly Affine[], box: Box, strides: readonly number[]): Affine =>
  at.reduce((sum, f, n) => combine(1, sum, strides[n], shiftedBy(f, -box.lower[n])), constantOf(0));

const compiled = (f: Affine, without = -1): Compiled => {
  const at = f.coefs.map((_, d) => d).filter((d) => d !== without && f.coefs[d] !== 0);
  return { constant: f.constant, at, coefs: at.map((d) => f.coefs[d]) };
};

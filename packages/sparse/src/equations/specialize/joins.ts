import type { Builder, Value } from '@filigree/ir';
import type { Prepared } from '../evaluate/prepared.js';
import { boundAt } from '../evaluate/order.js';
import type { Affine } from '../../trace/piece.js';
import type { IndexType } from '../../trace/code/loops.js';
import { tableEntry, type TableRef, type Tables } from '../../trace/code/tables.js';
import { isConstant } from '../sets/conjunction.js';
import { affineValue } from './body.js';

/**
 * Iterations as a join that is executed when the program runs: loops over the compressed rows of each set in turn. Only
 * for joins in which one set offers the values of each iterator, and all others are at most entered by them.
 */
export interface JoinLoops {
  readonly join: Prepared;
  readonly atoms: readonly AtomTables[];
}

interface AtomTables {
  readonly begin: readonly TableRef[];
  readonly values: readonly (TableRef | undefined)[];
  readonly lo: TableRef;
  readonly hi: TableRef | undefined;
  /** Where the first level is entered by value: where the nodes below each value begin, from `lower` on. */
  readonly enter: { readonly table: TableRef; readonly lower: number } | undefined;
}

/** Entries of the tables that a join takes; undefined where it is no such join. */
export const joinEntries = (join: Prepared): number | undefined => {
  if (drivers(join) === undefined) return undefined;
  return join.tries.reduce(
    (n, t) => n + (t === undefined ? 0 : 2 * t.lo.length + t.values.reduce((m, v) => m + 2 * v.length, 0)),
    0,
  );
};

/** Which atom offers the values of each iterator; −1 for its range. Undefined where several must agree. */
const drivers = ({ query, order, tries }: Prepared): readonly number[] | undefined => {
  const found: number[] = [];
  if (query.atoms.some((a, k) => tries[k] === undefined || a.at.some((f) => isConstant(f)))) return undefined;
  const isTie = (f: Affine): boolean => f.coefs.filter((c) => c !== 0).length > 1;
  if (query.where.some((f) => isTie(f) && Math.abs(f.coefs[order[boundAt(f, order)]]) !== 1)) return undefined;
  for (let l = 0; l < order.length; l++) {
    let driver = -1;
    for (let atom = 0; atom < query.atoms.length; atom++) {
      const trie = tries[atom]!;
      const mine = trie.order.flatMap((k, level) =>
        boundAt(query.atoms[atom].at[k], order) === l ? [{ k, level }] : [],
      );
      if (mine.length === 0) continue;
      const f = query.atoms[atom].at[mine[0].k];
      if (mine.length > 1 || f.coefs.filter((c) => c !== 0).length !== 1 || f.coefs[order[l]] !== 1) return undefined;
      const enters = mine[0].level === 0 && trie.values.length > 0;
      if (driver < 0 && !enters) driver = atom;
      else if (driver < 0) driver = -2 - atom;
      else if (driver >= 0 && enters) continue;
      else if (driver <= -2 && enters) continue;
      else if (driver <= -2) driver = atom;
      else return undefined;
    }
    found.push(driver <= -2 ? -2 - driver : driver);
  }
  return found;
};

/** Puts the sets of a join into tables. */
export const placeJoin = (join: Prepared, tables: Tables): JoinLoops => {
  const drive = drivers(join)!;
  const placed = new Map<unknown, AtomTables>();
  return {
    join,
    atoms: join.query.atoms.map((a, atom) => {
      const trie = join.tries[atom]!;
      const level = boundAt(a.at[trie.order[0]], join.order);
      const entered = trie.values.length > 0 && drive[level] !== atom;
      const before = placed.get(trie);
      if (before !== undefined && (before.enter !== undefined) === entered) return before;
      const single = trie.lo.every((x, n) => x === trie.hi[n]);
      const made: AtomTables = {
        begin: trie.begin.map((t, l) => (entered && l === 0 ? undefined! : tables.add(t))),
        values: trie.values.map((t, l) => (entered && l === 0 ? undefined : tables.add(t))),
        lo: tables.add(trie.lo),
        hi: single ? undefined : tables.add(trie.hi),
        enter: entered ? enterTable(trie.values[0], trie.begin[0], tables) : undefined,
      };
      placed.set(trie, made);
      return made;
    }),
  };
};

const enterTable = (values: Int32Array, begin: Int32Array, tables: Tables): { table: TableRef; lower: number } => {
  const lower = values[0];
  const out = new Int32Array(values[values.length - 1] - lower + 2);
  let n = 0;
  for (let v = 0; v < out.length - 1; v++) {
    out[v] = begin[n];
    if (values[n] - lower === v) n++;
  }
  out[out.length - 1] = begin[n];
  return { table: tables.add(out), lower };
};

/** Loops over the iterations of a join. */
export const emitJoin = (
  b: Builder,
  { join, atoms }: JoinLoops,
  type: IndexType,
  simd: boolean,
  point: (at: readonly Value[]) => void,
): void => {
  const { query, order, tries } = join;
  const drive = drivers(join)!;
  const number = (n: number): Value => b.constant(type === 'i64' ? BigInt(n) : n, type);
  const one = number(1);
  const x = new Array<Value>(query.dims);
  /* The nodes of each atom's current level. */
  const nodes = new Map<number, { from: Value; to: Value }>();
  join.query.atoms.forEach((_, atom) => {
    const trie = tries[atom]!;
    nodes.set(atom, { from: number(0), to: number(trie.values.length > 0 ? trie.values[0].length : trie.lo.length) });
  });
  const level = (l: number): void => {
    if (l === order.length) return point([...x]);
    const d = order[l];
    const isLast = l === order.length - 1;
    let [lo, hi] = [number(query.ranges[d].min), number(query.ranges[d].max)];
    let bounded = false;
    for (const f of query.where) {
      if (boundAt(f, order) !== l || f.coefs.filter((c) => c !== 0).length < 2) continue;
      const coef = f.coefs[d];
      bounded = true;
      const rest = affineValue(
        b,
        { constant: f.constant, coefs: f.coefs.map((c, k) => (k === d ? 0 : -coef * c)) },
        x,
        type,
      );
      const bound =
        coef > 0
          ? affineValue(b, { constant: -f.constant, coefs: f.coefs.map((c, k) => (k === d ? 0 : -c)) }, x, type)
          : rest;
      if (coef > 0) lo = b.max(lo, bound);
      else hi = b.min(hi, bound);
    }
    const bind = (value: Value): void => {
      x[d] = value;
      const saved = new Map(nodes);
      query.atoms.forEach((a, atom) => {
        const trie = tries[atom]!;
        const { enter } = atoms[atom];
        if (enter === undefined || boundAt(a.at[trie.order[0]], order) !== l) return;
        const values = trie.values[0];
        const at = affineValue(
          b,
          { ...a.at[trie.order[0]], constant: a.at[trie.order[0]].constant - enter.lower },
          x,
          type,
        );
        const last = values[values.length - 1] - enter.lower;
        /* Values beyond the table have nothing below them. */
        const inside = b.min(b.max(at, number(0)), number(last));
        const from = tableEntry(b, enter.table, inside);
        const to = b.select(b.cmp('eq', at, inside), tableEntry(b, enter.table, inside, 1), from);
        nodes.set(atom, { from, to });
      });
      level(l + 1);
      saved.forEach((v, k) => nodes.set(k, v));
    };
    const driver = drive[l];
    if (driver < 0) {
      b.for(lo, b.add(hi, one), one, isLast && simd ? { simd: true } : {}, [], (v) => bind(v));
      return;
    }
    const atom = query.atoms[driver];
    const trie = tries[driver]!;
    const trieLevel = trie.order.findIndex((k) => boundAt(atom.at[k], order) === l);
    const offset = atom.at[trie.order[trieLevel]].constant;
    const toIterator = (value: Value): Value => (offset === 0 ? value : b.sub(value, number(offset)));
    const { from, to } = nodes.get(driver)!;
    const clipped = bounded || offset !== 0 || !coversRange(join, driver, trieLevel, l);
    const within = (value: Value, body: () => void): void => {
      if (clipped) b.if(b.and(b.cmp('ge', value, lo), b.cmp('le', value, hi)), body);
      else body();
    };
    const tablesOf = atoms[driver];
    b.for(from, to, one, {}, [], (n) => {
      if (trieLevel < trie.values.length) {
        const value = toIterator(tableEntry(b, tablesOf.values[trieLevel]!, n));
        const saved = nodes.get(driver)!;
        nodes.set(driver, {
          from: tableEntry(b, tablesOf.begin[trieLevel], n),
          to: tableEntry(b, tablesOf.begin[trieLevel], n, 1),
        });
        within(value, () => bind(value));
        nodes.set(driver, saved);
        return;
      }
      const first = toIterator(tableEntry(b, tablesOf.lo, n));
      if (tablesOf.hi === undefined) return within(first, () => bind(first));
      const last = toIterator(tableEntry(b, tablesOf.hi, n));
      const start = clipped ? b.max(first, lo) : first;
      const end = clipped ? b.min(last, hi) : last;
      b.for(start, b.add(end, one), one, isLast && simd ? { simd: true } : {}, [], (v) => bind(v));
    });
  };
  level(0);
};

/** Whether all values of a level lie in the range of the iterator, so that none is to be left out. */
const coversRange = ({ query, order, tries }: Prepared, atom: number, trieLevel: number, l: number): boolean => {
  const trie = tries[atom]!;
  const { min, max } = query.ranges[order[l]];
  const values = trieLevel < trie.values.length ? trie.values[trieLevel] : trie.lo;
  const ends = trieLevel < trie.values.length ? trie.values[trieLevel] : trie.hi;
  return values.every((v) => v >= min) && ends.every((v) => v <= max);
};

import { components } from '../language/components.js';
import type { SparsityEquation, Term } from '../recurrences/sparsity.js';
import type { AffineProgram } from '../read/program.js';
import type { Box } from '../sets/box.js';
import { emptySet, fullSet, setOfBits, setOfRuns, type PointSet } from '../sets/point-set.js';
import { bitBuilder, growingSet, setBuilder, type GrowingSet } from '../sets/set-builder.js';
import { trieOf, type Trie } from '../sets/trie.js';
import { initialSets, type SparseInputs } from './inputs.js';
import { runJoin, subscriptOrder, type Prepared } from './join.js';
import { bestOrder } from './order.js';
import { runSweep, sweepOf } from './sweep.js';
import { rangesOf, type AtomSet, type Query } from './query.js';
import { variablesOf, type Variable } from './variables.js';

/** Sets of all variables and arrays (SP4). */
export interface Evaluation {
  readonly variables: readonly Variable[];
  /** The iterations of each statement whose value is not zero, by the variable's iterators. */
  readonly values: readonly PointSet[];
  /** Initial contents, by array. */
  readonly initial: ReadonlyMap<string, PointSet>;
  /** Variables that depend on one another, in the order of their evaluation. */
  readonly components: readonly (readonly number[])[];
  /** Rounds that each cycle took to its fix-point; none for variables that do not depend on themselves. */
  readonly rounds: readonly number[];
  readonly tries: Tries;
}

/**
 * Evaluates sparsity equations on actual inputs: variables that do not depend on themselves directly, in order; those of a
 * cycle to their least fix-point, each round only from what the last one found.
 */
export const evaluate = (
  program: AffineProgram,
  equations: readonly SparsityEquation[],
  inputs: SparseInputs,
): Evaluation => {
  const initial = initialSets(program, inputs);
  const variables = variablesOf(equations);
  const values: PointSet[] = variables.map((v) => emptySet(v.box));
  const tries = new Tries();
  const setOf = (of: number | string): PointSet => (typeof of === 'number' ? values[of] : initial.get(of)!);
  const reads = (k: number): number[] => [
    ...new Set(variables[k].terms.flatMap((t) => t.atoms.flatMap((a) => (typeof a.of === 'number' ? [a.of] : [])))),
  ];
  const rounds: number[] = [];
  const order = components(variables.length, reads);
  for (const component of order) {
    const cyclic = component.length > 1 || reads(component[0]).includes(component[0]);
    if (cyclic)
      rounds.push(
        swept(component, variables, values, setOf, tries) ?? fixPoint(component, variables, values, setOf, tries),
      );
    else {
      const [k] = component;
      values[k] = unionOfTerms(
        variables[k].terms,
        variables[k].kept,
        variables[k].box,
        setOf,
        tries,
        dimsOf(equations[k]),
      );
    }
  }
  return { variables, values, initial, components: order, rounds, tries };
};

const dimsOf = (e: SparsityEquation): number => e.recurrence.statement.iterators.length;

/** Tries of sets that stay, by set and order. */
export class Tries {
  private readonly known = new WeakMap<PointSet, Map<string, Trie>>();

  of(set: PointSet, order: readonly number[]): Trie {
    let mine = this.known.get(set);
    if (mine === undefined) this.known.set(set, (mine = new Map()));
    const key = order.join();
    let trie = mine.get(key);
    if (trie === undefined) mine.set(key, (trie = trieOf(set, order)));
    return trie;
  }
}

/** A term as a query that keeps some iterators; undefined where it has no point. Atoms that are full are left out. */
export const queryOf = (
  t: Term,
  head: readonly number[],
  result: Box,
  dims: number,
  setOf: (of: number | string) => AtomSet,
): Query | undefined => {
  const ranges = rangesOf(t.where, dims);
  if (ranges === undefined) return undefined;
  const atoms = t.atoms.map((a) => ({ at: a.at, in: setOf(a.of) }));
  if (atoms.some((a) => 'set' in a.in && a.in.set.count === 0)) return undefined;
  return {
    dims,
    where: t.where,
    atoms: atoms.filter((a) => !('set' in a.in) || a.in.set.count < a.in.set.box.size),
    head,
    result,
    ranges,
  };
};

/** A query with the order of its iterators and the tries that it takes. */
export const prepare = (q: Query, tries: Tries, distinct = false, order = bestOrder(q, distinct)): Prepared => ({
  query: q,
  order,
  tries: q.atoms.map((a) => ('set' in a.in ? tries.of(a.in.set, subscriptOrder(a.at, order)) : undefined)),
});

/** The points of a union of terms, by some of their iterators. */
export const unionOfTerms = (
  terms: readonly Term[],
  head: readonly number[],
  box: Box,
  setOf: (of: number | string) => PointSet,
  tries: Tries,
  dims: number,
): PointSet => {
  const queries = terms.flatMap((t) => queryOf(t, head, box, dims, (of) => ({ set: setOf(of) })) ?? []);
  if (queries.length === 0) return emptySet(box);
  if (queries.some((q) => isWholeBox(q))) return fullSet(box);
  const builder = setBuilder(box);
  for (const q of queries) runJoin(prepare(q, tries), builder);
  return builder.finish();
};

/** Whether a query without sets to ask gives every point of its box: then its conditions are those of the box alone. */
const isWholeBox = ({ atoms, where, head, ranges, result }: Query): boolean =>
  atoms.length === 0 &&
  where.every((f) => f.coefs.filter((c) => c !== 0).length <= 1) &&
  head.every((d, k) => ranges[d].min === result.lower[k] && ranges[d].max === result.lower[k] + result.extent[k] - 1);

/** The least fix-point of a cycle of constant moves, in one sweep; undefined where it is none. */
const swept = (
  component: readonly number[],
  variables: readonly Variable[],
  values: PointSet[],
  setOf: (of: number | string) => PointSet,
  tries: Tries,
): number | undefined => {
  const sweep = sweepOf(component, variables);
  if (sweep === undefined) return undefined;
  const boxes = new Map(component.map((k) => [k, variables[k].box]));
  const bits = new Map(component.map((k) => [k, new Uint32Array(Math.ceil(variables[k].box.size / 32))]));
  for (const k of component) {
    const { terms, kept, box } = variables[k];
    const builder = bitBuilder(box, bits.get(k)!);
    for (const t of terms) {
      if (t.atoms.some((a) => typeof a.of === 'number' && component.includes(a.of))) continue;
      const q = queryOf(t, kept, box, termDims(t, kept), (of) => ({ set: setOf(of) }));
      if (q !== undefined) runJoin(prepare(q, tries), builder);
    }
  }
  runSweep(sweep, boxes, bits);
  for (const k of component) values[k] = setOfBits(variables[k].box, bits.get(k)!);
  return 1;
};

/** Iterators of a term. */
const termDims = (t: Term, kept: readonly number[]): number =>
  Math.max(0, ...[...t.where, ...t.atoms.flatMap((a) => a.at)].map((f) => f.coefs.length), ...kept.map((d) => d + 1));

/** One way for news to spread: what is new of one atom's set, with the others as they are. */
interface Spread {
  readonly to: number;
  readonly from: number;
  readonly query: (news: PointSet) => Query | undefined;
  order: readonly number[] | undefined;
}

/** The least fix-point of the variables of a component; returns the number of rounds. */
const fixPoint = (
  component: readonly number[],
  variables: readonly Variable[],
  values: PointSet[],
  setOf: (of: number | string) => PointSet,
  tries: Tries,
): number => {
  const grown = new Map<number, GrowingSet>(component.map((k) => [k, growingSet(variables[k].box)]));
  const news = new Map<number, News>(component.map((k) => [k, new News(variables[k].box)]));
  const spreads: Spread[] = [];
  const add = (k: number, p: Prepared): void => {
    const [set, found] = [grown.get(k)!, news.get(k)!];
    const isNew = (from: number, to: number): void => found.add(from, to);
    runJoin(p, {
      add: (base, stride, lo, hi) => {
        if (stride === 1) set.add(base + lo, base + hi + 1, isNew);
        else for (let x = lo; x <= hi; x++) set.add(base + stride * x, base + stride * x + 1, isNew);
      },
      addRuns: (base, { lo, hi }, first, end) => {
        for (let n = first; n < end; n++) set.add(base + lo[n], base + hi[n] + 1, isNew);
      },
    });
  };
  for (const k of component) {
    const { terms, kept, box } = variables[k];
    const dims = Math.max(...terms.map((t) => termDims(t, kept)), 0);
    for (const t of terms) {
      const inside = t.atoms.flatMap((a, n) => (typeof a.of === 'number' && grown.has(a.of) ? [n] : []));
      if (inside.length === 0) {
        const q = queryOf(t, kept, box, dims, (of) => ({ set: setOf(of) }));
        if (q !== undefined) add(k, prepare(q, tries));
        continue;
      }
      /* What does not change from round to round is found out once. */
      const fixed = queryOf(t, kept, box, dims, (of) =>
        typeof of === 'number' && grown.has(of) ? grown.get(of)! : { set: setOf(of) },
      );
      if (fixed === undefined) continue;
      for (const n of inside) {
        const { of, at } = t.atoms[n];
        const own = fixed.atoms.findIndex((a) => a.at === at);
        const query = (set: PointSet): Query => ({
          ...fixed,
          atoms: fixed.atoms.map((a, m) => (m === own ? { at, in: { set } } : a)),
        });
        spreads.push({ to: k, from: of as number, query, order: undefined });
      }
    }
  }
  let rounds = 0;
  for (;;) {
    const last = new Map(component.map((k) => [k, news.get(k)!.take()]));
    if ([...last.values()].every((set) => set.count === 0)) break;
    rounds++;
    for (const s of spreads) {
      const set = last.get(s.from)!;
      if (set.count === 0) continue;
      const q = s.query(set)!;
      s.order ??= bestOrder(q, false);
      const passing = new Tries();
      add(s.to, {
        query: q,
        order: s.order,
        tries: q.atoms.map((a) =>
          'set' in a.in ? (a.in.set === set ? passing : tries).of(a.in.set, subscriptOrder(a.at, s.order!)) : undefined,
        ),
      });
    }
  }
  for (const k of component) values[k] = grown.get(k)!.finish();
  return rounds;
};

/** Runs of codes that were found in a round. */
class News {
  private starts: number[] = [];
  private ends: number[] = [];

  constructor(private readonly box: Box) {}

  add(from: number, to: number): void {
    this.starts.push(from);
    this.ends.push(to);
  }

  take(): PointSet {
    const set = setOfRuns(this.box, Float64Array.from(this.starts), Float64Array.from(this.ends));
    this.starts = [];
    this.ends = [];
    return set;
  }
}

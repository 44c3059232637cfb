import type { AffineProgram } from '../read/program.js';
import type { Box } from '../sets/box.js';
import { emptySet, fullSet, setOfBits, setOfRuns, type PointSet } from '../sets/point-set.js';
import { bitBuilder, growingSet, setBuilder, type GrowingSet } from '../sets/set-builder.js';
import { trieOf, type Trie } from '../sets/trie.js';
import { initialSets, type SparseInputs } from './inputs.js';
import { runJoin, subscriptOrder, type Prepared } from './join.js';
import { bestOrder } from './order.js';
import type { EvaluationPlan, PlannedVariable } from './plan.js';
import { queryOf, type Query, type QueryForm } from './query.js';
import { runSweep, type Sweep } from './sweep.js';
import type { Variable } from './variables.js';

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
 * Evaluates planned sparsity equations on actual inputs: variables that do not depend on themselves directly, in order;
 * those of a cycle to their least fix-point, each round only from what the last one found.
 */
export const evaluate = (
  program: AffineProgram,
  { variables, components }: EvaluationPlan,
  inputs: SparseInputs,
): Evaluation => {
  const initial = initialSets(program, inputs);
  const values: PointSet[] = variables.map((v) => emptySet(v.box));
  const tries = new Tries();
  const setOf = (of: number | string): PointSet => (typeof of === 'number' ? values[of] : initial.get(of)!);
  const rounds: number[] = [];
  for (const { members, cyclic, sweep } of components) {
    if (!cyclic) {
      const [k] = members;
      values[k] = unionOfForms(
        variables[k].forms.map(({ form }) => form),
        variables[k].box,
        setOf,
        tries,
      );
    } else if (sweep !== undefined) rounds.push(swept(sweep, members, variables, values, setOf, tries));
    else rounds.push(fixPoint(members, variables, values, setOf, tries));
  }
  return { variables, values, initial, components: components.map((c) => c.members), rounds, tries };
};

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

/** A query with the order of its iterators and the tries that it takes. */
export const prepare = (q: Query, tries: Tries, distinct = false, order = bestOrder(q, distinct)): Prepared => ({
  query: q,
  order,
  tries: q.atoms.map((a) => ('set' in a.in ? tries.of(a.in.set, subscriptOrder(a.at, order)) : undefined)),
});

/** The points of a union of forms. */
export const unionOfForms = (
  forms: readonly QueryForm[],
  box: Box,
  setOf: (of: number | string) => PointSet,
  tries: Tries,
): PointSet => {
  const queries: Query[] = [];
  for (const form of forms) {
    const q = queryOf(form, (of) => ({ set: setOf(of) }));
    if (q === undefined) continue;
    if (form.fillsBox && q.atoms.length === 0) return fullSet(box);
    queries.push(q);
  }
  if (queries.length === 0) return emptySet(box);
  const builder = setBuilder(box);
  for (const q of queries) runJoin(prepare(q, tries), builder);
  return builder.finish();
};

/** The least fix-point of a cycle of constant moves, in one sweep. */
const swept = (
  sweep: Sweep,
  component: readonly number[],
  variables: readonly PlannedVariable[],
  values: PointSet[],
  setOf: (of: number | string) => PointSet,
  tries: Tries,
): number => {
  const boxes = new Map(component.map((k) => [k, variables[k].box]));
  const bits = new Map(component.map((k) => [k, new Uint32Array(Math.ceil(variables[k].box.size / 32))]));
  for (const k of component) {
    const { forms, box } = variables[k];
    const builder = bitBuilder(box, bits.get(k)!);
    for (const { form, inside } of forms) {
      if (inside.length > 0) continue;
      const q = queryOf(form, (of) => ({ set: setOf(of) }));
      if (q !== undefined) runJoin(prepare(q, tries), builder);
    }
  }
  runSweep(sweep, boxes, bits);
  for (const k of component) values[k] = setOfBits(variables[k].box, bits.get(k)!);
  return 1;
};

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
  variables: readonly PlannedVariable[],
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
    for (const { form, inside } of variables[k].forms) {
      if (inside.length === 0) {
        const q = queryOf(form, (of) => ({ set: setOf(of) }));
        if (q !== undefined) add(k, prepare(q, tries));
        continue;
      }
      /* What does not change from round to round is found out once. */
      const fixed = queryOf(form, (of) =>
        typeof of === 'number' && grown.has(of) ? grown.get(of)! : { set: setOf(of) },
      );
      if (fixed === undefined) continue;
      for (const n of inside) {
        const { of, at } = form.atoms[n];
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

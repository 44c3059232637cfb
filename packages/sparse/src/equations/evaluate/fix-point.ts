import type { Box } from '../sets/box.js';
import { setOfRuns, type PointSet } from '../sets/point-set.js';
import { growingSet, type GrowingSet } from '../sets/set-builder.js';
import { runJoin } from './join.js';
import type { Prepared } from './prepared.js';
import type { PlannedVariable } from './plan.js';
import { queryOf, type Query } from './query.js';
import { ordered, prepareAll, type Ordered, type Stores } from './stores.js';
import type { Steps } from './work.js';

/** One way for news to spread: what is new of one atom's set, with the others as they are. */
interface Spread {
  readonly to: number;
  readonly from: number;
  readonly query: (news: PointSet) => Query;
  /** As it was the first time. */
  join: Ordered | undefined;
}

/** The least fix-point of the variables of a component; returns the number of rounds. */
export function* fixPoint(
  component: readonly number[],
  variables: readonly PlannedVariable[],
  values: PointSet[],
  setOf: (of: number | string) => PointSet,
  stores: Stores,
): Steps<number> {
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
        if (q !== undefined) for (const p of yield* prepareAll([ordered(q, 'collect')], stores)) add(k, p);
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
        spreads.push({ to: k, from: of as number, query, join: undefined });
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
      const query = s.query(set);
      s.join ??= ordered(query, 'collect');
      for (const p of yield* prepareAll([{ ...s.join, query }], stores)) add(s.to, p);
    }
  }
  for (const k of component) values[k] = grown.get(k)!.finish();
  return rounds;
}

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

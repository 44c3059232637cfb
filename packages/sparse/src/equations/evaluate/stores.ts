import { isDense, type BitTable } from '../sets/bit-table.js';
import type { PointSet } from '../sets/point-set.js';
import type { Trie } from '../sets/trie.js';
import { subscriptOrder, type Prepared } from './prepared.js';
import { bestOrder, boundAt, type BestOrder, type Purpose } from './order.js';
import type { Query, QueryAtom } from './query.js';
import { each, type Steps, type Store, type Work } from './work.js';

/** Tries and bits of sets that stay, each made once. */
export class Stores {
  private readonly known = new WeakMap<PointSet, Map<string, Trie | BitTable>>();

  trie(set: PointSet, order: readonly number[]): Trie {
    return this.known.get(set)!.get(order.join()) as Trie;
  }

  table(set: PointSet, fastest: number): BitTable {
    return this.known.get(set)!.get(`bits ${fastest}`) as BitTable;
  }

  /** Makes what is not known yet. */
  *make(wanted: readonly Store[]): Steps<void> {
    const missing = new Map<string, Store>();
    const sets: PointSet[] = [];
    for (const store of wanted) {
      const key = keyOf(store);
      if (this.known.get(store.set)?.has(key) === true) continue;
      if (!sets.includes(store.set)) sets.push(store.set);
      missing.set(`${sets.indexOf(store.set)} ${key}`, store);
    }
    const stores = [...missing.values()];
    const made = yield* each(
      stores.map((store): Work<Trie | BitTable> => ({ kind: 'store', store, cost: costOf(store) })),
    );
    stores.forEach((store, k) => {
      let mine = this.known.get(store.set);
      if (mine === undefined) this.known.set(store.set, (mine = new Map()));
      mine.set(keyOf(store), made[k]);
    });
  }
}

const costOf = ({ as, set }: Store): number => (as === 'trie' ? 2 * set.count : set.box.size / 64);

const keyOf = (s: Store): string => (s.as === 'trie' ? s.order.join() : `bits ${s.fastest}`);

/** A query, and the order in which its iterators are to be bound. */
export interface Ordered extends BestOrder {
  readonly query: Query;
  readonly purpose: Purpose;
}

export const ordered = (query: Query, purpose: Purpose): Ordered => ({ query, purpose, ...bestOrder(query, purpose) });

/** Prepares joins: their sets as tries, or as bits if they are dense. */
export function* prepareAll(joins: readonly Ordered[], stores: Stores): Steps<readonly Prepared[]> {
  yield* stores.make(joins.flatMap((j) => j.query.atoms.flatMap((a) => storeOf(a, j) ?? [])));
  return joins.map((j): Prepared => {
    const { dims, where, head, result, ranges, atoms } = j.query;
    const held = atoms.map((a) => ({ a, store: storeOf(a, j) }));
    return {
      query: { dims, where, head, result, ranges, atoms: atoms.map(({ at }) => ({ at })) },
      order: j.order,
      tries: held.map(({ store }) => (store?.as === 'trie' ? stores.trie(store.set, store.order) : undefined)),
      tables: held.map(({ store }) => (store?.as === 'bits' ? stores.table(store.set, store.fastest) : undefined)),
      grown: held.map(({ a }) => ('set' in a.in ? undefined : a.in)),
    };
  });
}

const storeOf = ({ at, in: held }: QueryAtom, { order, purpose }: Ordered): Store | undefined => {
  if (!('set' in held)) return undefined;
  const { set } = held;
  const subscripts = subscriptOrder(at, order);
  if (purpose === 'visit' || !isDense(set)) return { as: 'trie', set, order: subscripts };
  /* That of a subscript that stands alone behind the others; else the order of the codes. */
  const last = subscripts[subscripts.length - 1];
  const level = boundAt(at[last], order);
  const alone = level >= 0 && subscripts.slice(0, -1).every((k) => boundAt(at[k], order) < level);
  return { as: 'bits', set, fastest: alone && at[last].coefs[order[level]] === 1 ? last : at.length - 1 };
};

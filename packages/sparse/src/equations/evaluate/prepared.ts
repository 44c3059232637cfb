import type { Affine } from '../../trace/piece.js';
import type { BitTable } from '../sets/bit-table.js';
import type { Trie } from '../sets/trie.js';
import { boundAt } from './order.js';
import type { GrownSet, Query } from './query.js';

/**
 * A query prepared for a join: an order of its iterators, and each set in the form in which the join uses it. That is a trie
 * in the order in which its subscripts are bound, the bits of a dense set, or a growing set that can only be asked for single
 * points. Without growing sets it is plain data, which any thread can work on.
 */
export interface Prepared {
  readonly query: Omit<Query, 'atoms'> & { readonly atoms: readonly { readonly at: readonly Affine[] }[] };
  readonly order: readonly number[];
  readonly tries: readonly (Trie | undefined)[];
  readonly tables: readonly (BitTable | undefined)[];
  readonly grown: readonly (GrownSet | undefined)[];
}

/** The order of an atom's subscripts that fits an order of iterators. */
export const subscriptOrder = (at: readonly Affine[], order: readonly number[]): readonly number[] =>
  at
    .map((f, k) => ({ k, l: boundAt(f, order) }))
    .sort((a, b) => a.l - b.l || a.k - b.k)
    .map(({ k }) => k);

import { fail } from '@filigree/ir';
import { associativeIn } from '../decompose/codes.js';
import { IntList } from '../decompose/int-list.js';
import type { Grouping } from '../group/group.js';
import type { Group } from '../group/groups.js';
import type { TermList } from '../group/terms.js';
import type { CanonicalForm } from './canonical.js';
import { harvestLeaves } from './columns.js';
import { bodyOf, canonicalForms, leafKinds, MAX_TOKENS, sameTokens, tooLarge, TREE_TOKENS } from './forms.js';
import type { UnitForm } from './unit-form.js';
import type { HarvestedGroup, Segment } from './harvested.js';

/** Harvests a group of rolled sums: a segment for the terms of each structure, and the turns they take where order counts. */
export const harvestRolled = (d: Grouping, g: Group, form: UnitForm, terms: TermList): HarvestedGroup => {
  const n = g.units.length;
  const rootOf = (i: number): number => d.roots[d.ptr[g.units[i]]];
  const total = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const count = terms.collect(rootOf(i));
    for (let t = 0; t < count; t++) total.set(terms.hashes[t], (total.get(terms.hashes[t]) ?? 0) + 1);
  }
  const operation = d.graph.op[rootOf(0)];
  const ordered = associativeIn(d.graph.arithmetic)[operation] === 0;
  const kinds = kindsOfTerms(n, total);
  const turns = new IntList();
  let inTurn = true;
  const asTree = canonicalForms(d, form, true);
  const asShared = canonicalForms(d, form, false);
  for (let i = 0; i < n; i++) {
    const count = terms.collect(rootOf(i));
    let last = 0;
    for (let t = 0; t < count; t++) {
      const tree = form.walkTerm(terms.terms[t], true, TREE_TOKENS);
      if (!tree && !form.walkTerm(terms.terms[t], false, MAX_TOKENS)) tooLarge();
      const written = tree ? asTree() : asShared();
      const kind = kinds.of(terms.hashes[t], written, tree);
      if (ordered) {
        turns.push(kind.number);
        inTurn &&= kind.number >= last;
        last = kind.number;
      }
      const at = kind.filled++;
      kind.ptr[i + 1]++;
      for (let k = 0; k < kind.leaves.length; k++) kind.leaves[k][at] = form.leaves[written.leaves[k]];
      for (let k = 0; k < kind.constants.length; k++) kind.constants[k][at] = form.constants[written.constants[k]];
    }
  }
  const segments = kinds.all(ordered).map(({ ptr, tokens, filled, leaves, constants }): Segment => {
    for (let i = 0; i < n; i++) ptr[i + 1] += ptr[i];
    const cut = (a: Int32Array): Int32Array => (a.length === filled ? a : a.slice(0, filled));
    const found = harvestLeaves(d.graph, leaves.map(cut), leafKinds(tokens), constants.map(cut));
    return { ptr, operation, ...bodyOf(d, tokens, found) };
  });
  return {
    level: g.level,
    ...(g.repeated && { repeated: g.repeated }),
    units: g.units,
    body: undefined,
    segments,
    ...(inTurn ? {} : { turns: turns.values().slice() }),
  };
};

/** Terms of one structure, as they are collected. */
interface Kind {
  /** Kinds are counted as they come. */
  readonly number: number;
  readonly tree: boolean;
  readonly tokens: Int32Array;
  /** The terms of instance i, at i + 1. */
  readonly ptr: Int32Array;
  filled: number;
  readonly leaves: readonly Int32Array[];
  readonly constants: readonly Int32Array[];
}

/**
 * The kinds of terms, by hash and form: several forms have one hash where they share their subexpressions differently. `total`
 * is how many terms have a hash.
 */
const kindsOfTerms = (instances: number, total: ReadonlyMap<number, number>) => {
  const byHash = new Map<number, Kind[]>();
  let count = 0;
  const make = (hash: number, form: CanonicalForm, tree: boolean): Kind => {
    const room = (): Int32Array => new Int32Array(total.get(hash)!);
    return {
      number: count++,
      tree,
      tokens: form.tokens,
      ptr: new Int32Array(instances + 1),
      filled: 0,
      leaves: Array.from(form.leaves, room),
      constants: Array.from(form.constants, room),
    };
  };
  return {
    /** As they came, or by hash. */
    all: (asTheyCame: boolean): Kind[] =>
      asTheyCame
        ? [...byHash.values()].flat().sort((a, b) => a.number - b.number)
        : [...byHash].sort((a, b) => a[0] - b[0]).flatMap(([, kinds]) => kinds),
    of: (hash: number, form: CanonicalForm, tree: boolean): Kind => {
      const known = byHash.get(hash) ?? [];
      for (const kind of known) if (sameTokens(kind.tokens, form.tokens)) return kind;
      if (tree && known.some((kind) => kind.tree)) collision();
      const kind = make(hash, form, tree);
      known.push(kind);
      byHash.set(hash, known);
      return kind;
    },
  };
};

const collision = (): never =>
  fail('harvest/collision', 'two terms of different structure have one structural hash', {
    remedy: 'trace again with another seed',
  });

import { fail, pass, type Pass } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Group, Grouping } from '../group/group.js';
import { termList, type TermList } from '../group/terms.js';
import { canonicalForm, type CanonicalForm } from './canonical.js';
import { buildTemplate, type Template } from './template.js';
import { harvestLeaves, type Column } from './columns.js';
import { readToken } from './token.js';
import { unitForm, type UnitForm } from './unit-form.js';

/** A template with the columns that fill its variables: first `columns`, then `constants`. */
export interface Body {
  readonly template: Template;
  readonly columns: readonly Column[];
  readonly constants: readonly Float64Array[];
}

/** A group ready for simplification: `units.length` instances of one body, or a sum over segments of terms. */
export interface HarvestedGroup {
  readonly level: number;
  readonly units: Int32Array;
  /** Values each instance computes; a rolled sum computes one. */
  readonly body: Body | undefined;
  /** For rolled sums: the terms of instance i are the entries `[ptr[i], ptr[i + 1])` of the segment's columns. */
  readonly segments: readonly Segment[];
}

/** Terms of one kind in a rolled sum. */
export interface Segment extends Body {
  readonly ptr: Int32Array;
}

/** A grouping with the leaves of every group, and what later stages need to know. */
export interface Harvest extends Pick<
  Grouping,
  'graph' | 'inputs' | 'outputs' | 'ptr' | 'roots' | 'level' | 'destinations'
> {
  readonly harvested: readonly HarvestedGroup[];
  /** How often instances load values of each level, in all. */
  readonly loadsOfLevel: Float64Array;
}

/** Longest form that is written out as a tree. */
const TREE_TOKENS = 250;
/** Longest form at all; longer kernels would not compile in reasonable time. */
const MAX_TOKENS = 400_000;

/** Harvests the leaves of every group and builds its template (§4.4). */
export const harvest = (): Pass<Grouping, Harvest> =>
  pass('harvest', (d) => {
    const form = unitForm(d);
    const terms = termList(d, d.hashes);
    const { graph, inputs, outputs, ptr, roots, level, destinations } = d;
    const harvested = d.groups.flatMap((g) =>
      g.rolled ? [harvestRolled(d, g, form, terms)] : harvestGroup(d, g, form),
    );
    return {
      ...{ graph, inputs, outputs, ptr, roots, level, destinations },
      loadsOfLevel: loadsOfLevel(d, harvested),
      harvested,
    };
  });

/** An instance loads a value once, however often its expressions refer to it. */
const loadsOfLevel = ({ level, unit }: Grouping, harvested: readonly HarvestedGroup[]): Float64Array => {
  let highest = 0;
  for (let u = 0; u < level.length; u++) if (level[u] > highest) highest = level[u];
  const loads = new Float64Array(1 + highest);
  for (const { body, segments } of harvested)
    for (const part of body ? [body, ...segments] : segments)
      for (const { kind, nodes } of part.columns)
        if (kind === INTERMEDIATE) for (let i = 0; i < nodes.length; i++) loads[level[unit[nodes[i]]]]++;
  return loads;
};

/** Usually one group; several where units of one hash turn out to share their subexpressions differently. */
const harvestGroup = (d: Grouping, g: Group, form: UnitForm): HarvestedGroup[] => {
  const out: HarvestedGroup[] = [];
  const single = g.units.length > 0 && d.ptr[g.units[0] + 1] - d.ptr[g.units[0]] === 1;
  for (let rest: Int32Array = g.units; rest.length > 0;) {
    const from = d.ptr[rest[0]];
    const to = d.ptr[rest[0] + 1];
    const tree = single && form.walk(d.roots, from, to, true, TREE_TOKENS);
    const { body, units, others } = harvestUnits(d, rest, tree, form);
    out.push({ level: g.level, units, body, segments: [] });
    rest = others;
  }
  return out;
};

/** The first candidate and all others of its canonical form. */
const harvestUnits = (
  d: Grouping,
  candidates: Int32Array,
  tree: boolean,
  form: UnitForm,
): { body: Body; units: Int32Array; others: Int32Array } => {
  const canonical = canonicalForms(d, form, tree);
  const walk = (u: number): CanonicalForm => {
    if (!form.walk(d.roots, d.ptr[u], d.ptr[u + 1], tree, MAX_TOKENS))
      fail('harvest/too-large', `one expression takes more than ${MAX_TOKENS} operations in a single kernel`, {
        remedy: 'allow global decomposition, or tag intermediate values as blocks',
      });
    return canonical();
  };
  const { tokens, constants: constantOrder } = walk(candidates[0]);
  const kinds = leafKinds(tokens);
  const n = candidates.length;
  const leaves = kinds.map(() => new Int32Array(n));
  const constants = Array.from(constantOrder, () => new Int32Array(n));
  const units = new Int32Array(n);
  const others = new Int32Array(n);
  let matched = 0;
  let other = 0;
  for (let i = 0; i < n; i++) {
    const c = walk(candidates[i]);
    if (!sameTokens(c.tokens, tokens)) {
      others[other++] = candidates[i];
      continue;
    }
    for (let k = 0; k < leaves.length; k++) leaves[k][matched] = form.leaves[c.leaves[k]];
    for (let k = 0; k < constants.length; k++) constants[k][matched] = form.constants[c.constants[k]];
    units[matched++] = candidates[i];
  }
  const cut = (a: Int32Array): Int32Array => (matched === n ? a : a.slice(0, matched));
  const found = harvestLeaves(d.graph, leaves.map(cut), kinds, constants.map(cut));
  return { body: bodyOf(d, tokens, found), units: cut(units), others: others.subarray(0, other) };
};

/** How many forms are remembered. */
const MAX_FORMS = 1024;

/** The canonical form of the unit that `form` walked last; of units of one form it is found once. */
const canonicalForms = (d: Grouping, form: UnitForm, tree: boolean): (() => CanonicalForm) => {
  const byHash = new Map<number, { readonly written: Int32Array; readonly canonical: CanonicalForm }>();
  let hash = 0;
  let last: { readonly written: Int32Array; readonly canonical: CanonicalForm } | undefined;
  return () => {
    if (last === undefined || form.hash !== hash) {
      hash = form.hash;
      last = byHash.get(hash);
    }
    if (last !== undefined && sameAsWalked(form, last.written)) return last.canonical;
    const known = { written: form.tokens.slice(0, form.tokenCount), canonical: canonicalForm(d, form, tree) };
    if (byHash.size < MAX_FORMS && !byHash.has(form.hash)) byHash.set(form.hash, known);
    return known.canonical;
  };
};

const sameAsWalked = ({ tokens, tokenCount }: UnitForm, written: Int32Array): boolean => {
  if (tokenCount !== written.length) return false;
  for (let i = 0; i < tokenCount; i++) if (tokens[i] !== written[i]) return false;
  return true;
};

const sameTokens = (a: Int32Array, b: Int32Array): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

const leafKinds = (tokens: Int32Array): number[] => {
  const kinds: number[] = [];
  for (const t of tokens) {
    const read = readToken(t);
    if (read.is === 'leaf') kinds.push(read.kind);
  }
  return kinds;
};

const bodyOf = (d: Grouping, tokens: Int32Array, found: ReturnType<typeof harvestLeaves>): Body => ({
  template: buildTemplate(
    tokens,
    tokens.length,
    found.columns.length + found.constants.length,
    (i) => found.leaf[i],
    (i) => found.constant[i],
    d.graph.identity,
  ),
  columns: found.columns,
  constants: found.constants,
});

const NO_TOKENS: Int32Array = new Int32Array(0);

const harvestRolled = (d: Grouping, g: Group, form: UnitForm, terms: TermList): HarvestedGroup => {
  const n = g.units.length;
  const first = terms.collect(d.roots[d.ptr[g.units[0]]]);
  const kindsOfTerm: number[] = [];
  for (let t = 0; t < first; t++)
    if (t === 0 || terms.hashes[t] !== terms.hashes[t - 1]) kindsOfTerm.push(terms.hashes[t]);
  /* Terms per segment and instance, then their leaves. */
  const ptrs = kindsOfTerm.map(() => new Int32Array(n + 1));
  for (let i = 0; i < n; i++) {
    const count = terms.collect(d.roots[d.ptr[g.units[i]]]);
    let s = 0;
    for (let t = 0; t < count; t++) {
      while (s < kindsOfTerm.length && terms.hashes[t] !== kindsOfTerm[s]) s++;
      if (s === kindsOfTerm.length) collision();
      ptrs[s][i + 1]++;
    }
  }
  for (const ptr of ptrs) for (let i = 0; i < n; i++) ptr[i + 1] += ptr[i];
  const canonical = canonicalForms(d, form, true);
  const parts = ptrs.map((ptr) => ({
    ptr,
    filled: 0,
    tokens: NO_TOKENS,
    leaves: [] as Int32Array[],
    constants: [] as Int32Array[],
  }));
  for (let i = 0; i < n; i++) {
    const count = terms.collect(d.roots[d.ptr[g.units[i]]]);
    let s = 0;
    for (let t = 0; t < count; t++) {
      while (terms.hashes[t] !== kindsOfTerm[s]) s++;
      const part = parts[s];
      form.walkTerm(terms.terms[t]);
      const c = canonical();
      if (part.filled === 0) {
        part.tokens = c.tokens;
        const total = part.ptr[n];
        part.leaves = Array.from(c.leaves, () => new Int32Array(total));
        part.constants = Array.from(c.constants, () => new Int32Array(total));
      } else if (!sameTokens(c.tokens, part.tokens)) collision();
      for (let k = 0; k < part.leaves.length; k++) part.leaves[k][part.filled] = form.leaves[c.leaves[k]];
      for (let k = 0; k < part.constants.length; k++) part.constants[k][part.filled] = form.constants[c.constants[k]];
      part.filled++;
    }
  }
  const segments = parts.map(({ ptr, tokens, leaves, constants }): Segment => ({
    ptr,
    ...bodyOf(d, tokens, harvestLeaves(d.graph, leaves, leafKinds(tokens), constants)),
  }));
  return { level: g.level, units: g.units, body: undefined, segments };
};

const collision = (): never =>
  fail('harvest/collision', 'two terms of different structure have one structural hash', {
    remedy: 'trace again with another seed',
  });

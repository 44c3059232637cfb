import { fail, pass, type Pass } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Group, Grouping } from '../group/group.js';
import { termList, type TermList } from '../group/terms.js';
import { buildTemplate, type Template } from './template.js';
import { harvestLeaves, type Column } from './columns.js';
import { unitForm, type CanonicalOrder, type UnitForm } from './forms.js';
import { readToken } from './token.js';
import { unitMarks, unitWalk, type UnitWalk } from './unit-walk.js';

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

/** Longest canonical form that is written out as a tree. */
const TREE_TOKENS = 160;
/** Longest form at all; longer kernels would not compile in reasonable time. */
const MAX_TOKENS = 200_000;

/** Harvests the leaves of every group and builds its template (§4.4). */
export const harvest = (): Pass<Grouping, Harvest> =>
  pass('harvest', (d) => {
    const marks = unitMarks(d);
    const walk = unitWalk(d, marks);
    const form = unitForm(d, marks);
    const terms = termList(d, d.hashes, () => false);
    const { graph, inputs, outputs, ptr, roots, level, destinations } = d;
    const harvested = d.groups.flatMap((g) =>
      g.rolled ? [harvestRolled(d, g, walk, terms)] : harvestGroup(d, g, walk, form),
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
const harvestGroup = (d: Grouping, g: Group, walk: UnitWalk, form: UnitForm): HarvestedGroup[] => {
  const out: HarvestedGroup[] = [];
  const single = g.units.length > 0 && d.ptr[g.units[0] + 1] - d.ptr[g.units[0]] === 1;
  for (let rest: Int32Array = g.units; rest.length > 0;) {
    const from = d.ptr[rest[0]];
    const to = d.ptr[rest[0] + 1];
    const tree = single && walk.walk(d.roots, from, to, true, TREE_TOKENS);
    if (!tree && !walk.walk(d.roots, from, to, false, MAX_TOKENS)) {
      fail('harvest/too-large', `one expression takes more than ${MAX_TOKENS} operations in a single kernel`, {
        remedy: 'allow global decomposition, or tag intermediate values as blocks',
      });
    }
    const { body, units, others } = harvestUnits(d, rest, tree, walk, form);
    out.push({ level: g.level, units, body, segments: [] });
    rest = others;
  }
  return out;
};

const harvestUnits = (
  d: Grouping,
  candidates: Int32Array,
  tree: boolean,
  walk: UnitWalk,
  form: UnitForm,
): { body: Body; units: Int32Array; others: Int32Array } => {
  const tokenCount = walk.tokenCount;
  const tokens = walk.tokens.slice(0, tokenCount);
  const kinds = leafKinds(tokens);
  const n = candidates.length;
  const leaves = kinds.map(() => new Int32Array(n));
  const constants = Array.from({ length: walk.constantCount }, () => new Int32Array(n));
  const units = new Int32Array(n);
  const others = new Int32Array(n);
  let matched = 0;
  let other = 0;
  /* Leaves that were walked stand in canonical order, those of a form as they are written. */
  const take = (u: number, from: Pick<UnitWalk, 'leaves' | 'constants'>, order?: CanonicalOrder): void => {
    for (let c = 0; c < leaves.length; c++) leaves[c][matched] = from.leaves[order ? order.leaves[c] : c];
    for (let c = 0; c < constants.length; c++) constants[c][matched] = from.constants[order ? order.constants[c] : c];
    units[matched++] = u;
  };
  const known = knownForms(form);
  for (let i = 0; i < n; i++) {
    const u = candidates[i];
    const written = n >= MANY && form.walk(d.roots, d.ptr[u], d.ptr[u + 1], tree);
    const met = written ? known.find() : undefined;
    if (met !== undefined) {
      if (met.order === undefined) others[other++] = u;
      else take(u, form, met.order);
      continue;
    }
    const fits =
      walk.walk(d.roots, d.ptr[u], d.ptr[u + 1], tree, tree ? TREE_TOKENS : MAX_TOKENS) &&
      sameTokens(walk, tokens, tokenCount);
    if (written) known.add(fits ? form.canonicalOrder(tree) : undefined);
    if (fits) take(u, walk);
    else others[other++] = u;
  }
  const cut = (a: Int32Array): Int32Array => (matched === n ? a : a.slice(0, matched));
  const found = harvestLeaves(d.graph, leaves.map(cut), kinds, constants.map(cut));
  return { body: bodyOf(d, tokens, found), units: cut(units), others: others.subarray(0, other) };
};

/** Units from which on it pays to remember forms, and how many are remembered. */
const MANY = 32;
const MAX_FORMS = 256;

/** A form that units of a group have, with the canonical order of its leaves; without one it is none of the group. */
interface KnownForm {
  readonly tokens: Int32Array;
  readonly order: CanonicalOrder | undefined;
}

/** Remembers forms; `find` and `add` are about the unit that `form` walked last. */
const knownForms = (form: UnitForm) => {
  const byHash = new Map<number, KnownForm>();
  let hash = 0;
  let last: KnownForm | undefined;
  return {
    find: (): KnownForm | undefined => {
      if (last === undefined || form.hash !== hash) {
        hash = form.hash;
        last = byHash.get(hash);
      }
      return last !== undefined && sameTokens(form, last.tokens, last.tokens.length) ? last : undefined;
    },
    add: (order: CanonicalOrder | undefined): void => {
      if (byHash.size < MAX_FORMS && !byHash.has(form.hash))
        byHash.set(form.hash, { tokens: form.tokens.slice(0, form.tokenCount), order });
    },
  };
};

const sameTokens = (walk: Pick<UnitWalk, 'tokens' | 'tokenCount'>, tokens: Int32Array, n: number): boolean => {
  if (walk.tokenCount !== n) return false;
  const t = walk.tokens;
  for (let i = 0; i < n; i++) if (t[i] !== tokens[i]) return false;
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

const harvestRolled = (d: Grouping, g: Group, walk: UnitWalk, terms: TermList): HarvestedGroup => {
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
  const parts = ptrs.map((ptr) => ({
    ptr,
    filled: 0,
    tokens: new Int32Array(0),
    leaves: [] as Int32Array[],
    constants: [] as Int32Array[],
  }));
  for (let i = 0; i < n; i++) {
    const count = terms.collect(d.roots[d.ptr[g.units[i]]]);
    let s = 0;
    for (let t = 0; t < count; t++) {
      while (terms.hashes[t] !== kindsOfTerm[s]) s++;
      const part = parts[s];
      walk.walkTerm(terms.terms[t]);
      if (part.filled === 0) {
        part.tokens = walk.tokens.slice(0, walk.tokenCount);
        const total = part.ptr[n];
        part.leaves = Array.from({ length: walk.leafCount }, () => new Int32Array(total));
        part.constants = Array.from({ length: walk.constantCount }, () => new Int32Array(total));
      } else if (!sameTokens(walk, part.tokens, part.tokens.length)) collision();
      for (let c = 0; c < part.leaves.length; c++) part.leaves[c][part.filled] = walk.leaves[c];
      for (let c = 0; c < part.constants.length; c++) part.constants[c][part.filled] = walk.constants[c];
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

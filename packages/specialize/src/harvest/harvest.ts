import { checkOptions, pass, type Pass } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import type { Group } from '../group/groups.js';
import { termList } from '../group/terms.js';
import { defaultOptions, groupSpec, type GroupOptions } from '../options.js';
import type { CanonicalForm } from './canonical.js';
import { alignOperands } from './aligned.js';
import { harvestLeaves } from './columns.js';
import { harvestElements, type AllUnits } from './elements.js';
import { bodyOf, canonicalForms, leafKinds, MAX_TOKENS, sameTokens, tooLarge, TREE_TOKENS } from './forms.js';
import { repeatHarvested } from './loops.js';
import { productGroups } from './products.js';
import { harvestRolled } from './rolled.js';
import { segmentsInRuns } from './runs.js';
import { unitForm, type UnitForm } from './unit-form.js';
import type { Body, Harvest, HarvestedGroup } from './harvested.js';

/** Harvests the leaves of every group and builds its template (§4.4). Groups of elements come with theirs. */
export const harvest = (given?: Partial<GroupOptions>): Pass<Grouping, Harvest> => {
  const options = { ...defaultOptions.group, ...checkOptions('harvest', given, groupSpec) };
  return pass('harvest', (d) => {
    const form = unitForm(d);
    const terms = termList(d, d.hashes);
    const { graph, inputs, outputs } = d;
    const { groups, ids, unit, written, ...units } = harvestElements(d, options);
    const { ptr, roots, level, destinations } = units;
    const listed = productGroups(d, options);
    const all = [
      ...d.groups.flatMap((g) => (g.rolled ? [harvestRolled(d, g, form, terms)] : harvestGroup(d, g, form))),
      ...groups,
    ];
    const inSteps = groups.length === 0 ? all : repeatHarvested(all, listed, units);
    /* Levels are alike, and steps of a loop, by the kinds of their terms, whatever turns these take. */
    const harvested = inSteps.map((g) => (g.repeated ? g : segmentsInRuns(g)));
    return {
      ...{ graph, inputs, outputs, ptr, roots, level, destinations, ids, written },
      loadsOfLevel: loadsOfLevel({ level, unit }, [...harvested, ...listed]),
      harvested,
      listed,
    };
  });
};

/** An instance loads a value once, however often its expressions refer to it. */
const loadsOfLevel = (
  { level, unit }: Pick<AllUnits, 'level' | 'unit'>,
  harvested: readonly HarvestedGroup[],
): Float64Array => {
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
    out.push({ level: g.level, ...(g.repeated && { repeated: g.repeated }), units, body, segments: [] });
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
    if (!form.walk(d.roots, d.ptr[u], d.ptr[u + 1], tree, MAX_TOKENS)) tooLarge();
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
  const [read, numbers] = [leaves.map(cut), constants.map(cut)];
  alignOperands(d, tokens, read, numbers);
  const found = harvestLeaves(d.graph, read, kinds, numbers);
  return { body: bodyOf(d, tokens, found), units: cut(units), others: others.subarray(0, other) };
};

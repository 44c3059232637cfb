import { CONSTANT, VARIABLE } from '../decompose/codes.js';
import type { NeededElements } from '../decompose/needs.js';
import type { Destinations } from '../group/destinations.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import type { GroupOptions } from '../options.js';
import { harvestLeaves } from './columns.js';
import { elementRoots, type ElementRoots } from './element-roots.js';
import type { Body, HarvestedGroup } from './harvested.js';
import { elementTemplate } from './element-template.js';
import { evaluatedTerms } from './evaluated-terms.js';
import { leafColumns, membersByKinds } from './leaf-columns.js';
import { NUMBER, sumGroups } from './element-sums.js';
import { kindOfVariable } from './unit-form.js';
import { unitsAsWritten } from './units-as-written.js';

/** The units of a program, those of elements behind those of its graph. */
export interface AllUnits {
  /** Values have numbers below this: nodes of the graph, and behind them the values of elements. */
  readonly ids: number;
  readonly ptr: Int32Array;
  readonly roots: Int32Array;
  readonly level: Int32Array;
  readonly unit: Int32Array;
  readonly destinations: Destinations;
  readonly written: Int32Array;
  readonly groups: readonly HarvestedGroup[];
}

/**
 * The groups of elements and of their sums, whose columns are there already. Elements are one group but for leaves of different
 * buffers; sums are grouped by kinds of terms, as those of the graph are.
 */
export const harvestElements = (d: Grouping, options: GroupOptions): AllUnits => {
  const r = elementRoots(d, options);
  const kindOf = leafKind(d);
  const evaluated = evaluatedTerms(d, kindOf, d.inputs.length + 1);
  const groups = d.needs.elements.flatMap((e, k) => [
    ...(r.elements[k].roots.length > 0 ? valueGroups(d, e, r, k, kindOf) : []),
    ...sumGroups(d, e, r, k, kindOf, evaluated, options),
  ]);
  return { ...r, written: unitsAsWritten(d, r), groups };
};

/** The kind of a value as a leaf; constants are `NUMBER`. */
export const leafKind = (d: Grouping): ((id: number) => number) => {
  const { op, length } = d.graph;
  const ofVariable = kindOfVariable(d);
  return (id) =>
    id >= length ? INTERMEDIATE : op[id] === CONSTANT ? NUMBER : op[id] === VARIABLE ? ofVariable(id) : INTERMEDIATE;
};

/** Elements whose leaves come from the same buffers. */
const valueGroups = (
  d: Grouping,
  e: NeededElements,
  { elements }: ElementRoots,
  k: number,
  kindOf: (id: number) => number,
): HarvestedGroup[] => {
  const { firstUnit, roots, calls } = elements[k];
  const parts = calls.map((g) => d.needs.elements[g]);
  const columns = parts.flatMap(leafColumns);
  const leaves = Int32Array.from(parts.flatMap((part) => [...part.leaves]));
  return membersByKinds(e.count, columns, kindOf).map(({ kinds, members }): HarvestedGroup => {
    const taken = columns.map((c) => (members.length === e.count ? c : members.map((i) => c[i])));
    const isNumber = (c: number): boolean => kinds[c] === NUMBER;
    const numbers = taken.filter((_, c) => isNumber(c));
    const found = harvestLeaves(
      d.graph,
      taken.filter((_, c) => !isNumber(c)),
      kinds.filter((kind) => kind !== NUMBER),
      numbers,
    );
    let leaf = 0;
    let constant = 0;
    const slots = kinds.map((kind) => (kind === NUMBER ? found.constant[constant++] : found.leaf[leaf++]));
    const body: Body = {
      template: elementTemplate(d.graph, leaves, slots, found.columns.length + found.constants.length, roots),
      columns: found.columns,
      constants: found.constants,
    };
    return { level: d.elementLevels[k].values, units: members.map((i) => firstUnit + i), body, segments: [] };
  });
};

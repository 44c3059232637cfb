import { ADD, associativeIn, CONSTANT, VARIABLE } from '../decompose/codes.js';
import type { NeededElements } from '../decompose/needs.js';
import type { Destinations } from '../group/destinations.js';
import { destinationHash } from '../group/destinations.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import type { GroupOptions } from '../options.js';
import { harvestLeaves } from './columns.js';
import { elementRoots, type ElementRoots } from './element-roots.js';
import type { Body, HarvestedGroup, Segment } from './harvested.js';
import { elementTemplate, termTemplate } from './element-template.js';
import { kindOfVariable } from './unit-form.js';

/** The units of a program, those of elements behind those of its graph. */
export interface AllUnits {
  /** Values have numbers below this: nodes of the graph, and behind them the values of elements. */
  readonly ids: number;
  readonly ptr: Int32Array;
  readonly roots: Int32Array;
  readonly level: Int32Array;
  readonly unit: Int32Array;
  readonly destinations: Destinations;
  readonly groups: readonly HarvestedGroup[];
}

/**
 * The groups of elements and of their sums, whose columns are there already. Elements are one group but for leaves of different
 * buffers; sums are grouped by kinds of terms, as those of the graph are.
 */
export const harvestElements = (d: Grouping, options: GroupOptions): AllUnits => {
  const r = elementRoots(d);
  const kindOf = leafKind(d);
  const groups = d.needs.elements.flatMap((e, k) => [
    ...(r.elements[k].roots.length > 0 ? valueGroups(d, e, r, k, kindOf) : []),
    ...sumGroups(d, e, r, k, kindOf, options),
  ]);
  return { ...r, groups };
};

/** The kind of a value as a leaf; constants are `NUMBER`. */
const leafKind = (d: Grouping): ((id: number) => number) => {
  const { op, length } = d.graph;
  const ofVariable = kindOfVariable(d);
  return (id) =>
    id >= length ? INTERMEDIATE : op[id] === CONSTANT ? NUMBER : op[id] === VARIABLE ? ofVariable(id) : INTERMEDIATE;
};
const NUMBER = -1;

/** Elements whose leaves come from the same buffers. */
const valueGroups = (
  d: Grouping,
  e: NeededElements,
  { elements }: ElementRoots,
  k: number,
  kindOf: (id: number) => number,
): HarvestedGroup[] => {
  const { firstUnit, roots } = elements[k];
  const columns = Array.from(e.leaves, (leaf) => {
    const at = e.variables.indexOf(leaf);
    return at < 0 ? new Int32Array(e.count).fill(leaf) : e.columns[at];
  });
  const parts = partsOfOne(e.count, columns.length, (i, c) => kindOf(columns[c][i]));
  return parts.map(({ kinds, members }): HarvestedGroup => {
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
      template: elementTemplate(d.graph, e.leaves, slots, found.columns.length + found.constants.length, roots),
      columns: found.columns,
      constants: found.constants,
    };
    return { level: d.elementLevels[k].values, units: members.map((i) => firstUnit + i), body, segments: [] };
  });
};

/** Members `0 .. count` by the kinds of what they have at each of `width` places. */
const partsOfOne = (
  count: number,
  width: number,
  kindOf: (member: number, place: number) => number,
): { readonly kinds: number[]; readonly members: Int32Array }[] => {
  const parts = new Map<string, { kinds: number[]; members: number[] }>();
  let last: { kinds: number[]; members: number[] } | undefined;
  for (let i = 0; i < count; i++) {
    let same = last !== undefined;
    for (let c = 0; same && c < width; c++) same = last!.kinds[c] === kindOf(i, c);
    if (!same) {
      const kinds = Array.from({ length: width }, (_, c) => kindOf(i, c));
      const known = parts.get(kinds.join()) ?? { kinds, members: [] };
      parts.set(kinds.join(), known);
      last = known;
    }
    last!.members.push(i);
  }
  return [...parts.values()].map(({ kinds, members }) => ({ kinds, members: Int32Array.from(members) }));
};

/** The sums of a call that are units of their own, by destination and kinds of terms. */
const sumGroups = (
  d: Grouping,
  e: NeededElements,
  r: ElementRoots,
  k: number,
  kindOf: (id: number) => number,
  { maxUnrolledTerms, minUnrolledInstances }: GroupOptions,
): HarvestedGroup[] => {
  const { firstSumUnit, sums } = r.elements[k];
  if (sums.length === 0) return [];
  const { ptr, negative } = e.sums;
  const anyOrder = associativeIn(d.graph.arithmetic)[ADD] === 1;
  const ids = e.sums.terms.map((t) => (t >= 0 ? t : r.idOfValue(~t)));
  const codes = ids.map((id, t) => 2 * (kindOf(id) + 1) + negative[t]);
  if (anyOrder) for (const s of sums) sortTerms(ids, codes, ptr[s], ptr[s + 1]);
  const base = 2 * (d.inputs.length + 2) + 1;
  /* By destination, then by form: neighbours mostly agree in both. */
  const byDestination = new Map<number, Map<number | string, number[]>>();
  let [lastDestination, lastForm]: [number | undefined, number | string | undefined] = [undefined, undefined];
  let forms = new Map<number | string, number[]>();
  let members: number[] = [];
  for (let i = 0; i < sums.length; i++) {
    const s = sums[i];
    const destination = destinationHash(r.destinations, r.ptr[firstSumUnit + i]);
    let form: number | string = -1;
    if (ptr[s + 1] - ptr[s] <= maxUnrolledTerms) {
      form = 0;
      for (let t = ptr[s]; t < ptr[s + 1] && form < MAX_FORM; t++) form = form * base + codes[t] + 1;
      if (form >= MAX_FORM) form = codes.subarray(ptr[s], ptr[s + 1]).join();
    }
    if (destination !== lastDestination) {
      forms = byDestination.get(destination) ?? new Map<number | string, number[]>();
      byDestination.set(destination, forms);
    }
    if (destination !== lastDestination || form !== lastForm) {
      members = forms.get(form) ?? [];
      forms.set(form, members);
      [lastDestination, lastForm] = [destination, form];
    }
    members.push(i);
  }
  const alike = [...byDestination.values()].flatMap((of) => [...of.values()]);
  const level = d.elementLevels[k].sums;
  const rolled = new Map<number, number[]>();
  const out: HarvestedGroup[] = [];
  for (const members of alike) {
    const s = sums[members[0]];
    if (ptr[s + 1] - ptr[s] <= maxUnrolledTerms && (members.length >= minUnrolledInstances || alike.length === 1))
      out.push({ level, ...unrolledSums(d, ids, codes, ptr, sums, members, firstSumUnit) });
    else {
      const destination = destinationHash(r.destinations, r.ptr[firstSumUnit + members[0]]);
      rolled.set(destination, [...(rolled.get(destination) ?? []), ...members]);
    }
  }
  for (const members of rolled.values()) {
    members.sort((a, b) => a - b);
    out.push({ level, ...rolledSums(d, ids, codes, ptr, sums, members, firstSumUnit, anyOrder) });
  }
  return out;
};

/** Numbers above are not exact. */
const MAX_FORM = 2 ** 46;

const sortTerms = (ids: Int32Array, codes: Int32Array, from: number, to: number): void => {
  for (let i = from + 1; i < to; i++) {
    const [id, code] = [ids[i], codes[i]];
    let j = i - 1;
    for (; j >= from && codes[j] > code; j--) {
      ids[j + 1] = ids[j];
      codes[j + 1] = codes[j];
    }
    ids[j + 1] = id;
    codes[j + 1] = code;
  }
};

type Terms = Pick<HarvestedGroup, 'units' | 'body' | 'segments' | 'turns'>;

/** Sums of the same kinds of terms. */
const unrolledSums = (
  d: Grouping,
  ids: Int32Array,
  codes: Int32Array,
  ptr: Int32Array,
  sums: Int32Array,
  members: readonly number[],
  firstUnit: number,
): Terms => {
  const units = Int32Array.from(members, (i) => firstUnit + i);
  const from = ptr[sums[members[0]]];
  const kinds = codes.subarray(from, ptr[sums[members[0]] + 1]);
  const column = (t: number): Int32Array => {
    const out = new Int32Array(members.length);
    for (let m = 0; m < members.length; m++) out[m] = ids[ptr[sums[members[m]]] + t];
    return out;
  };
  const places = [...kinds.keys()];
  const isNumber = (t: number): boolean => kindOfCode(kinds[t]) === NUMBER;
  const found = harvestLeaves(
    d.graph,
    places.filter((t) => !isNumber(t)).map(column),
    places.filter((t) => !isNumber(t)).map((t) => kindOfCode(kinds[t])),
    places.filter(isNumber).map(column),
  );
  let leaf = 0;
  let constant = 0;
  const terms = places.map((t) => ({
    slot: isNumber(t) ? found.constant[constant++] : found.leaf[leaf++],
    negative: (kinds[t] & 1) === 1,
  }));
  return {
    units,
    body: {
      template: termTemplate(d.graph.arithmetic, found.columns.length + found.constants.length, terms),
      columns: found.columns,
      constants: found.constants,
    },
    segments: [],
  };
};

/** Sums of any terms, a segment for each kind. */
const rolledSums = (
  d: Grouping,
  ids: Int32Array,
  codes: Int32Array,
  ptr: Int32Array,
  sums: Int32Array,
  members: readonly number[],
  firstUnit: number,
  anyOrder: boolean,
): Terms => {
  const counts = new Map<number, number>();
  for (const i of members)
    for (let t = ptr[sums[i]]; t < ptr[sums[i] + 1]; t++) counts.set(codes[t], (counts.get(codes[t]) ?? 0) + 1);
  const kinds = [...counts.keys()];
  if (anyOrder) kinds.sort((a, b) => a - b);
  const number = new Map(kinds.map((code, s) => [code, s]));
  const starts = kinds.map(() => new Int32Array(members.length + 1));
  const columns = kinds.map((code) => new Int32Array(counts.get(code)!));
  const turns = new Int32Array(ids.length);
  let turn = 0;
  let inTurn = true;
  const filled = new Int32Array(kinds.length);
  members.forEach((i, m) => {
    let last = 0;
    for (let t = ptr[sums[i]]; t < ptr[sums[i] + 1]; t++) {
      const s = number.get(codes[t])!;
      columns[s][filled[s]++] = ids[t];
      turns[turn++] = s;
      inTurn &&= s >= last;
      last = s;
    }
    for (const [s, start] of starts.entries()) start[m + 1] = filled[s];
  });
  const segments = kinds.map((code, s): Segment => {
    const kind = kindOfCode(code);
    const found = harvestLeaves(
      d.graph,
      kind === NUMBER ? [] : [columns[s]],
      kind === NUMBER ? [] : [kind],
      kind === NUMBER ? [columns[s]] : [],
    );
    const slot = kind === NUMBER ? found.constant[0] : found.leaf[0];
    return {
      ptr: starts[s],
      operation: ADD,
      template: termTemplate(d.graph.arithmetic, found.columns.length + found.constants.length, [
        { slot, negative: (code & 1) === 1 },
      ]),
      columns: found.columns,
      constants: found.constants,
    };
  });
  return {
    units: Int32Array.from(members, (i) => firstUnit + i),
    body: undefined,
    segments,
    ...(inTurn ? {} : { turns: turns.slice(0, turn) }),
  };
};

const kindOfCode = (code: number): number => (code >> 1) - 1;

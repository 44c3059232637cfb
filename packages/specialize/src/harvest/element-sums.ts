import { ADD, associativeIn } from '../decompose/codes.js';
import { IntList } from '../decompose/int-list.js';
import type { NeededElements } from '../decompose/needs.js';
import { destinationNumbers } from '../group/destinations.js';
import type { Grouping } from '../group/group.js';
import { columnFrom, equalColumns } from '../trace/elements/column-from.js';
import { LARGEST, MAX_GROUPS } from '../group/sums.js';
import type { GroupOptions } from '../options.js';
import { harvestLeaves } from './columns.js';
import type { ElementRoots } from './element-roots.js';
import type { EvaluatedKind, EvaluatedTerms } from './evaluated-terms.js';
import { termTemplate, type TermSlot } from './element-template.js';
import { BREAK, firstPlaces, ONE_STRETCH, termsOfUnits, type TermKinds, type UnitTerms } from './element-terms.js';
import type { Body, HarvestedGroup, Segment } from './harvested.js';

/** More than blocks of sums have forms. */
const FORMS = 2 ** 8;

/** The kind of a number as a leaf; other kinds are buffers. */
export const NUMBER = -1;

/** The sums of a call that are units of their own, by destination and kinds of terms. */
export const sumGroups = (
  d: Grouping,
  e: NeededElements,
  r: ElementRoots,
  k: number,
  kindOf: (id: number) => number,
  evaluated: EvaluatedTerms,
  options: GroupOptions,
): HarvestedGroup[] => {
  const { firstSumUnit, ...units } = r.elements[k];
  if (units.sums.length === 0) return [];
  const anyOrder = associativeIn(d.graph.arithmetic)[ADD] === 1;
  const idOf = (term: number): number => (term >= 0 ? term : r.idOfValue(~term));
  const { length } = d.graph;
  const kindOfTerm = (id: number): number => (id < length ? undefined : evaluated.kindOf(id - length)) ?? kindOf(id);
  const terms = {
    ...termsOfUnits(e.sums, units, idOf, kindOfTerm, evaluated.kinds, anyOrder),
    ofKind: evaluated.ofKind,
  };
  const level = d.elementLevels[k].sums;
  const numberOf = destinationNumbers(r.destinations);
  const destinationOf = (i: number): number => {
    const unit = firstSumUnit + i;
    return numberOf(r.ptr[unit], r.ptr[unit + 1]) * FORMS + units.form[i];
  };
  return groupsOfTerms(d, terms, destinationOf, firstSumUnit, options).map((group) => ({ level, ...group }));
};

/**
 * Sums by destination and kinds of terms.
 *
 * @param destinationOf a number for where the values of a unit go
 * @param firstUnit the number of the first unit
 */
export const groupsOfTerms = (
  d: Grouping,
  terms: UnitTerms,
  destinationOf: (i: number) => number,
  firstUnit: number,
  options: GroupOptions,
): Summed[] => {
  const anyOrder = associativeIn(d.graph.arithmetic)[ADD] === 1;
  const { alike, others } = membersAlike(terms, destinationOf, options);
  return [
    ...byEqualLeaves(terms, alike, options).map((members) => unrolledSums(d, terms, members, firstUnit)),
    /* Where no sum has a term, as of terms that are 0 over the reals, there is nothing to loop over. */
    ...others.map((members) =>
      members.every((i) => terms.ptr[i] === terms.ptr[i + 1])
        ? unrolledSums(d, terms, members, firstUnit)
        : rolledSums(d, terms, members, firstUnit, anyOrder),
    ),
  ];
};

/** Sums with kernels of their own, of one destination and the same kinds of terms each, and others, which are loops over terms. */
const membersAlike = (
  terms: UnitTerms,
  destinationOf: (i: number) => number,
  { maxUnrolledTerms, minUnrolledInstances }: GroupOptions,
): { readonly alike: readonly number[][]; readonly others: readonly number[][] } => {
  const { ptr } = terms;
  const formOf = forms(terms);
  /* By destination, then by form: neighbours mostly agree in both. */
  const byDestination = new Map<number, Map<number, number[]>>();
  let [lastDestination, lastForm]: [number | undefined, number | undefined] = [undefined, undefined];
  let known = new Map<number, number[]>();
  let members: number[] = [];
  for (let i = 0; i + 1 < ptr.length; i++) {
    const destination = destinationOf(i);
    const short = ptr[i + 1] - ptr[i] <= maxUnrolledTerms && !evaluates(terms, i);
    const form = short || isWhole(terms, i) ? formOf(ptr[i], ptr[i + 1]) : LONG;
    if (destination !== lastDestination) {
      known = byDestination.get(destination) ?? new Map<number, number[]>();
      byDestination.set(destination, known);
    }
    if (destination !== lastDestination || form !== lastForm) {
      members = known.get(form) ?? [];
      known.set(form, members);
      [lastDestination, lastForm] = [destination, form];
    }
    members.push(i);
  }
  const alone = byDestination.size === 1 && known.size === 1;
  const alike: number[][] = [];
  const others = new Map<string, number[]>();
  for (const [destination, ofForms] of byDestination) {
    const many = [...ofForms]
      .filter(([form, of]) => form !== LONG && !isWhole(terms, of[0]) && (alone || of.length >= minUnrolledInstances))
      .map(([, of]) => of);
    const kept = new Set(
      many.length > MAX_GROUPS ? [...many].sort((x, y) => y.length - x.length).slice(0, LARGEST) : many,
    );
    for (const of of ofForms.values())
      if (kept.has(of) || isWhole(terms, of[0])) alike.push(of);
      else
        for (const i of of) {
          const key = terms.factors === undefined ? String(destination) : `${destination} ${kindsKey(terms, i)}`;
          const list = others.get(key);
          if (list) list.push(i);
          else others.set(key, [i]);
        }
  }
  return { alike, others: [...others.values()].map((of) => of.sort((a, b) => a - b)) };
};

/**
 * Of sums alike those that read the same leaf at the same places, where they are many, apart from the others: an entry that is a
 * factor of one term and added besides is one column then.
 */
const byEqualLeaves = (
  terms: UnitTerms,
  alike: readonly (readonly number[])[],
  { minUnrolledInstances }: GroupOptions,
): readonly (readonly number[])[] => {
  const firsts = firstPlaces(terms);
  if (firsts === undefined) return alike;
  const { ptr } = terms;
  const formOf = forms(firsts);
  return alike.flatMap((members) => {
    const enough = Math.max(MANY_FOLD * minUnrolledInstances, members.length / MOST_FORMS);
    if (members.length < 2 * enough) return [members];
    const byForm = new Map<number, number[]>();
    for (const i of members) {
      const form = formOf(ptr[i], ptr[i + 1]);
      const known = byForm.get(form);
      if (known) known.push(i);
      else byForm.set(form, [i]);
    }
    const many = [...byForm.values()].filter((of) => of.length >= enough);
    const rest = [...byForm.values()].filter((of) => of.length < enough).flat();
    return rest.length === 0 ? many : [...many, rest.sort((a, b) => a - b)];
  });
};

/** Into how many groups equal leaves divide one: each is code that is compiled and read, for a column or two. */
const MOST_FORMS = 8;
const MANY_FOLD = 16;

/** Instead of a form for sums that are too long to be written out. */
const LONG = -1;

/** Numbers the lists of codes of sums, from 0. */
const forms = ({ codes }: Pick<UnitTerms, 'codes'>): ((from: number, to: number) => number) => {
  /* Lists with one more code, by form: the first, and by that the next; lists have few. */
  const [longer, others, lastCode] = [new IntList(), new IntList(), new IntList()];
  const listed = (code: number): number => {
    longer.push(0);
    others.push(0);
    lastCode.push(code);
    return longer.length - 1;
  };
  listed(0);
  const after = (shorter: number, code: number): number => {
    let known = longer.at(shorter);
    while (known !== 0 && lastCode.at(known) !== code) known = others.at(known);
    if (known !== 0) return known;
    known = listed(code);
    others.set(known, longer.at(shorter));
    longer.set(shorter, known);
    return known;
  };
  let form = 0;
  let [begin, end] = [0, 0];
  return (from, to) => {
    /* Neighbours are often alike. */
    let same = to - from === end - begin;
    for (let t = 0; same && t < to - from; t++) same = codes[from + t] === codes[begin + t];
    begin = from;
    end = to;
    if (same) return form;
    form = 0;
    for (let t = from; t < to; t++) form = after(form, codes[t]);
    return form;
  };
};

/** Whether a unit is more than a sum of terms: such have kernels of their own. */
const isWhole = (terms: UnitTerms, i: number): boolean =>
  terms.scales.length > 1 || terms.scales[0] !== 1 || hasBreak(terms, i);

/** Whether some term of a unit is no leaf. A sum by itself that has such is a loop, in which each kind of term is written once. */
const evaluates = ({ ptr, codes, kindsOf, ofKind }: UnitTerms, i: number): boolean => {
  for (let t = ptr[i]; ofKind !== undefined && t < ptr[i + 1]; t++)
    if (codes[t] !== BREAK && ofKind(kindsOf(codes[t]).kind) !== undefined) return true;
  return false;
};

/** Whether a unit has several sums. Units have a break in front of each. */
const hasBreak = ({ ptr, codes }: UnitTerms, i: number): boolean => {
  for (let t = ptr[i]; t < ptr[i + 1]; t++) if (codes[t] === BREAK) return true;
  return false;
};

/** The kinds of terms that a sum has. Kinds stand together. */
const kindsKey = ({ ptr, codes }: UnitTerms, i: number): string => {
  let key = '';
  for (let t = ptr[i]; t < ptr[i + 1]; t++) if (t === ptr[i] || codes[t] !== codes[t - 1]) key += `${codes[t]},`;
  return key;
};

type Summed = Pick<HarvestedGroup, 'units' | 'body' | 'segments' | 'turns'>;

/** Leaves of terms as they are collected: a column for each factor of each of them. */
interface TermColumns extends TermKinds {
  readonly first: Int32Array;
  readonly second: Int32Array | undefined;
}

const columnsFor = (kinds: TermKinds, length: number): TermColumns => ({
  ...kinds,
  first: new Int32Array(length),
  second: kinds.factor === undefined ? undefined : new Int32Array(length),
});

/** Terms with their columns as a body: of one sum, or of what several begin with and then what each goes on with. */
const bodyOfTerms = (
  d: Grouping,
  lists: readonly (readonly TermColumns[])[],
  { scales, ofKind }: Pick<UnitTerms, 'scales' | 'ofKind'>,
): Body => {
  const { leaves, leaf, elements } = newLeaves();
  const terms = lists.map((list) =>
    list.map(({ kind, first, factor, second, negative, stretch }) => {
      const evaluated = ofKind?.(kind);
      const places = evaluated === undefined ? [leaf(kind, first)] : elements(d.graph.length, evaluated, first);
      const by = factor === undefined || second === undefined ? undefined : leaf(factor, second);
      return { evaluated, places, by, negative, stretch };
    }),
  );
  const buffers = leaves.filter((l) => l.kind !== NUMBER);
  const numbers = leaves.filter((l) => l.kind === NUMBER);
  const found = harvestLeaves(
    d.graph,
    buffers.map((l) => l.nodes),
    buffers.map((l) => l.kind),
    numbers.map((l) => l.nodes),
  );
  let [next, constant] = [0, 0];
  const slots = leaves.map(({ kind }) => (kind === NUMBER ? found.constant[constant++] : found.leaf[next++]));
  const termSlots = terms.map((list) =>
    list.map(({ evaluated, places, by, negative, stretch }): TermSlot => {
      const own = places.map((p) => slots[p]);
      const slot = evaluated === undefined ? own[0] : { trace: d.graph, ...evaluated, slots: own };
      return { slot, factor: by === undefined ? undefined : slots[by], negative, stretch };
    }),
  );
  return {
    template: termTemplate(d.graph.arithmetic, found.columns.length + found.constants.length, termSlots, scales),
    columns: found.columns,
    constants: found.constants,
  };
};

/** Leaves of terms as they are met; those of elements, which several terms of a unit may read, once. */
const newLeaves = () => {
  const leaves: { readonly kind: number; readonly nodes: Int32Array }[] = [];
  const known: { readonly of: EvaluatedKind; readonly elements: Int32Array; readonly places: readonly number[] }[] = [];
  const leaf = (kind: number, nodes: Int32Array): number => leaves.push({ kind, nodes }) - 1;
  return {
    leaves,
    leaf,
    /** Where the leaves stand of the elements of which these are the values. */
    elements: (firstId: number, of: EvaluatedKind, ids: Int32Array): readonly number[] => {
      const elements = new Int32Array(ids.length);
      for (let i = 0; i < ids.length; i++) elements[i] = ids[i] - firstId - of.firstValue;
      const same = known.find(
        (k) => k.of.columns === of.columns && k.of.kinds === of.kinds && equalColumns(k.elements, elements),
      );
      if (same !== undefined) return same.places;
      const places = of.columns.map((column, c) => leaf(of.kinds[c], taken(column, elements)));
      known.push({ of, elements, places });
      return places;
    },
  };
};

/** What these elements have in a column. */
const taken = (column: Int32Array, elements: Int32Array): Int32Array => {
  const own = new Int32Array(elements.length);
  for (let i = 0; i < elements.length; i++) own[i] = column[elements[i]];
  return own;
};

/** Sums of the same kinds of terms. */
const unrolledSums = (d: Grouping, unitTerms: UnitTerms, members: readonly number[], firstUnit: number): Summed => {
  const { ptr, ids, factors, codes, kindsOf } = unitTerms;
  const lists: TermColumns[][] = [[]];
  /* A column for each factor of a term; those of breaks are not kept. */
  const width = ptr[members[0] + 1] - ptr[members[0]];
  const units = new Int32Array(members.length);
  const starts = new Int32Array(members.length);
  for (let m = 0; m < units.length; m++) {
    units[m] = firstUnit + members[m];
    starts[m] = ptr[members[m]];
  }
  for (let t = 0; t < width; t++) {
    const code = codes[ptr[members[0]] + t];
    if (code === BREAK) {
      lists.push([]);
      continue;
    }
    const kinds = kindsOf(code);
    const second = kinds.factor === undefined ? undefined : columnFrom(factors!, starts, t);
    lists[lists.length - 1].push({ ...kinds, first: columnFrom(ids, starts, t), second });
  }
  return { units, body: bodyOfTerms(d, lists, unitTerms), segments: [] };
};

/** Sums of any terms, a segment for each kind. */
const rolledSums = (
  d: Grouping,
  unitTerms: UnitTerms,
  members: readonly number[],
  firstUnit: number,
  anyOrder: boolean,
): Summed => {
  const { ptr, ids, factors, codes, kindsOf, ofKind } = unitTerms;
  const counts = new Map<number, number>();
  for (const i of members)
    for (let t = ptr[i]; t < ptr[i + 1]; t++) counts.set(codes[t], (counts.get(codes[t]) ?? 0) + 1);
  const kinds = [...counts.keys()];
  if (anyOrder) kinds.sort((a, b) => a - b);
  const number = new Map(kinds.map((code, s) => [code, s]));
  const starts = kinds.map(() => new Int32Array(members.length + 1));
  const columns = kinds.map((code) => columnsFor(kindsOf(code), counts.get(code)!));
  const turns = new Int32Array(ids.length);
  let turn = 0;
  let inTurn = true;
  const filled = new Int32Array(kinds.length);
  members.forEach((i, m) => {
    let last = 0;
    for (let t = ptr[i]; t < ptr[i + 1]; t++) {
      const s = number.get(codes[t])!;
      const { first, second } = columns[s];
      const at = filled[s]++;
      first[at] = ids[t];
      if (second !== undefined) second[at] = factors![t];
      turns[turn++] = s;
      inTurn &&= s >= last;
      last = s;
    }
    for (const [s, start] of starts.entries()) start[m + 1] = filled[s];
  });
  return {
    units: Int32Array.from(members, (i) => firstUnit + i),
    body: undefined,
    segments: columns.map((column, s): Segment => ({
      ptr: starts[s],
      operation: ADD,
      ...bodyOfTerms(d, [[column]], { scales: ONE_STRETCH, ofKind }),
    })),
    ...(inTurn ? {} : { turns: turns.slice(0, turn) }),
  };
};

import type { Graph } from '@filigree/ir';
import { CONSTANT, NEG } from '../../decompose/codes.js';
import { IntList } from '../../decompose/int-list.js';
import { templateValues } from '../elements/assemble.js';
import { nextValue, type Elements, type Sums } from '../elements/elements.js';
import { isUndefined } from '../undefined.js';
import { Bits } from './bits.js';
import { levelsOf, termsOf, type Alike } from './levels.js';
import type { Made } from './made.js';
import { needed } from './needed.js';
import { below, makeNodes, type PathForm } from './path-form.js';
import type { Stretches } from './stretches.js';

/** Fewer stretches that are alike are nodes. */
const MANY = 64;
/** Operations for each value that goes through memory, and how many times in a row that may be, for stretches to be elements. */
const LEAST_OPERATIONS = 3;
const MOST_LEVELS = 4;

/** Makes elements of stretches that are alike, and sums of what they add up. */
export class Assembled {
  constructor(
    private readonly graph: Graph,
    private readonly all: Elements[],
    private readonly stretches: Stretches,
    private readonly made: Made,
  ) {}

  /**
   * Whether stretches from one on are worth a template: some path has at least `least` of them that do not read what others of them compute, what stretches read of each other and add up is
   * little beside what they compute, since it goes through memory, and nothing is far from what it depends on, since each step on the way is a kernel.
   */
  repeats(first: number, least = MANY): boolean {
    const { stretches, made } = this;
    const { length, leaves } = stretches;
    const base = stretches.bases.at(first);
    const level = new Int32Array(length - first);
    const counts = new Map<PathForm, Int32Array>();
    const isRead = new Bits(stretches.base - base);
    let [alike, terms] = [false, 0];
    for (let s = first; s < length; s++) {
      const form = made.formOf(s);
      const start = stretches.leafStarts.at(s);
      let l = 0;
      for (let k = 0; k < form.leafCount; k++) {
        const value = ~leaves[start + k];
        if (value < base || isAddedTo(form, k)) continue;
        l = Math.max(l, level[made.stretchOf(value) - first] + 1);
        isRead.set(value - base);
      }
      if (l > MOST_LEVELS) return false;
      level[s - first] = l;
      terms += form.terms;
      let known = counts.get(form);
      if (known === undefined) counts.set(form, (known = new Int32Array(MOST_LEVELS + 1)));
      alike ||= ++known[l] >= least;
    }
    return alike && LEAST_OPERATIONS * (isRead.size + terms) <= stretches.base - base;
  }

  /** Finds nodes for values that have none. */
  assemble(asked: Int32Array): void {
    const { graph, all, stretches, made } = this;
    const n = needed(stretches, made, asked);
    const { alike, groupOf, memberOf, ofValue } = levelsOf(stretches, made, n);
    const nodes = new Int32Array(n.values.length).fill(-1);
    const nodeOf = (entry: number): number =>
      entry >= 0 ? entry : n.isValue(~entry) ? nodes[n.rank(~entry)] : made.nodeOf(~entry);
    const computed = new Map<Alike, Computed>();
    const { ptr, order } = byLevel(ofValue);
    for (let level = 0; level + 1 < ptr.length; level++) {
      const groups = alike.filter((g) => g.level === level);
      const columnsOf = (g: Alike): readonly Int32Array[] =>
        g.wanted.leaves.map((k) =>
          Int32Array.from(g.members, (s) => nodeOf(stretches.leaves[stretches.leafStarts.at(s) + k])),
        );
      const asNodes = (g: Alike): Computed => {
        const { form, roots } = g.wanted;
        const { operations } = below(form, roots);
        const own = new Int32Array(form.length);
        const found = new Map(roots.map((p) => [p, new Int32Array(g.members.length)]));
        for (const [i, s] of g.members.entries()) {
          const start = stretches.leafStarts.at(s);
          makeNodes(graph, form, operations, (k) => nodeOf(stretches.leaves[start + k]), own);
          for (const p of roots) found.get(p)![i] = own[p];
        }
        return { term: (p, i) => [found.get(p)![i], 0] };
      };
      for (const g of groups) if (g.members.length < MANY) computed.set(g, asNodes(g));
      const many = groups.filter((g) => g.members.length >= MANY).map((g) => ({ g, columns: columnsOf(g) }));
      const records: Record[] = [];
      for (const { g, columns } of many.sort((a, b) => b.columns.length - a.columns.length)) {
        const into = records.find(
          (r) => r.count === g.members.length && columns.every((c) => isNumber(graph, c) || r.find(c) >= 0),
        );
        if (into) into.groups.push({ g, columns });
        else records.push(newRecord(graph, g, columns));
      }
      for (const record of records) {
        const made = elementsOf(graph, nextValue(all), record);
        for (const { g } of record.groups) computed.set(g, made === undefined ? asNodes(g) : made.computed(g));
        if (made !== undefined) all.push({ ...made.elements, sums: { ...NO_SUMS, first: graph.length } });
      }
      this.addSums(order.subarray(ptr[level], ptr[level + 1]), n.values, nodes, (value, terms) => {
        const s = made.stretchOf(value);
        const put = (stretch: number, p: number, negative: boolean): void => {
          const [term, minus] = computed.get(alike[groupOf[stretch]])!.term(p, memberOf[stretch]);
          terms.push(term, minus ^ (negative ? 1 : 0));
        };
        termsOf(stretches, made, n, value, s, {
          entry: (entry, negative) => terms.push(nodeOf(entry), negative ? 1 : 0),
          value: put,
        });
      });
    }
    made.setAll(n.values, nodes);
  }

  /** Sums of these values, by their ranks: each of the terms that it is given, the last first. */
  private addSums(
    ranks: Int32Array,
    values: Int32Array,
    nodes: Int32Array,
    collect: (value: number, terms: TermList) => void,
  ): void {
    const { graph, all } = this;
    const exact = graph.arithmetic === 'exact';
    const own = new TermList();
    const [ends, terms, negatives] = [new IntList(), new IntList(), new IntList()];
    const known = new Map<number, number[]>();
    const sumOf = new Int32Array(ranks.length).fill(-1);
    for (const [k, r] of ranks.entries()) {
      own.clear();
      collect(values[r], own);
      own.reverse(graph, exact);
      if (own.length === 0) nodes[r] = graph.constant(0);
      else if (own.length === 1 && own.term(0) >= 0 && own.negative(0) === 0) nodes[r] = own.term(0);
      else {
        const hash = own.hash();
        const alike = known.get(hash) ?? [];
        const same = alike.find((s) => own.equals(terms, negatives, s === 0 ? 0 : ends.at(s - 1), ends.at(s)));
        sumOf[k] = same ?? ends.length;
        if (same !== undefined) continue;
        known.set(hash, [...alike, ends.length]);
        for (let t = 0; t < own.length; t++) {
          terms.push(own.term(t));
          negatives.push(own.negative(t));
        }
        ends.push(terms.length);
      }
    }
    if (ends.length === 0) return;
    graph.charge(9 * terms.length);
    const first = graph.variables(ends.length);
    for (const [k, r] of ranks.entries()) if (sumOf[k] >= 0) nodes[r] = first + sumOf[k];
    const sums: Sums = {
      first,
      ptr: ends.starts(),
      terms: terms.values().slice(),
      negative: Uint8Array.from(negatives.values()),
    };
    all.push({ ...NO_ELEMENTS, firstValue: nextValue(all), sums });
  }
}

/** Whether additions go on from a leaf. */
const isAddedTo = (form: PathForm, leaf: number): boolean => form.goesOn[leaf] === 1;

const NO_SUMS: Sums = { first: 0, ptr: Int32Array.of(0), terms: new Int32Array(0), negative: new Uint8Array(0) };
const NO_ELEMENTS = { count: 0, variables: new Int32Array(0), columns: [], roots: new Int32Array(0) };

/** Ranks of values by level. */
const byLevel = (levels: Int32Array): { ptr: Int32Array; order: Int32Array } => {
  const ptr = new Int32Array(levels.reduce((a, b) => Math.max(a, b), -1) + 2);
  for (const l of levels) ptr[l + 1]++;
  for (let l = 1; l < ptr.length; l++) ptr[l] += ptr[l - 1];
  const next = ptr.slice();
  const order = new Int32Array(levels.length);
  for (const [r, l] of levels.entries()) order[next[l]++] = r;
  return { ptr, order };
};

/** What a group computes: the term that value `place` of a member is, and 1 where it is subtracted. */
interface Computed {
  readonly term: (place: number, member: number) => readonly [term: number, negative: number];
}

/** Terms of one sum. */
class TermList {
  private readonly terms = new IntList();
  private readonly negatives = new IntList();
  private from = 0;

  get length(): number {
    return this.terms.length - this.from;
  }

  clear(): void {
    this.terms.length = this.negatives.length = this.from = 0;
  }

  push(term: number, negative: number): void {
    this.terms.push(term);
    this.negatives.push(negative);
  }

  term(t: number): number {
    return this.terms.at(this.from + t);
  }

  negative(t: number): number {
    return this.negatives.at(this.from + t);
  }

  /** Brings terms into the order of the program, without zeros where these are nothing. */
  reverse(graph: Graph, exact: boolean): void {
    const [terms, negatives] = [this.terms.values(), this.negatives.values()];
    terms.reverse();
    negatives.reverse();
    let kept = 0;
    for (let t = 0; t < terms.length; t++) {
      const isZero = terms[t] >= 0 && graph.op[terms[t]] === CONSTANT && graph.constantValue(terms[t]) === 0;
      if (isZero && !exact) continue;
      terms[kept] = terms[t];
      negatives[kept++] = negatives[t];
    }
    this.terms.length = this.negatives.length = kept;
  }

  hash(): number {
    let h = this.length;
    for (let t = 0; t < this.length; t++) h = Math.imul(h ^ this.term(t), 0x2c1b3c6d) + this.negative(t) + (h >>> 15);
    return h;
  }

  equals(terms: IntList, negatives: IntList, from: number, to: number): boolean {
    if (to - from !== this.length) return false;
    for (let t = 0; t < this.length; t++)
      if (terms.at(from + t) !== this.term(t) || negatives.at(from + t) !== this.negative(t)) return false;
    return true;
  }
}

/** Groups that read the same columns, as one template. */
interface Record {
  readonly count: number;
  readonly groups: { readonly g: Alike; readonly columns: readonly Int32Array[] }[];
  readonly columns: readonly Int32Array[];
  /** Where a column stands among them, or −1. */
  readonly find: (column: Int32Array) => number;
}

const newRecord = (graph: Graph, g: Alike, given: readonly Int32Array[]): Record => {
  const columns: Int32Array[] = [];
  const hashes: number[] = [];
  const find = (column: Int32Array): number => {
    const h = hashOf(column);
    return columns.findIndex((c, k) => hashes[k] === h && c.every((x, i) => x === column[i]));
  };
  for (const column of given)
    if (!isNumber(graph, column) && find(column) < 0) {
      columns.push(column);
      hashes.push(hashOf(column));
    }
  return { count: g.members.length, groups: [{ g, columns: given }], columns, find };
};

const hashOf = (column: Int32Array): number => {
  let h = 0;
  for (let i = 0; i < column.length; i++) h = (Math.imul(h, 31) + column[i]) | 0;
  return h;
};

/** Whether a leaf is the same number for all. */
const isNumber = (graph: Graph, column: Int32Array): boolean =>
  graph.isConstant(column[0]) && column.every((x) => x === column[0]);

/** A template with its columns, made in the graph; undefined where something in it is not a number for any input. */
const elementsOf = (graph: Graph, firstValue: number, { count, groups, columns, find }: Record) => {
  const first = graph.variables(columns.length);
  const variables = Int32Array.from(columns, (_, k) => first + k);
  const sources = groups.map(({ g, columns: own }) => {
    const { form, roots: needed, leaves: read } = g.wanted;
    const leaves = new Int32Array(form.leafCount);
    for (const [i, k] of read.entries()) leaves[k] = isNumber(graph, own[i]) ? own[i][0] : first + find(own[i]);
    const { operations } = below(form, needed);
    const nodes = new Int32Array(form.length);
    makeNodes(graph, form, operations, (k) => leaves[k], nodes);
    return nodes;
  });
  for (let id = first; id < graph.length; id++) if (isUndefined(graph, id)) return undefined;
  graph.charge(4 * count * columns.length);
  const roots = new Map<number, number>();
  /* Nodes that do not depend on leaves are the same for all. */
  const depends = templateValues(graph, { count, anchor: first, variables, columns, writes: [] });
  const computed = (g: Alike): Computed => {
    const nodes = sources[groups.findIndex((other) => other.g === g)];
    const of = new Map(
      g.wanted.roots.map((p) => {
        const minus = graph.op[nodes[p]] === NEG ? 1 : 0;
        const id = minus === 1 ? graph.left[nodes[p]] : nodes[p];
        return [p, { minus, id, column: columns[id - first], root: roots.get(id) }] as const;
      }),
    );
    return {
      term: (p, member) => {
        const { minus, id, column, root } = of.get(p)!;
        return [root !== undefined ? ~(firstValue + root * count + member) : (column?.[member] ?? id), minus];
      },
    };
  };
  for (const [k, { g }] of groups.entries())
    for (const p of g.wanted.roots) {
      const node = sources[k][p];
      const id = graph.op[node] === NEG ? graph.left[node] : node;
      if (id >= first + columns.length && depends[id - first] === 1 && !roots.has(id)) roots.set(id, roots.size);
    }
  return {
    computed,
    elements: { count, variables, columns, roots: Int32Array.from(roots.keys()), firstValue },
  };
};

import { type Graph } from '@filigree/ir';
import { ARMS, SELECT } from '../../decompose/codes.js';
import { IntList, lastUpTo } from '../../decompose/int-list.js';
import { apply, FROM_LEFT, isLeaf, makeNodes, pathForm, type PathForm } from './path-form.js';
import { MARK, UNUSED } from './paths.js';
import type { Stretches } from './stretches.js';

/** A sum of more additions than this is no node where it is asked for alone. */
const SHORT = 64;
const UNKNOWN = -1;
const MANY = 1024;

/** What is known of a recorded value that is value v of elements; and the term of a sum that this is. */
export const ofElements = (v: number): number => UNKNOWN - 1 - v;
export const isOfElements = (known: number): boolean => known < UNKNOWN;
export const termOf = (known: number): number => (isOfElements(known) ? known + 1 : known);

/** Nodes that were made of recorded values. */
export class Made {
  /* Values of stretches that were made as a whole: from, to, and where their nodes are. */
  private readonly from = new IntList();
  private readonly to = new IntList();
  private readonly nodes: Int32Array[] = [];
  private readonly single = new Map<number, number>();
  /* Values of which a node is known by their place among them, −1 for others. */
  private readonly batches: { readonly placeOf: (value: number) => number; readonly nodes: Int32Array }[] = [];
  /* Form k is of the path whose end is marked with k + 1. */
  private readonly forms: PathForm[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly stretches: Stretches,
  ) {}

  /** Whether any value has a node. */
  get isEmpty(): boolean {
    return this.nodes.length === 0 && this.single.size === 0 && this.batches.length === 0;
  }

  /** The node of a value, or −1. */
  nodeOf(value: number): number {
    const known = this.knownOf(value);
    return isOfElements(known) ? UNKNOWN : known;
  }

  /** The node of a value; `ofElements(v)` where it is the value v of elements, which no node stands for; or −1. */
  knownOf(value: number): number {
    const k = lastUpTo(this.from, value, 0, this.from.length);
    if (k >= 0 && value < this.to.at(k)) return this.nodes[k][value - this.from.at(k)];
    const found = this.single.size === 0 ? undefined : this.single.get(value);
    if (found !== undefined) return found;
    /* A node that stands for a value of elements was found after it was known to be one. */
    for (let b = this.batches.length - 1; b >= 0; b--) {
      const { placeOf, nodes } = this.batches[b];
      const at = placeOf(value);
      if (at >= 0 && nodes[at] !== UNKNOWN) return nodes[at];
    }
    return UNKNOWN;
  }

  /** The node of an entry, which has one. */
  nodeOfEntry(entry: number): number {
    return entry >= 0 ? entry : this.nodeOf(~entry);
  }

  /** Says which nodes, or values of elements, values are. Values ascend. */
  setAll(values: Int32Array, nodes: Int32Array): void {
    if (values.length < MANY) for (const [k, value] of values.entries()) this.single.set(value, nodes[k]);
    else this.batches.push({ placeOf: (value) => indexOf(values, value), nodes });
  }

  /** The same for values of which the ranks are known. */
  setRanked(isValue: (value: number) => boolean, rank: (value: number) => number, nodes: Int32Array): void {
    this.batches.push({ placeOf: (value) => (isValue(value) ? rank(value) : -1), nodes });
  }

  formOf(run: number): PathForm {
    const { runs, paths } = this.stretches;
    const end = runs.endOf(run);
    const mark = paths.markOf(end);
    return mark === 0 ? this.newForm(end) : this.forms[mark - 1];
  }

  /** Of all paths that were asked for. */
  allForms(): readonly PathForm[] {
    return this.forms;
  }

  private newForm(end: number): PathForm {
    const { paths } = this.stretches;
    const form = pathForm(paths, end);
    paths.setMark(end, this.forms.push(form));
    return form;
  }

  codeOf(value: number): number {
    const { base, cursor, paths, runs } = this.stretches;
    if (value < base) {
      const run = runs.runOfValue(value);
      return this.formOf(run).code[value - runs.baseIn(run, runs.stretchIn(run, value))];
    }
    let n = cursor;
    while (paths.operationsOf(n) > value - base + 1 || paths.codeOf(n) === MARK) n = paths.before(n);
    return paths.codeOf(n);
  }

  /** Makes nodes of all stretches from one on, in the order of the program; `ask` makes those of earlier values that they read. */
  makeAll(first: number, ask: (values: Int32Array) => void): void {
    const { stretches, graph } = this;
    if (stretches.length === first) return;
    const { runs } = stretches;
    const from = runs.baseOf(first);
    const earlier = new Set<number>();
    for (let k = runs.leafStartOf(first); k < stretches.leafCount; k++) {
      const value = ~stretches.leaves[k];
      if (value >= 0 && value < from && this.nodeOf(value) === UNKNOWN) earlier.add(value);
    }
    if (earlier.size > 0) ask(Int32Array.from(earlier));
    const nodes = new Int32Array(stretches.base - from);
    this.from.push(from);
    this.to.push(stretches.base);
    this.nodes.push(nodes);
    for (let s = first; s < stretches.length; s++) {
      const run = runs.runOf(s);
      const start = runs.leafStartIn(run, s);
      const leaf = (k: number): number => this.nodeOfEntry(stretches.leaves[start + k]);
      makeNodes(graph, this.formOf(run), undefined, leaf, nodes, runs.baseIn(run, s) - from);
    }
  }

  /** Whether few additions make a value. */
  isShort(value: number): boolean {
    const { runs, leaves } = this.stretches;
    let v = value;
    for (let n = 0; n < SHORT; n++) {
      const run = runs.runOfValue(v);
      const stretch = runs.stretchIn(run, v);
      const { adds, left, right } = this.formOf(run);
      const base = runs.baseIn(run, stretch);
      const p = v - base;
      if (adds[p] === 0) return true;
      const before = adds[p] === FROM_LEFT ? left[p] : right[p];
      const entry = isLeaf(before) ? leaves[runs.leafStartIn(run, stretch) + ~before] : ~(base + before);
      if (entry >= 0) return true;
      v = ~entry;
    }
    return false;
  }

  /** Makes nodes of these values, and of all that they are made of; `ask` makes those of values of elements. */
  make(values: Int32Array, ask: (values: Int32Array) => void): void {
    const { graph, stretches, single } = this;
    const waiting = [...values];
    while (waiting.length > 0) {
      const value = waiting[waiting.length - 1];
      if (this.nodeOf(value) !== UNKNOWN) {
        waiting.pop();
        continue;
      }
      const { runs } = stretches;
      const run = runs.runOfValue(value);
      const stretch = runs.stretchIn(run, value);
      const { code, left, right } = this.formOf(run);
      const base = runs.baseIn(run, stretch);
      const p = value - base;
      const entryOf = (operand: number): number =>
        isLeaf(operand) ? stretches.leaves[runs.leafStartIn(run, stretch) + ~operand] : ~(base + operand);
      const arms = code[p] === SELECT ? right[p] : UNUSED;
      const operands = arms === UNUSED ? [left[p], right[p]] : [left[p], left[arms], right[arms]];
      const entries = operands.filter((o) => o !== UNUSED).map(entryOf);
      const ofElements = entries.filter((entry) => entry < 0 && isOfElements(this.knownOf(~entry)));
      if (ofElements.length > 0) ask(Int32Array.from(ofElements, (entry) => ~entry));
      const missing = entries.filter((entry) => entry < 0 && this.nodeOf(~entry) === UNKNOWN);
      if (missing.length > 0) {
        for (const entry of missing) waiting.push(~entry);
        continue;
      }
      waiting.pop();
      if (code[p] === ARMS) continue;
      const [a, b, c] = entries.map((entry) => (entry < 0 ? this.nodeOf(~entry) : entry));
      single.set(value, arms === UNUSED ? apply(graph, code[p], a, b ?? 0) : graph.select(a, b, c));
    }
  }
}

/** Where a number stands among ascending ones, or −1. */
const indexOf = (ascending: Int32Array, x: number): number => {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ascending[middle] < x) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === x ? from : -1;
};

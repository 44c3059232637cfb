import type { Graph } from '@filigree/ir';
import { NEG } from '../../decompose/codes.js';
import { IntList } from '../../decompose/int-list.js';
import { countFrom } from '../count-from.js';
import { closeTemplate } from '../elements/assemble.js';
import { columnFrom, equalColumns, isUniform } from '../elements/column-from.js';
import { nextValue, type Elements, type Sums } from '../elements/elements.js';
import { isUndefined } from '../undefined.js';
import { Bits, distinct } from './bits.js';
import { levelsOf, type Alike } from './levels.js';
import { isOfElements, ofElements, termOf, type Made } from './made.js';
import { needed } from './needed.js';
import { below, makeNodes, type PathForm } from './path-form.js';
import type { Stretches } from './stretches.js';
import { NO_TERM } from './sum-terms.js';
import { planLevels, readByThin } from './thin-levels.js';
import { TermLists } from './term-lists.js';

/** Fewer stretches that are alike are nodes. */
const MANY = 64;
/** What finding what is needed takes, besides a few bits for each operation. */
const BYTES_A_STRETCH = 16;
const BYTES_A_VALUE = 16;
const BYTES_A_SUM_THAT_GOES_ON = 24;
/** Operations for each value that goes through memory, for stretches to be elements. */
const LEAST_OPERATIONS = 3;
/** Where stretches read each other more often in a row, there are many at each step on the way, of which later stages make a loop. */
const MOST_LEVELS = 4;
/** As long as so many operations take to become nodes, a compiler takes for a kernel. */
const OPERATIONS_A_KERNEL = 3000;
/** Where so many of the operations need not, kernels of the rest are what they would be anyway. */
const MOSTLY = 0.75;
/** Room for what is mostly empty. */
const FEW = 16;

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
   * little beside what they compute, since it goes through memory, and where something is far from what it depends on there are many at each step on the way. Of a loop that has ended
   * it is known besides whether what need not be nodes is worth the kernels of the rest, which reads elements and is read by them.
   */
  repeats(first: number, least: number | undefined, ended: boolean): boolean {
    const { stretches, made } = this;
    const { length, leaves, runs } = stretches;
    const base = runs.baseOf(first);
    const level = new Int32Array(length - first);
    const counts = new Map<PathForm, number[]>();
    const isRead = new Bits(stretches.base - base);
    let [terms, highest] = [0, 0];
    for (let run = runs.runOf(first); run < runs.count; run++) {
      const form = made.formOf(run);
      let atLevels = counts.get(form);
      if (atLevels === undefined) counts.set(form, (atLevels = []));
      for (let s = Math.max(first, runs.firstOf(run)); s < runs.behind(run); s++) {
        const start = runs.leafStartIn(run, s);
        /* What adds to a sum waits for what the sum waits for. */
        let [l, ofSums] = [0, -1];
        for (let k = 0; k < form.leafCount; k++) {
          const value = ~leaves[start + k];
          if (value < base) continue;
          const before = level[runs.stretchOf(value) - first];
          if (isAddedTo(form, k)) ofSums = Math.max(ofSums, before);
          else {
            l = Math.max(l, before + 1);
            isRead.set(value - base);
          }
        }
        /* Where it waits longer for something else it reads the sum, as in `needed`. */
        if (ofSums < 0 || l <= ofSums) terms += form.terms;
        else
          for (let k = 0; k < form.leafCount; k++)
            if (isAddedTo(form, k) && ~leaves[start + k] >= base) isRead.set(~leaves[start + k] - base);
        l = Math.max(l, ofSums);
        highest = Math.max(highest, l);
        level[s - first] = l;
        atLevels[l] = (atLevels[l] ?? 0) + 1;
      }
    }
    let [spared, rest, alike] = [0, 0, false];
    for (const [form, atLevels] of counts)
      atLevels.forEach((count) => {
        if (count >= MANY) spared += count * form.length;
        else rest++;
        alike ||= count >= (least ?? MANY);
      });
    const operations = stretches.base - base;
    if (ended && spared < MOSTLY * operations && spared < OPERATIONS_A_KERNEL * rest) return false;
    const isFar = highest > MOST_LEVELS && length - first < MANY * (highest + 1);
    return alike && !isFar && LEAST_OPERATIONS * (isRead.size + terms) <= operations;
  }

  /** Makes nodes that stand for values of elements. */
  standFor(values: Int32Array): void {
    const { made, stretches } = this;
    const ascending = distinct(values, stretches.base);
    made.setAll(ascending, this.variablesFor(ascending.map((v) => termOf(made.knownOf(v)))));
  }

  /** Finds nodes for values that have none. */
  assemble(asked: Int32Array): void {
    const { graph, all, stretches, made } = this;
    const meanwhile = BYTES_A_STRETCH * stretches.length + stretches.base / 4;
    graph.charge(meanwhile);
    const n = needed(stretches, made, asked);
    const goingOn = BYTES_A_SUM_THAT_GOES_ON * n.passed;
    graph.charge(BYTES_A_VALUE * n.values.length + goingOn);
    const levels = levelsOf(stretches, made, n);
    const { alike, groupOf, memberOf, lastTerm, terms } = levels;
    const plan = planLevels(levels, MOST_LEVELS + 1, MANY);
    const nodes = readByThin(levels, plan, n);
    /* By rank what is known of a value, as in `Made`. */
    const known = new Int32Array(n.values.length).fill(UNKNOWN);
    const knownOf = (entry: number): number =>
      entry >= 0 ? entry : n.isValue(~entry) ? known[n.rank(~entry)] : made.knownOf(~entry);
    const stand = (ranks: Int32Array): void => {
      if (ranks.length === 0) return;
      const nodes = this.variablesFor(ranks.map((r) => termOf(known[r])));
      for (let k = 0; k < ranks.length; k++) known[ranks[k]] = nodes[k];
    };
    /* Puts nodes in the place of values, and says whether there are values of elements besides: their ranks, and those of earlier ones. */
    const asNodesIn = (column: Int32Array, ranks: IntList, earlier: IntList): boolean => {
      let some = false;
      for (let i = 0; i < column.length; i++) {
        const entry = column[i];
        if (entry >= 0) continue;
        const node = knownOf(entry);
        if (!isOfElements(node)) column[i] = node;
        else {
          some = true;
          if (n.isValue(~entry)) ranks.push(n.rank(~entry));
          else earlier.push(~entry);
        }
      }
      return some;
    };
    const readAsNodes = (columns: readonly Int32Array[]): void => {
      const [ranks, earlier] = [new IntList(FEW), new IntList(FEW)];
      const rest = columns.filter((column) => asNodesIn(column, ranks, earlier));
      if (rest.length === 0) return;
      stand(distinct(ranks.values(), known.length));
      if (earlier.length > 0) this.standFor(earlier.values());
      for (const column of rest) asNodesIn(column, ranks, earlier);
    };
    if (nodes.earlier.length > 0)
      this.standFor(Int32Array.from(nodes.earlier.filter((value) => isOfElements(made.knownOf(value)))));
    /* By number of a group. */
    const computed: Computed[] = [];
    for (let level = 0; level < plan.count; level++) {
      const numbers = plan.groupsAt(level);
      const groups = Array.from(numbers, (k) => alike[k]);
      /* By leaf that is read what members have there. */
      const leavesOf = ({ members, wanted: { leaves } }: Alike): readonly Int32Array[] => {
        const { runs, leaves: all } = stretches;
        const starts = new Int32Array(members.length);
        for (let i = 0; i < members.length; i++) starts[i] = runs.leafStartOf(members[i]);
        return leaves.map((leaf) => columnFrom(all, starts, leaf));
      };
      const columnsOf = (g: Alike): readonly Int32Array[] => {
        const columns = leavesOf(g);
        readAsNodes(columns);
        return columns;
      };
      const asNodes = (g: Alike): Computed => {
        const { form, roots, leaves } = g.wanted;
        const { operations } = below(form, roots);
        const own = new Int32Array(form.length);
        const columns = columnsOf(g);
        const at = new Int32Array(form.leafCount);
        for (const [c, k] of leaves.entries()) at[k] = c;
        const found = noneComputed(form);
        for (const p of roots) found.columns[p] = new Int32Array(g.members.length);
        for (let i = 0; i < g.members.length; i++) {
          makeNodes(graph, form, operations, (k) => columns[at[k]][i], own);
          for (const p of roots) found.columns[p]![i] = own[p];
        }
        return found;
      };
      for (const [k, g] of groups.entries()) if (g.members.length < MANY) computed[numbers[k]] = asNodes(g);
      const many = groups
        .map((g, k) => ({ g, number: numbers[k] }))
        .filter(({ g }) => g.members.length >= MANY)
        .map(({ g, number }) => ({ g, number, columns: columnsOf(g).map((own) => new Column(graph, own)) }));
      const records: Record[] = [];
      for (const of of many.sort((a, b) => b.columns.length - a.columns.length)) {
        const { g, columns } = of;
        const into = records.find(
          (r) => r.count === g.members.length && columns.every((c) => c.isNumber || r.find(c) >= 0),
        );
        if (into) into.groups.push(of);
        else records.push(newRecord(of));
      }
      for (const record of records) {
        const made = elementsOf(graph, nextValue(all), record);
        for (const { g, number } of record.groups)
          computed[number] = made === undefined ? asNodes(g) : made.computed(g);
        if (made === undefined) continue;
        all.push({
          ...made.elements,
          sums: { ...NO_SUMS, first: graph.length },
          ...(records.length > 1 && { places: Int32Array.from(record.groups[0].g.members) }),
        });
        for (const { g, number } of record.groups)
          for (const p of nodes.places.get(number) ?? []) this.standForPlace(computed[number], p, g.members.length);
      }
      const exact = graph.arithmetic === 'exact';
      const ranks = plan.ranksAt(level);
      const collect = (r: number, push: (term: number, negative: number) => void): void => {
        for (let t = lastTerm[r]; t !== NO_TERM; t = terms.beforeOf(t)) {
          const stretch = terms.stretchOf(t);
          let term = 0;
          let negative = terms.negativeOf(t);
          if (stretch < 0) term = termOf(knownOf(terms.entryOf(t)));
          else {
            const c = computed[groupOf[stretch]];
            const p = terms.placeOf(t);
            term = termIn(c, p, memberOf[stretch]);
            negative ^= c.negative[p];
          }
          /* Nothing is added where that changes nothing. */
          if (exact || term < 0 || !graph.isConstant(term) || graph.constantValue(term) !== 0) push(term, negative);
        }
      };
      if (plan.thin[level] === 1) {
        for (const r of ranks) known[r] = this.sumAsNodes((push) => collect(r, push));
        continue;
      }
      this.addSums(ranks, known, new TermLists(plan.termsAt[level], ranks.length), collect);
      stand(ranks.filter((r) => nodes.ranks.has(r) && isOfElements(known[r])));
    }
    readAsNodes([asked.map((v) => ~v)]);
    made.setRanked(n.isValue, n.rank, known);
    graph.charge(-meanwhile - goingOn);
  }

  /** Nodes that stand for what members of elements have at a place. */
  private standForPlace({ values, columns }: Computed, place: number, members: number): void {
    if (values[place] < 0) return;
    columns[place] = this.variablesFor(countFrom(values[place], members).map((v) => ~v));
    values[place] = -1;
  }

  /** The sum of the terms that `collect` pushes, the last first, in nodes. */
  private sumAsNodes(collect: (push: (term: number, negative: number) => void) => void): number {
    const { graph } = this;
    const terms: { readonly node: number; readonly negative: boolean }[] = [];
    collect((node, negative) => terms.push({ node, negative: negative === 1 }));
    return terms.reduceRight(
      (sum, { node, negative }) =>
        sum === UNKNOWN ? (negative ? graph.neg(node) : node) : negative ? graph.sub(sum, node) : graph.add(sum, node),
      terms.length === 0 ? graph.constant(0) : UNKNOWN,
    );
  }

  /** Sums of these values, by their ranks: each of the terms that `collect` pushes, the last first. One value of elements by itself is no sum. */
  private addSums(
    ranks: Int32Array,
    known: Int32Array,
    lists: TermLists,
    collect: (rank: number, push: (term: number, negative: number) => void) => void,
  ): void {
    const { graph, all } = this;
    const push = (term: number, negative: number): void => lists.push(term, negative);
    const sumOf = new Int32Array(ranks.length).fill(UNKNOWN);
    for (let k = 0; k < ranks.length; k++) {
      collect(ranks[k], push);
      const { single } = lists;
      if (single === undefined && lists.pending > 0) {
        sumOf[k] = lists.end();
        continue;
      }
      known[ranks[k]] = single === undefined ? graph.constant(0) : single >= 0 ? single : ofElements(~single);
      lists.drop();
    }
    if (lists.length === 0) return;
    const sums = lists.finish(graph);
    for (let k = 0; k < ranks.length; k++) if (sumOf[k] >= 0) known[ranks[k]] = sums.first + sumOf[k];
    all.push({ ...NO_ELEMENTS, firstValue: nextValue(all), sums });
  }

  /** Variables that stand for values of elements, of which each is a term. */
  private variablesFor(terms: Int32Array): Int32Array {
    const { graph, all } = this;
    graph.charge(9 * terms.length);
    const first = graph.variables(terms.length);
    const sums = { first, ptr: countFrom(0, terms.length + 1), terms, negative: new Uint8Array(terms.length) };
    all.push({ ...NO_ELEMENTS, firstValue: nextValue(all), sums });
    return countFrom(first, terms.length);
  }
}

const UNKNOWN = -1;

/** Whether additions go on from a leaf. */
const isAddedTo = (form: PathForm, leaf: number): boolean => form.goesOn[leaf] === 1;

const NO_SUMS: Sums = { first: 0, ptr: Int32Array.of(0), terms: new Int32Array(0), negative: new Uint8Array(0) };
const NO_ELEMENTS = { count: 0, variables: new Int32Array(0), columns: [], roots: new Int32Array(0) };

/** What a group computes, by place: the first of the values of elements that its members are, or −1 where they are nodes, one for each or one for all. */
interface Computed {
  readonly values: Int32Array;
  readonly columns: (Int32Array | undefined)[];
  readonly nodes: Int32Array;
  /** 1 where it is subtracted. */
  readonly negative: Uint8Array;
}

const noneComputed = ({ length }: PathForm): Computed => ({
  values: new Int32Array(length).fill(-1),
  columns: [],
  nodes: new Int32Array(length),
  negative: new Uint8Array(length),
});

/** The term that a value of a member is. */
const termIn = ({ values, columns, nodes }: Computed, place: number, member: number): number =>
  values[place] >= 0 ? ~(values[place] + member) : (columns[place]?.[member] ?? nodes[place]);

/** A column of nodes, with what is asked of it several times. */
class Column {
  /** Whether it is the same number for all. */
  readonly isNumber: boolean;
  private readonly hash: number;

  constructor(
    graph: Graph,
    readonly nodes: Int32Array,
  ) {
    this.isNumber = graph.isConstant(nodes[0]) && isUniform(nodes);
    this.hash = this.isNumber ? 0 : hashOf(nodes);
  }

  equals(other: Column): boolean {
    return this.hash === other.hash && (this.nodes === other.nodes || equalColumns(this.nodes, other.nodes));
  }
}

const hashOf = (column: Int32Array): number => {
  let h = 0;
  for (let i = 0; i < column.length; i++) h = (Math.imul(h, 31) + column[i]) | 0;
  return h;
};

/** Groups that read the same columns, as one template. */
interface Record {
  readonly count: number;
  readonly groups: Group[];
  readonly columns: readonly Int32Array[];
  /** Where a column stands among them, or −1. */
  readonly find: (column: Column) => number;
}

/** A group of many members: its number, and what these have at its leaves. */
interface Group {
  readonly g: Alike;
  readonly number: number;
  readonly columns: readonly Column[];
}

const newRecord = (group: Group): Record => {
  const { g, columns: given } = group;
  const columns: Column[] = [];
  const find = (column: Column): number => columns.findIndex((c) => c.equals(column));
  for (const column of given) if (!column.isNumber && find(column) < 0) columns.push(column);
  return {
    count: g.members.length,
    groups: [group],
    columns: columns.map(({ nodes }) => nodes),
    find,
  };
};

/** A template with its columns, made in the graph; undefined where something in it is not a number for any input. */
const elementsOf = (graph: Graph, firstValue: number, { count, groups, columns, find }: Record) => {
  const first = graph.variables(columns.length);
  const variables = Int32Array.from(columns, (_, k) => first + k);
  const sources = groups.map(({ g, columns: own }) => {
    const { form, roots: needed, leaves: read } = g.wanted;
    const leaves = new Int32Array(form.leafCount);
    for (const [i, k] of read.entries()) leaves[k] = own[i].isNumber ? own[i].nodes[0] : first + find(own[i]);
    const { operations } = below(form, needed);
    const nodes = new Int32Array(form.length);
    makeNodes(graph, form, operations, (k) => leaves[k], nodes);
    return nodes;
  });
  for (let id = first; id < graph.length; id++) if (isUndefined(graph, id)) return undefined;
  graph.charge(4 * count * columns.length);
  const roots = new Map<number, number>();
  /* Nodes that do not depend on leaves are the same for all. */
  const depends = closeTemplate(graph, { count, anchor: first, variables, columns, writes: [] });
  const computed = (g: Alike): Computed => {
    const nodes = sources[groups.findIndex((other) => other.g === g)];
    const found = noneComputed(g.wanted.form);
    for (const p of g.wanted.roots) {
      const minus = graph.op[nodes[p]] === NEG;
      const id = minus ? graph.left[nodes[p]] : nodes[p];
      const root = roots.get(id);
      found.negative[p] = minus ? 1 : 0;
      found.nodes[p] = id;
      found.columns[p] = columns[id - first];
      if (root !== undefined) found.values[p] = firstValue + root * count;
    }
    return found;
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

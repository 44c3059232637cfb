/**
 * What one call of `elements` computes: a template, which every element evaluates on its own leaves, and sums of the values of
 * elements. The template is a stretch of the trace's graph, entered once however many elements there are.
 */
export interface Elements {
  readonly count: number;
  /** The template's leaves: variables of the graph. Nodes of the template lie behind the first of them. */
  readonly variables: Int32Array;
  /** For each of them the node that it stands for, by element. */
  readonly columns: readonly Int32Array[];
  /** Nodes of the template that sums read. Element e's value of root r has the number `firstValue + r·count + e`. */
  readonly roots: Int32Array;
  readonly firstValue: number;
  readonly sums: Sums;
  /** Where elements stand in the program, ascending, if others stand among them that wait for as much. */
  readonly places?: Int32Array;
}

/** The number of the first value of elements that come next. */
export const nextValue = (all: readonly Elements[]): number => {
  const last = all[all.length - 1];
  return last === undefined ? 0 : last.firstValue + last.roots.length * last.count;
};

/** Which value of which element a number is. */
export const valueOf = (
  all: readonly Elements[],
  value: number,
): { readonly of: number; readonly root: number; readonly element: number } => {
  const k = lastWhere(all.length, (i) => all[i].firstValue <= value);
  const v = value - all[k].firstValue;
  return { of: k, root: Math.floor(v / all[k].count), element: v % all[k].count };
};

/** Says which values numbers are that are read one after the other, where those of one call mostly follow one another: that is found once for them. */
export class ValueReader {
  private call = -1;
  private begin = 0;
  private end = 0;
  private count = 1;

  constructor(private readonly all: readonly Elements[]) {}

  /** The call that a value is of, by its place among all. */
  callOf(value: number): number {
    if (value < this.begin || value >= this.end) {
      this.call = lastWhere(this.all.length, (i) => this.all[i].firstValue <= value);
      const { firstValue, roots, count } = this.all[this.call];
      this.begin = firstValue;
      this.end = firstValue + roots.length * count;
      this.count = count;
    }
    return this.call;
  }

  /** The root that a value is of, in the call that was found last. */
  rootOf(value: number): number {
    return Math.floor((value - this.begin) / this.count);
  }

  /** The element that a value of this root is of. */
  elementOf(value: number, root: number): number {
    return value - this.begin - root * this.count;
  }
}

/** Sums of values of elements: sum s is the node `first + s`, a variable of the graph, which stands for the result. */
export interface Sums extends Terms {
  readonly first: number;
  /** Where several sums begin with the same terms, these. */
  readonly heads?: Heads;
}

/** Terms that several sums begin with, which are evaluated together. */
export interface Heads extends Terms {
  /** Of each sum the head that it goes on from, or −1. */
  readonly of: Int32Array;
}

/** Lists of terms. */
export interface Terms {
  /** Terms of sum s, in the order of the program: entries `ptr[s] .. ptr[s+1])`. */
  readonly ptr: Int32Array;
  /** A node, or `~v` for value v of elements. */
  readonly terms: Int32Array;
  /** 1 for terms that are subtracted. */
  readonly negative: Uint8Array;
  /** Of terms that are products of two nodes the second, `NO_FACTOR` of others; absent where no term is such a product. */
  readonly factors?: Int32Array;
  /** Of each term the stretch in which it stands, ascending in each sum; absent where all stand in the first. Of sums of products (`Stretches`). */
  readonly stretches?: Uint8Array;
}

/** In the place of the second factor of a term that is none. */
export const NO_FACTOR = -1;

/** Whether a node stands for one of these sums. */
export const hasSum = ({ first, ptr }: Sums, id: number): boolean => id >= first && id < first + ptr.length - 1;

/** The elements, in the order of the program, of whose sums a node stands for one. */
export const elementsOfSum = <E extends Pick<Elements, 'sums'>>(all: readonly E[], id: number): E | undefined => {
  const k = lastWhere(all.length, (i) => all[i].sums.first <= id);
  return k >= 0 && hasSum(all[k].sums, id) ? all[k] : undefined;
};

/** The last of `0 .. count` for which something is so that is so up to there; −1 where it is for none. */
const lastWhere = (count: number, isSo: (i: number) => boolean): number => {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isSo(middle)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
};

/** A table that gives each element a place in the arrays that it reads or writes. */
export type IndexTable = Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** What the body of `elements` receives for its tables: for a table of indices the index of the element, for an array the array. */
export type ElementOf<T> = T extends IndexTable ? number : T extends readonly IndexTable[] ? number[] : T;

/**
 * Runs `body` for each of `count` elements; what it may do is what can be done for all at once: it reads entries of arrays, and assigns or adds to
 * entries of arrays that it does not read otherwise. Everything it reads or writes by index stands in `tables`.
 */
export type ElementsWord = <const T extends Readonly<Record<string, unknown>>>(
  count: number,
  tables: T,
  body: (of: { readonly [K in keyof T]: ElementOf<T[K]> }, element: number) => void,
) => void;

/** `elements` on plain numbers: a loop. */
export const plainElements: ElementsWord = (count, tables, body) => {
  const entries = Object.entries(tables).map(([name, table]) => [name, ofElement(table)] as const);
  for (let e = 0; e < count; e++) body(Object.fromEntries(entries.map(([name, at]) => [name, at(e)])) as never, e);
};

const ofElement = (table: unknown): ((e: number) => unknown) => {
  if (isIndexTable(table)) return (e) => table[e];
  if (Array.isArray(table) && table.length > 0 && table.every(isIndexTable)) return (e) => table.map((t) => t[e]);
  return () => table;
};

/** Whether something is a table of indices: a typed array of integers. */
export const isIndexTable = (x: unknown): x is IndexTable =>
  x instanceof Int32Array || x instanceof Uint32Array || x instanceof Uint16Array || x instanceof Uint8Array;

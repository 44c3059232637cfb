import { SUB, type Graph } from '@filigree/ir';
import { ADD, ARMS, SELECT } from '../../decompose/codes.js';
import { AGAIN, FRESH, MARK, UNUSED, type Paths } from './paths.js';

/** A path as a list of operations. */
export interface PathForm {
  readonly length: number;
  readonly code: Int32Array;
  /** Operands: the place of an operation, or `~k` for leaf k; `UNUSED`. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly leafCount: number;
  /** Which operations only add to what leaf or operation came before: `FROM_LEFT` or `FROM_RIGHT`, else 0. */
  readonly adds: Uint8Array;
  /** 1 for leaves that these go on from. */
  readonly goesOn: Uint8Array;
  /** How many different values that are computed in the stretch they add. */
  readonly terms: number;
}

export const FROM_LEFT = 1;
export const FROM_RIGHT = 2;

/** What an addition goes on from, and what it adds. */
export const beforeOf = ({ adds, left, right }: PathForm, p: number): number =>
  adds[p] === FROM_LEFT ? left[p] : right[p];
export const addedIn = ({ adds, left, right }: PathForm, p: number): number =>
  adds[p] === FROM_LEFT ? right[p] : left[p];

/** The path that ends here. */
export const pathForm = (paths: Paths, end: number): PathForm => {
  const length = paths.operationsOf(end);
  const [code, left, right] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  const nodes = new Int32Array(length);
  for (let n = end, p = length; p > 0; n = paths.before(n)) if (paths.codeOf(n) !== MARK) nodes[--p] = n;
  let leafCount = 0;
  const operand = (spec: number): number =>
    spec >= 0 || spec === UNUSED ? spec : spec === FRESH ? ~leafCount++ : ~(AGAIN - spec);
  for (const [p, n] of nodes.entries()) {
    const [a, b] = paths.operandsOf(n);
    code[p] = paths.codeOf(n);
    left[p] = operand(a);
    right[p] = operand(b);
  }
  const form = {
    length,
    code,
    left,
    right,
    leafCount,
    adds: new Uint8Array(length),
    goesOn: new Uint8Array(leafCount),
    terms: 0,
  };
  findAdditions(form, () => true);
  const firstOf = firstPlaces(form);
  const added = new Set<number>();
  for (let p = 0; p < length; p++) {
    if (form.adds[p] === 0) continue;
    if (isLeaf(beforeOf(form, p))) form.goesOn[~beforeOf(form, p)] = 1;
    if (!isLeaf(addedIn(form, p))) added.add(firstOf[addedIn(form, p)]);
  }
  return { ...form, terms: added.size };
};

/** Of each operation the first that computes the same. */
const firstPlaces = ({ length, code, left, right }: PathForm): Int32Array => {
  const places = new Int32Array(length);
  const known = new Map<string, number>();
  const first = (operand: number): number => (operand < 0 ? operand : places[operand]);
  for (let p = 0; p < length; p++) {
    const text = `${code[p]} ${first(left[p])} ${first(right[p])}`;
    const same = known.get(text);
    if (same === undefined) known.set(text, p);
    places[p] = same ?? p;
  }
  return places;
};

/** Whether an operand is a leaf. */
export const isLeaf = (operand: number): boolean => operand < 0 && operand !== UNUSED;

/**
 * Marks the operations that add to a leaf which nothing else reads, and whose results nothing reads but the next such addition.
 *
 * @param mayBegin whether a leaf may be what sums begin with
 */
export const findAdditions = (form: PathForm, mayBegin: (leaf: number) => boolean): void => {
  const { length, code, left, right, leafCount, adds } = form;
  const uses = new Int32Array(length);
  const leafUses = new Int32Array(leafCount);
  for (let p = 0; p < length; p++)
    for (const operand of [left[p], right[p]])
      if (isLeaf(operand)) leafUses[~operand]++;
      else if (operand !== UNUSED) uses[operand]++;
  const begins = (operand: number): boolean =>
    isLeaf(operand) ? leafUses[~operand] === 1 && mayBegin(~operand) : operand !== UNUSED && adds[operand] !== 0;
  for (let p = 0; p < length; p++) {
    const sum = code[p] === ADD || code[p] === SUB;
    adds[p] = sum && begins(left[p]) ? FROM_LEFT : code[p] === ADD && begins(right[p]) ? FROM_RIGHT : 0;
  }
  for (let again = true; again;) {
    again = false;
    const goesOn = new Uint8Array(length);
    for (let p = 0; p < length; p++) {
      const before = adds[p] === 0 ? UNUSED : beforeOf(form, p);
      if (before >= 0 && adds[before] === 0) {
        adds[p] = 0;
        again = true;
      } else if (before >= 0) goesOn[before] = 1;
    }
    for (let p = 0; p < length; p++)
      if (adds[p] !== 0 && uses[p] > goesOn[p]) {
        adds[p] = 0;
        again = true;
      }
  }
};

/** 1 for the operations that these are made of, themselves included; and which leaves are. */
export const below = (form: PathForm, roots: readonly number[]): { operations: Uint8Array; leaves: Uint8Array } => {
  const operations = new Uint8Array(form.length);
  const leaves = new Uint8Array(form.leafCount);
  for (const p of roots) operations[p] = 1;
  for (let p = form.length - 1; p >= 0; p--) {
    if (operations[p] === 0) continue;
    for (const operand of [form.left[p], form.right[p]])
      if (isLeaf(operand)) leaves[~operand] = 1;
      else if (operand !== UNUSED) operations[operand] = 1;
  }
  return { operations, leaves };
};

/** Makes nodes of the operations that are marked. `nodes` gets those of each place. */
export const makeNodes = (
  graph: Graph,
  { length, code, left, right }: PathForm,
  wanted: Uint8Array | undefined,
  leaf: (k: number) => number,
  nodes: Int32Array,
  from = 0,
): void => {
  const at = (operand: number): number => (operand < 0 ? leaf(~operand) : nodes[from + operand]);
  for (let p = 0; p < length; p++) {
    if (wanted !== undefined && wanted[p] === 0) continue;
    const op = code[p];
    if (op === ARMS) continue;
    if (op === SELECT) nodes[from + p] = graph.select(at(left[p]), at(left[right[p]]), at(right[right[p]]));
    else nodes[from + p] = apply(graph, op, at(left[p]), right[p] === UNUSED ? 0 : at(right[p]));
  }
};

/** The node of a recorded operation that is no selection. */
export const apply = (graph: Graph, code: number, a: number, b: number): number =>
  code === SUB ? graph.sub(a, b) : graph.apply(code, a, b);

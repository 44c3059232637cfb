import { ARITY, COMMUTATIVE, associativeIn } from '../decompose/codes.js';
import type { Grouping } from '../group/group.js';
import { readWritten, token, type WrittenToken } from './token.js';
import type { UnitForm } from './unit-form.js';

/** A unit in canonical order: the same tokens for every unit of one structure (§4.4). */
export interface CanonicalForm {
  readonly tokens: Int32Array;
  /** Which of the leaves, as the unit's form has them, comes where. */
  readonly leaves: Int32Array;
  readonly constants: Int32Array;
}

/**
 * The canonical form of the unit that was walked last. Sums and products are flattened where the arithmetic allows; operands stand by structural hash, those
 * of one hash by how often their leaves occur in the unit, then as they are written. So what a diagonal entry or an edge
 * reads in several terms stands at the same place in all units, and is one column (App. B).
 */
export const canonicalForm = (d: Grouping, form: UnitForm, tree: boolean): CanonicalForm => {
  const { stored, references, hashes } = d;
  const { op } = d.graph;
  const associative = associativeIn(d.graph.arithmetic);
  const { nodes } = form;
  const read = Array.from(form.tokens.subarray(0, form.tokenCount), readWritten);
  const { roots, first, second } = operandPlaces(read);
  const occurrences = leafOccurrences(read, first, second);
  const before = (p: number, q: number): number =>
    hashes.asOperand(nodes[p]) - hashes.asOperand(nodes[q]) || occurrences[q] - occurrences[p];
  /* As `termList` finds them. */
  const terms = (p: number): number[] => {
    const code = op[nodes[p]];
    const found: number[] = [];
    for (const rest = [second[p], first[p]]; rest.length > 0;) {
      const q = rest.pop()!;
      const id = nodes[q];
      if (op[id] === code && stored[id] === 0 && (tree || references[id] <= 1)) rest.push(second[q], first[q]);
      else found.push(q);
    }
    return found.sort(before);
  };
  const operands = (p: number): number[] => {
    const code = op[nodes[p]];
    if (associative[code] === 1) return terms(p);
    if (ARITY[code] === 1) return [first[p]];
    const both = [first[p], second[p]];
    return COMMUTATIVE[code] === 1 ? both.sort(before) : both;
  };

  const leafRank = rankOf(read, (t) => t.is === 'leaf' || t.is === 'again');
  const constantRank = rankOf(read, (t) => t.is === 'constant');
  const tokens: number[] = [];
  const leaves: number[] = [];
  const constants: number[] = [];
  /* The number of each operation that is written, by its place. */
  const written = new Map<number, number>();
  for (const rest = [...roots].reverse(); rest.length > 0;) {
    const p = rest.pop()!;
    const t = read[p];
    if (t.is === 'constant') {
      tokens.push(token.constant);
      constants.push(constantRank[p]);
    } else if (t.is !== 'operation') {
      tokens.push(form.tokens[t.is === 'again' ? t.place : p]);
      leaves.push(leafRank[p]);
    } else {
      const known = written.get(p);
      if (known !== undefined) {
        tokens.push(token.back(known));
        continue;
      }
      written.set(p, written.size);
      const of = operands(p);
      tokens.push(token.operation(op[nodes[p]], of.length));
      for (let i = of.length - 1; i >= 0; i--) rest.push(of[i]);
    }
  }
  return { tokens: Int32Array.from(tokens), leaves: Int32Array.from(leaves), constants: Int32Array.from(constants) };
};

/** Where in a form the operands of each operation stand, and the roots; what a back reference names stands at its own place. */
const operandPlaces = (
  read: readonly WrittenToken[],
): { roots: readonly number[]; first: Int32Array; second: Int32Array } => {
  const roots: number[] = [];
  const first = new Int32Array(read.length).fill(-1);
  const second = new Int32Array(read.length).fill(-1);
  const operations: number[] = [];
  /* Operations that wait for operands. */
  const open: number[] = [];
  read.forEach((t, p) => {
    const at = t.is === 'back' ? operations[t.index] : p;
    const reader = open.at(-1);
    if (reader === undefined) roots.push(at);
    else {
      const isFirst = first[reader] < 0;
      (isFirst ? first : second)[reader] = at;
      if (!isFirst || ARITY[operationCode(read[reader])] === 1) open.pop();
    }
    if (t.is !== 'operation') return;
    operations.push(p);
    open.push(p);
  });
  return { roots, first, second };
};

const operationCode = (t: WrittenToken): number => (t.is === 'operation' ? t.code : 0);

/**
 * At each place how often, over the leaves below it, these occur in the unit. Not through back references: what they name has its
 * place already.
 */
const leafOccurrences = (read: readonly WrittenToken[], first: Int32Array, second: Int32Array): Float64Array => {
  const of = new Float64Array(read.length);
  for (const [p, t] of read.entries())
    if (t.is === 'leaf') of[p]++;
    else if (t.is === 'again') of[t.place]++;
  for (let p = read.length - 1; p >= 0; p--) {
    const t = read[p];
    if (t.is === 'again') of[p] = of[t.place];
    if (t.is === 'operation') for (const q of [first[p], second[p]]) if (q > p) of[p] += of[q];
  }
  return of;
};

/** The number of each token among those wanted. */
const rankOf = (read: readonly WrittenToken[], wanted: (t: WrittenToken) => boolean): Int32Array => {
  let n = 0;
  return Int32Array.from(read, (t) => (wanted(t) ? n++ : -1));
};

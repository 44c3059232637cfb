import { mix, scalarOp, type Graph } from '@filigree/ir';
import { ADD, ARITY, MUL, NEG, associativeIn } from './codes.js';
import { IntList } from './int-list.js';

export const MIN = scalarOp('min').code;
export const MAX = scalarOp('max').code;

/** Operations of which many in a row are one loop over terms. */
export const REDUCTION = new Uint8Array(256);
for (const code of [ADD, MUL, MIN, MAX]) REDUCTION[code] = 1;

/** What a node is to a reduction of many terms: bits. */
export const INNER = 1;
/** The node with the value of all terms. */
export const WHOLE = 2;
/** A term, or what is below the sign of one. */
export const TERM = 4;

/** Terms from which a reduction is always a loop over them. */
export const MANY = 64;
/** Terms that are looked at, and nodes of each, to see whether many are alike. */
const SAMPLE = 64;
const LOOKED_AT = 64;

/**
 * Finds the sums, products, minima and maxima of many terms of few kinds: a tree of one operation in which only the root is used by others.
 * Such a reduction is evaluated by a loop over its terms, however costly these are, so it must not be cut in between.
 *
 * @returns for each node the bits above
 */
export const longReductions = (graph: Graph, references: Uint32Array): Uint8Array => {
  const { op, left, right, length } = graph;
  const role = new Uint8Array(length);
  const count = new Uint16Array(length);
  let any = false;
  const within = (code: number, x: number): boolean => op[x] === code && references[x] === 1;
  /* Where the order of terms counts, a sum goes on in one of its operands, and the other is a term. */
  const associative = associativeIn(graph.arithmetic);
  const inOrder = (code: number): boolean => associative[code] === 0;
  for (let id = 0; id < length; id++) {
    const code = op[id];
    if (REDUCTION[code] === 0 || references[id] === 0) continue;
    const [a, b] = [left[id], right[id]];
    const m = within(code, a) ? count[a] : 1;
    const k = within(code, b) ? count[b] : 1;
    const n = m > 1 && inOrder(code) ? m + 1 : m + k;
    count[id] = n > 0xffff ? 0xffff : n;
    any ||= n > MANY;
  }
  if (!any) return role;
  const terms = new IntList();
  const inner = new IntList();
  for (let id = length - 1; id >= 0; id--) {
    if (count[id] <= MANY) continue;
    const code = op[id];
    terms.length = 0;
    inner.length = 0;
    for (const rest = [id]; rest.length > 0;) {
      const at = rest.pop()!;
      inner.push(at);
      const inLeft = within(code, left[at]);
      if (inLeft) rest.push(left[at]);
      else terms.push(left[at]);
      if (within(code, right[at]) && !(inLeft && inOrder(code))) rest.push(right[at]);
      else terms.push(right[at]);
    }
    /* What lies within need not be looked at again, whatever is found. */
    for (const x of inner.values()) count[x] = 0;
    if (code === MUL && !isLongProduct(graph, terms.values())) continue;
    if (!fewKinds(graph, terms.values())) continue;
    for (const x of inner.values()) role[x] |= INNER;
    role[id] = (role[id] & ~INNER) | WHOLE;
    for (const x of terms.values()) {
      role[x] |= TERM;
      if (op[x] === NEG) role[left[x]] |= TERM;
    }
  }
  return role;
};

/**
 * Whether a product of these factors is a loop over them. Where they may be taken in any order, the same factor again and again is a power,
 * which `simplify` computes in fewer multiplications.
 */
export const isLongProduct = (graph: Graph, factors: Int32Array): boolean =>
  factors.length > MANY && (associativeIn(graph.arithmetic)[MUL] === 0 || new Set(factors).size > MANY);

/** Whether of some terms at least every second is of the kind of another; looks at no more of them than it takes to know. */
const fewKinds = (graph: Graph, terms: Int32Array): boolean => {
  const step = terms.length / SAMPLE;
  const kinds = new Set<number>();
  for (let t = 0; 2 * (kinds.size + SAMPLE - t) > SAMPLE; t++) {
    kinds.add(shape(graph, terms[Math.floor(t * step)]));
    if (2 * kinds.size > SAMPLE) return false;
  }
  return true;
};

/** Of each operation what one more of it adds to the hash. */
const MIXED = Int32Array.from({ length: 256 }, (_, code) => mix(code, LOOKED_AT));

/** A hash of how often which operations occur in the first nodes of an expression, however operands are ordered. */
const shape = ({ op, left, right }: Graph, root: number): number => {
  let h = 0;
  const rest = [root];
  for (let n = 0; n < LOOKED_AT && rest.length > 0; n++) {
    const id = rest.pop()!;
    const code = op[id];
    h = (h + MIXED[code]) | 0;
    const arity = ARITY[code];
    if (arity === 2) rest.push(right[id]);
    if (arity > 0) rest.push(left[id]);
  }
  return h;
};

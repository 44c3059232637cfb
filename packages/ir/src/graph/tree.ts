import { ARITY, ASSOCIATIVE, COMMUTATIVE, COST, VARIABLE } from './codes.js';
import { mix } from './field.js';
import type { Graph } from './graph.js';

/**
 * Whether the complexity of a node (§4.1.4), that is the cost of the expression tree below it down to nodes marked in `stored`,
 * exceeds `limit`. Looks only at as much of the tree as that takes.
 */
export const costsMore = ({ op, left, right }: Graph, root: number, limit: number, stored: Uint8Array): boolean => {
  let cost = 0;
  for (const stack = [root]; stack.length > 0 && cost <= limit;) {
    const id = stack.pop()!;
    if (stored[id] !== 0) continue;
    const arity = ARITY[op[id]];
    cost += COST[op[id]];
    if (arity === 2) stack.push(right[id]);
    if (arity > 0) stack.push(left[id]);
  }
  return cost > limit;
};

/**
 * Structural hash of every node (Alg. 1): equal for trees that differ only by their leaves, invariant under commutation
 * and association. By one ascending sweep; the graph does not keep it.
 */
export const structuralHashes = ({ op, left, right, length }: Graph): Int32Array => {
  const hash = new Int32Array(length);
  for (let id = 0; id < length; id++) {
    const code = op[id];
    if (ARITY[code] === 0) {
      hash[id] = code === VARIABLE ? VARIABLE_STRUCTURE : CONSTANT_STRUCTURE;
      continue;
    }
    const a = left[id];
    const x = op[a];
    if (ARITY[code] === 1) {
      hash[id] = mix(mix(code, x), hash[a]);
      continue;
    }
    const b = right[id];
    const y = op[b];
    /* A sum's (product's) hash adds up one word a term, so order and bracketing leave no trace. */
    if (ASSOCIATIVE[code] === 1)
      hash[id] = (x === code ? hash[a] : term(code, x, hash[a])) + (y === code ? hash[b] : term(code, y, hash[b]));
    else if (COMMUTATIVE[code] === 1) hash[id] = mix(code, (term(code, x, hash[a]) + term(code, y, hash[b])) | 0);
    else hash[id] = mix(mix(mix(code, x), hash[a]), term(code, y, hash[b]));
  }
  return hash;
};

/** A leaf's structural hash: variables and constants are two fixed structures. */
const VARIABLE_STRUCTURE = 0x243f6a88;
const CONSTANT_STRUCTURE = 0x13198a2e;

/** The word that an operand adds to the structural hash of a sum or product. */
const term = (code: number, operandOp: number, structure: number): number => mix(mix(structure, operandOp), code);

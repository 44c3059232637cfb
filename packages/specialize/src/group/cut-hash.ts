import { mix } from '@filigree/ir';
import type { Decomposition } from '../decompose/decompose.js';
import { ARITY, COMMUTATIVE, CONSTANT, associativeIn } from '../decompose/codes.js';

/**
 * Structural hashes of the graph as the decomposition cuts it: a stored operand is a leaf. Leaves of different inputs
 * differ, so that one column of a group's leaf table always reads one buffer. Invariant under commutation and, as far as
 * the arithmetic allows, association, as the graph's own structural hash (Alg. 1).
 */
export interface CutHashes {
  /** Hash of the expression at a node, whether the node is stored or not. */
  readonly own: Int32Array;
  /** Hash of the node as an operand: a leaf where it is stored. */
  readonly asOperand: (id: number) => number;
}

/** The leaf kind of an intermediate; variables of input k are kind k + 1. */
export const INTERMEDIATE = 0;

export const cutHashes = (d: Decomposition): CutHashes => {
  const { graph, stored } = d;
  const { op, left, right, length } = graph;
  const associative = associativeIn(graph.arithmetic);
  const own = new Int32Array(length);
  for (const [k, input] of d.inputs.entries()) {
    own.fill(leafHash(k + 1), input.firstNode, input.firstNode + input.length);
  }
  for (const { sums } of d.needs.elements) own.fill(STORED, sums.first, sums.first + sums.ptr.length - 1);
  const asOperand = (id: number): number => (stored[id] === 0 ? own[id] : STORED);
  for (let id = 0; id < length; id++) {
    const code = op[id];
    const arity = ARITY[code];
    if (arity === 0) {
      if (code === CONSTANT) own[id] = CONSTANT_LEAF;
      continue;
    }
    const a = left[id];
    const x = stored[a] === 0 ? own[a] : STORED;
    if (arity === 1) {
      own[id] = mix(code, x);
      continue;
    }
    const b = right[id];
    const y = stored[b] === 0 ? own[b] : STORED;
    if (associative[code] === 1) {
      const s = op[a] === code && stored[a] === 0 ? x : mix(x, code);
      const t = op[b] === code && stored[b] === 0 ? y : mix(y, code);
      own[id] = (s + t) | 0;
    } else own[id] = COMMUTATIVE[code] === 1 ? mix(code, (mix(x, code) + mix(y, code)) | 0) : mix(mix(code, x), y);
  }
  return { own, asOperand };
};

const leafHash = (kind: number): number => mix(0x6c656166, kind);
const STORED = leafHash(INTERMEDIATE);
const CONSTANT_LEAF = mix(0x636f6e73, 1);

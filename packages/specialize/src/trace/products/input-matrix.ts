import type { Csr } from '@filigree/sparse/formats';
import type { InputSlot } from '../input-slot.js';

/** A matrix whose entries are elements of one input, each another one: the input as it is, transposed, or a part of it. */
export interface InputMatrix extends Csr<Int32Array> {
  /** The number of the input. */
  readonly input: number;
}

/** A matrix of nodes as such a matrix, if it is one; a copy, so that it stays one. */
export const inputMatrix = (
  inputs: readonly InputSlot[],
  { pattern, values }: Csr<Int32Array>,
): InputMatrix | undefined => {
  const input = inputs.findIndex(({ firstNode, length }) => values[0] >= firstNode && values[0] < firstNode + length);
  if (input < 0 || !areDistinct(values, inputs[input])) return undefined;
  const { rows, cols, rowPtr, colIdx } = pattern;
  return { input, values: values.slice(), pattern: { rows, cols, rowPtr: rowPtr.slice(), colIdx: colIdx.slice() } };
};

/** Whether nodes are different elements of an input. */
const areDistinct = (nodes: Int32Array, { firstNode, length }: InputSlot): boolean => {
  const seen = new Uint8Array(length);
  for (const node of nodes) {
    const at = node - firstNode;
    if (at < 0 || at >= length || seen[at] === 1) return false;
    seen[at] = 1;
  }
  return true;
};

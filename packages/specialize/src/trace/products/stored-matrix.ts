import type { Csr } from '@filigree/sparse/formats';
import type { InputSlot } from '../input-slot.js';

/** A matrix whose entries are all read from one buffer. */
export interface StoredMatrix extends Csr<Int32Array> {
  /** The number of the input that they are of; `undefined` where they are sums. */
  readonly input: number | undefined;
}

/**
 * A matrix of nodes as such a matrix, if it is one; a copy, so that it stays one.
 *
 * @param isStored whether a node stands for a sum that is stored
 */
export const storedMatrix = (
  inputs: readonly InputSlot[],
  isStored: (id: number) => boolean,
  { pattern, values }: Csr<Int32Array>,
): StoredMatrix | undefined => {
  const input = inputs.findIndex(({ firstNode, length }) => values[0] >= firstNode && values[0] < firstNode + length);
  const { firstNode, length } = input < 0 ? NO_INPUT : inputs[input];
  for (const id of values) if (input < 0 ? !isStored(id) : id < firstNode || id >= firstNode + length) return undefined;
  const { rows, cols, rowPtr, colIdx } = pattern;
  return {
    input: input < 0 ? undefined : input,
    values: values.slice(),
    pattern: { rows, cols, rowPtr: rowPtr.slice(), colIdx: colIdx.slice() },
  };
};

const NO_INPUT = { firstNode: 0, length: 0 } as const;

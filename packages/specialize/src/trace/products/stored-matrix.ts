import type { Csr } from '@filigree/sparse/formats';
import type { InputSlot } from '../input-slot.js';

/** A matrix whose entries are all read from memory. */
export interface StoredMatrix extends Csr<Int32Array> {
  /** The number of the input that all are of; `STORED` where all are intermediates. */
  readonly source: number;
}

/** Instead of an input: intermediates alone, and entries of several buffers. */
export const [STORED, SEVERAL] = [-1, -2];

/**
 * A matrix of nodes as such a matrix; a copy, so that it stays one. Values of no input are intermediates.
 *
 * @param nodeOf what stands for a value now
 */
export const storedMatrix = (
  inputs: readonly InputSlot[],
  nodeOf: (id: number) => number,
  { pattern, values: given }: Csr<Int32Array>,
): StoredMatrix => {
  const values = new Int32Array(given.length);
  for (let e = 0; e < values.length; e++) values[e] = nodeOf(given[e]);
  let source: number | undefined;
  let { firstNode, length }: Pick<InputSlot, 'firstNode' | 'length'> = NO_INPUT;
  for (const id of values) {
    if (id >= firstNode && id < firstNode + length) continue;
    const input = inputs.findIndex((of) => id >= of.firstNode && id < of.firstNode + of.length);
    if (source === (input < 0 ? STORED : input)) continue;
    if (source !== undefined) {
      source = SEVERAL;
      break;
    }
    source = input < 0 ? STORED : input;
    ({ firstNode, length } = input < 0 ? NO_INPUT : inputs[input]);
  }
  const { rows, cols, rowPtr, colIdx } = pattern;
  return {
    source: source ?? SEVERAL,
    values,
    pattern: { rows, cols, rowPtr: rowPtr.slice(), colIdx: colIdx.slice() },
  };
};

const NO_INPUT = { firstNode: 0, length: 0 } as const;

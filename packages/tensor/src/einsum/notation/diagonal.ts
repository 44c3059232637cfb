import { fail } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { eachEntry } from '../layout/each-entry.js';
import type { LeafNode } from './node.js';

/**
 * A tensor of known values in which indices stand several times, as factors whose indices stand once: the tensor with other letters, and an
 * identity for each letter that was replaced, to be folded. `A[ii]` is `A[ia]*[i=a]`.
 *
 * @param letters those that nothing else uses
 */
export const diagonalFactors = (
  indices: string,
  letters: Iterator<string>,
  extents: ReadonlyMap<string, number>,
): { readonly indices: string; readonly identities: readonly LeafNode[] } => {
  const identities: LeafNode[] = [];
  const own = [...indices].map((index, d) => {
    if (indices.indexOf(index) === d) return index;
    const other = letters.next();
    if (other.done === true)
      return fail('notation/trace', `there are no letters left for the diagonal of [${indices}]`, {
        remedy: 'use fewer indices in one assignment',
      });
    identities.push(identity(index, other.value, extents.get(index)!));
    return other.value;
  });
  return { indices: own.join(''), identities };
};

/** The pattern of a diagonal: of the entries where indices that stand several times agree. */
export const diagonalPattern = (pattern: BooleanTensor, along: string): BooleanTensor => {
  const shape = [...diagonalIndices(along)].map((l) => pattern.shape[along.indexOf(l)]);
  const bits = new Uint8Array(shape.reduce((n, extent) => n * extent, 1));
  eachDiagonalEntry(shape, along, (entry, e) => {
    let at = 0;
    for (let d = entry.length - 1; d >= 0; d--) at = at * pattern.shape[d] + entry[d];
    bits[e] = pattern.bits[at];
  });
  return { shape, bits };
};

/** The indices of a diagonal, each once. */
export const diagonalIndices = (along: string): string => [...new Set(along)].join('');

/** The entries of a diagonal of this shape, as those of the tensor. The array given to `visit` is reused. */
export const eachDiagonalEntry = (
  shape: readonly number[],
  along: string,
  visit: (entry: readonly number[], index: number) => void,
): void => {
  const letters = diagonalIndices(along);
  const from = [...along].map((l) => letters.indexOf(l));
  const entry = from.map(() => 0);
  eachEntry(shape, (own, index) => {
    from.forEach((d, n) => (entry[n] = own[d]));
    visit(entry, index);
  });
};

/** Letters that are not used, one after another. */
export function* unusedLetters(used: readonly string[]): Generator<string, undefined> {
  for (const letter of LETTERS) if (!used.includes(letter)) yield letter;
  return undefined;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** One where two indices agree: values that planning knows. */
const identity = (a: string, b: string, extent: number): LeafNode => {
  const values = new Float64Array(extent * extent);
  for (let i = 0; i < extent; i++) values[i * (extent + 1)] = 1;
  const pattern = { shape: [extent, extent], bits: Uint8Array.from(values) };
  const tensor = { name: '_known', shape: pattern.shape, pattern, values, layout: 'compressed' as const };
  return { kind: 'leaf', indices: a + b, pattern, tensor, folded: { formula: `[${a}=${b}]`, of: [] } };
};

import { fail } from '@filigree/ir';
import type { LeafNode } from './node.js';

/**
 * A tensor in which indices stand several times, as factors whose indices stand once: the tensor with other letters, and an
 * identity for each letter that was replaced. `A[ii]` is `A[ia]*[i=a]`.
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

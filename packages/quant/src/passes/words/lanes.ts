import type { Builder, ScalarType, Value } from '@filigree/ir';
import type { Sliced, Term } from './sliced.js';

/** What a value of a loop is when a word of elements is computed at once. */
export type Lane =
  /** A number that is known. */
  | { readonly is: 'number'; readonly n: bigint }
  /** A value that is the same for all elements of a word. */
  | { readonly is: 'uniform'; readonly value: Value }
  /** The coordinate along an axis, and so much; with `around` what a division by the extent of the axis leaves of that. */
  | { readonly is: 'coordinate'; readonly axis: number; readonly plus: number; readonly around?: number }
  /** A sum that only another sum asks for. */
  | { readonly is: 'sum'; readonly terms: readonly Term[]; readonly constant: bigint; readonly type: ScalarType }
  | { readonly is: 'sliced'; readonly x: Sliced };

/** Why a loop stays one over elements. */
export class NotInWords extends Error {}

/** Ends the attempt. */
export const notInWords = (why: string): never => {
  throw new NotInWords(why);
};

/** A number as a value of a type. */
export const numberValue = (b: Builder, n: bigint, type: ScalarType): Value =>
  b.constant(type === 'i1' ? n !== 0n : type === 'i64' || type === 'u64' ? n : Number(n), type);

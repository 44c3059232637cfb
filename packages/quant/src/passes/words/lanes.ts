import type { Builder, Op, ScalarType, Value } from '@filigree/ir';
import type { Gates } from './planes.js';
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

/** The values of a loop over words, as rules for its ops ask for them. */
export interface Lanes {
  readonly gates: Gates;
  /** What a value is. */
  lane(v: Value): Lane;
  /** An integer of each element. */
  sliced(v: Value): Sliced;
  /** The terms of a sum that an operand is; of one that others ask for, too, the sum. */
  terms(v: Value, negative: boolean): { readonly terms: readonly Term[]; readonly constant: bigint };
  /** Whether an operand of an op differs between elements. */
  varying(op: Op): boolean;
  /** How many elements there are along an axis of the loop; nothing where there is no end. */
  extentOf(axis: number): number | undefined;
}

/** Why a loop stays one over elements. */
export class NotInWords extends Error {}

/** Ends the attempt. */
export const notInWords = (why: string): never => {
  throw new NotInWords(why);
};

/** A number as a value of a type. */
export const numberValue = (b: Builder, n: bigint, type: ScalarType): Value =>
  b.constant(type === 'i1' ? n !== 0n : type === 'i64' || type === 'u64' ? n : Number(n), type);

/** The type of a value that is one number. */
export const scalarOf = (v: Value): ScalarType => v.type as ScalarType;

/** Whether a value is a whole number or a bit. */
export const isInteger = (v: Value): boolean =>
  ['i1', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'].includes(String(v.type));

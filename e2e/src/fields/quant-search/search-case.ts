import type { AnyField, FieldProgram, QuantSearchOptions } from 'filigree';

/** A simulation whose layout is searched for, and the same in full precision and by a scheme that was chosen by hand. */
export interface SearchCase {
  /** What is searched, but for the bound. */
  readonly search: Omit<QuantSearchOptions, 'error'>;
  /** Elements whose bytes count. */
  readonly elements: number;
  /** What outputs are, and all bytes in memory. */
  readonly full: () => Promise<Ran>;
  readonly byHand: () => Promise<Ran>;
  /** The same of a program with a layout that was found. */
  readonly found: (sim: FieldProgram) => Ran;
}

/** What is left of a run. */
export interface Ran {
  readonly outputs: readonly Float64Array[];
  readonly bytes: number;
}

/** All numbers of fields in a box. */
export const numbersOf = (
  { field }: Pick<FieldProgram, 'field'>,
  fields: readonly AnyField[],
  box: { readonly from: readonly number[]; readonly to: readonly number[] },
): readonly Float64Array[] => fields.map((f) => Float64Array.from(field(f).toArray(box), Number));

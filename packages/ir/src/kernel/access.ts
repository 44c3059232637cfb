import type { Op, Value } from './op.js';

/**
 * Elements that an op touches, where its operands say which. Effects say the same of ops as a whole; an op may have effects
 * without accesses, which then are anywhere in what they name.
 */
export interface Access {
  /** A `hint` touches nothing, but names the elements: a prefetch. */
  readonly kind: 'read' | 'write' | 'atomic' | 'hint';
  /** What the op's effects call it: a buffer by its bare name, or whatever else a dialect keeps values in. */
  readonly place: string;
  /**
   * Which element, by one operand for each dimension; different indices are different elements. A vector names one element for each of
   * its lanes.
   */
  readonly index: readonly Value[];
  /** So many elements, one after the other from the index on along the last dimension. */
  readonly count: number;
  /**
   * What these elements hold after the op, whatever they held before: the result of a read, the operand of a write. Absent where that is no
   * value of the op, or may not be so.
   */
  readonly value?: Value;
}

/** What the dialects say an op touches; undefined of ops that nobody knows. */
export type AccessesOf = (op: Op) => readonly Access[] | undefined;

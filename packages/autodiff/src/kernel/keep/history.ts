import { byteSize, SCRATCH_BYTES, type Buffer, type Builder, type Op, type ScalarType, type Value } from '@filigree/ir';

/** A place for the states of a loop, each a list of values, by number. */
export interface History {
  readonly length: number;
  readonly keep: (b: Builder, slot: Value, state: readonly Value[]) => void;
  readonly at: (b: Builder, slot: Value) => readonly Value[];
}

/** Makes buffers of an adjoint kernel. */
export type MakeBuffer = (type: ScalarType, length: number, role: Buffer['role'], called: string) => string;

/** Reports, where a condition holds, that a loop has run more than so many iterations. */
export type ReportTooLong = (b: Builder, loop: Op, when: Value, most: number) => void;

/** A history of states of these types: a buffer for each value; those that nobody reads are dropped with dead code. */
export const historyOf = (make: MakeBuffer, state: readonly Value[], length: number, role: Buffer['role']): History => {
  const buffers = state.map((v) => make(v.type as ScalarType, length, role, 'history'));
  return {
    length,
    keep: (b, slot, values) => buffers.forEach((buffer, n) => b.store(buffer, values[n], slot)),
    at: (b, slot) => buffers.map((buffer) => b.load(buffer, slot)),
  };
};

/** The most states of which each value has room in memory that is private to a thread. */
export const mostStates = (state: readonly Value[]): number =>
  Math.floor(SCRATCH_BYTES / Math.max(1, ...state.map((v) => byteSize(v.type as ScalarType))));

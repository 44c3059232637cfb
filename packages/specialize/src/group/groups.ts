/** Units that one kernel evaluates (§4.3): of one structure, one level, and one kind of destination. */
export interface Group {
  readonly level: number;
  /** Unit numbers, ascending. */
  readonly units: Int32Array;
  /** Whether the units are sums (minima, maxima) of many terms or of different lengths, evaluated by a loop over terms. */
  readonly rolled: boolean;
  /** Set where the group stands in a loop over levels: its units are those of all steps, one after the other. */
  readonly repeated?: Repetition;
}

/** Levels that repeat: step s runs the levels `first + s·period .. first + (s + 1)·period`. */
export interface Repetition {
  readonly first: number;
  readonly period: number;
  readonly steps: number;
}

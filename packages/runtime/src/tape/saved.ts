/** Copies of fields. */
export interface Saved {
  readonly bytes: number;
  readonly restore: () => void;
  /** The same, after which the copies are not used any more. */
  readonly restoreLast: () => void;
}

/** A copy of a state. */
export interface State extends Saved {
  /**
   * The field that differs now from what it was, by more than rounding in another order does.
   *
   * @param mixed whether lists may have the same in another order
   */
  readonly differs: (mixed?: boolean) => string | undefined;
}

/** Copies of fields as they were before a launch. */
export interface Kept {
  readonly fields: readonly string[];
  readonly bytes: number;
  /** Puts back what the adjoint of the launch reads so. */
  readonly before: () => void;
  /** Puts back what those of earlier launches read. */
  readonly after: () => void;
}

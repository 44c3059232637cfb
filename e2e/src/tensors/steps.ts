/** A mesh of elements in time. */
export interface Steps {
  /**
   * Coefficients now, those of an element after those of the one before; within an element the simulation is
   * fastest, where there are several, then the functions of the basis, then the quantities.
   */
  readonly coefficients: () => ArrayLike<number>;
  readonly step: (dt: number) => void;
  readonly close: () => void;
}

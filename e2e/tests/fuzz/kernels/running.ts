/** A program as the comparison uses it. */
export interface Running {
  readonly fields: Readonly<
    Record<
      string,
      {
        readonly toArray: (box: { from: readonly number[]; to: readonly number[] }) => ArrayLike<number | bigint>;
        readonly set: (at: readonly number[], value: number | bigint) => void;
        readonly isActive: (at: readonly number[]) => boolean;
      }
    >
  >;
  readonly run: Readonly<Record<string, (...args: unknown[]) => number | bigint>>;
}

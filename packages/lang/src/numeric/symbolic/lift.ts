/** A number or a symbol of type `S`. */
export type Num<S> = number | S;

/** A type of numeric code with every number and truth value replaced by one that may be symbolic. */
export type Lift<T, S> = T extends number
  ? number | S
  : T extends boolean
    ? boolean | S
    : T extends string | bigint | symbol | null | undefined
      ? T
      : T extends (...args: infer A) => infer R
        ? (...args: LiftAll<A, S>) => Lift<R, S>
        : T extends Float64Array
          ? Float64Array | { [index: number]: number | S; readonly length: number }
          : T extends object
            ? { [K in keyof T]: Lift<T[K], S> }
            : T;

type LiftAll<A, S> = A extends readonly unknown[] ? { [K in keyof A]: Lift<A[K], S> } : never;

/** In which order threads go, one after the other: none may count on another. */
export type Order = 'forward' | 'backward' | { readonly seed: number };

/** What a driver is compiled with to let threads go in this order. */
export const orderFlags = (order: Order): readonly string[] =>
  typeof order === 'object'
    ? ['-DFILIGREE_ORDER=2', `-DFILIGREE_SEED=${order.seed}u`]
    : [`-DFILIGREE_ORDER=${order === 'forward' ? 0 : 1}`];

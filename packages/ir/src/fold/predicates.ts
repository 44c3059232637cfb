/** The predicate of `arith.cmp` by which `b` is compared with `a` where `a` is with `b`. */
export const mirroredPredicate: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le', eq: 'eq', ne: 'ne' }; // prettier-ignore

/** The predicate that holds where another one does not; of floats only where neither is NaN, but for `eq` and `ne`. */
export const inversePredicate: Readonly<Record<string, string>> = { lt: 'ge', ge: 'lt', le: 'gt', gt: 'le', eq: 'ne', ne: 'eq' }; // prettier-ignore

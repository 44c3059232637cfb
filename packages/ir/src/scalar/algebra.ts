/**
 * Operations on scalars of some kind: numbers, or values of kernel IR. Each row of the table stands there by its name, and besides `sub`, `gt`, `ge`
 * and `select(condition, a, b)`. A number among the operands is a constant.
 */
export type ScalarAlgebra<A> = Readonly<Record<string, (...operands: readonly (A | number)[]) => A>>;

/** What an operation is, made of others: `(s, a) => s.div(s.sin(a), a)`. */
export type Expansion = <A>(s: ScalarAlgebra<A>, ...operands: readonly A[]) => A;

import type { BooleanTensor } from '@filigree/sparse/eqspp';

/** How a tensor lies in memory, if its declaration says so; otherwise the planner chooses (§4.4). */
export type LayoutKind = (typeof layoutKinds)[number];

/** All kinds of layouts. */
export const layoutKinds = ['dense', 'box', 'aligned', 'csc', 'compressed'] as const;

/** The declaration of a tensor: data, without the values of a run. */
export interface TensorDecl {
  /** An identifier, or a member of a family: `star(1)`, `rDivM(0,2)`. */
  readonly name: string;
  /** Extents of the dimensions; an empty shape is a number. */
  readonly shape: readonly number[];
  /** Which entries may be non-zero; absent: all. */
  readonly pattern?: BooleanTensor;
  /** Values of all entries, column-major, if they are known when code is generated (stiffness matrices). */
  readonly values?: Float64Array;
  readonly layout?: LayoutKind;
}

/** What a term is multiplied by: a number, and the names of scalars that are given when the kernel runs. */
export interface Coefficient {
  readonly factor: number;
  readonly scalars: readonly string[];
}

/** Right-hand sides as §4.1 builds them: n-ary sums hold no sums, products no products; a factor never is a `scale`. */
export type Expr =
  | { readonly kind: 'indexed'; readonly tensor: TensorDecl; readonly indices: string }
  | { readonly kind: 'einsum'; readonly factors: readonly Expr[] }
  | { readonly kind: 'add'; readonly terms: readonly Expr[] }
  | { readonly kind: 'scale'; readonly by: Coefficient; readonly of: Expr };

/** `target = value`, or `target += value`, over all values of the target's indices. */
export interface Assignment {
  readonly target: { readonly tensor: TensorDecl; readonly indices: string };
  readonly add: boolean;
  readonly value: Expr;
}

/** A kernel: assignments, one after another, and tensors that the next call will read (§4.6). */
export interface KernelDecl {
  /** An identifier, or a member of a family: `derivative(3)`. */
  readonly name: string;
  readonly assignments: readonly Assignment[];
  readonly prefetch?: readonly TensorDecl[];
}

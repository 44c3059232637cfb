import type { ScalarAlgebra } from '@filigree/ir';

/** What an op's derivative is: a rule, nothing by definition, or a refusal. */
export type Derivative =
  | {
      readonly is: 'rule';
      readonly times: TimesPartials;
      /** For an op that hands on one of two operands: which. */
      readonly choice?: Choice;
      readonly tame?: Tame;
      readonly steady?: Steady;
    }
  | { readonly is: 'zero'; readonly why: string; readonly tame?: Tame }
  /** An op of control flow or memory, whose derivative is not told by numbers alone. */
  | { readonly is: 'structure'; readonly how: string }
  | { readonly is: 'refused'; readonly why: string; readonly remedy: string };

/**
 * Said of an op whose result and partial derivatives are numbers wherever its operands are, so that no adjoint of 0 meets what is infinite: where
 * its value is computed for nothing, its derivative may be, too. A function says it by those operands that are constants.
 */
export type Tame = true | ((...operands: readonly (number | undefined)[]) => boolean);

/** Said of an op whose partial derivatives are numbers whatever its operands are, so that an adjoint of 0 stays 0. */
export type Steady = true;

/**
 * A seed times the partial derivative by each operand; nothing for an operand that has none. The seed of reverse mode is the
 * adjoint of the result, and each product goes to the operand's adjoint. In forward mode the seed is an operand's tangent, and the
 * sum over operands is that of the result. Both are the same rule, since a partial derivative of scalars is a number.
 *
 * Rules are linear in the seed. They choose with `select` between finished products, and never multiply by 0 what may be
 * infinite: an arm that is not taken leaves no NaN.
 */
export type TimesPartials = <A>(
  s: ScalarAlgebra<A>,
  seed: A,
  result: A,
  ...operands: readonly A[]
) => readonly (A | undefined)[];

/**
 * Two operands by their numbers, and the condition under which the first is the result, else the second. Whoever carries the condition along, rather than
 * zeros, multiplies no zero by what is infinite further down the arm that is not taken.
 */
export interface Choice {
  readonly arms: readonly [number, number];
  readonly first: <A>(s: ScalarAlgebra<A>, ...operands: readonly A[]) => A;
}

declare module '@filigree/ir' {
  interface Extension {
    /** What the derivatives of its ops are, by the name of the op. */
    readonly derivatives?: DerivativeTable;
  }
}

/** Derivatives by the name of the op. */
export type DerivativeTable = Readonly<Record<string, Derivative>>;

import { pass, type Diagnostics, type Loc } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { countProducts, productPattern, sumPattern } from '../algebra/pattern-algebra.js';
import type { CsrPattern } from '../formats/csr.js';
import { transposePattern } from '../formats/csc.js';
import { foldExpr, type Bindings } from './fold.js';
import type { ExprTree } from './tree.js';

/** One matrix operation of an evaluation. */
export interface ExprStep {
  readonly op: 'add' | 'sub' | 'neg' | 'scale' | 'transpose' | 'multiply';
  readonly loc: Loc;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Scalar additions, subtractions, negations and multiplications; those of a dot product of n pairs are 2n − 1. */
  readonly flops: number;
}

/** What `evaluateExpr` will do, in its order. */
export interface ExprPlan {
  readonly steps: readonly ExprStep[];
  /** The pattern of the result. */
  readonly pattern: CsrPattern;
  readonly flops: number;
}

/**
 * Plans an expression on patterns alone: every step with the size of its result and its work. Its codes are those of
 * `evaluateExpr`, so that a wrong expression is refused before any value is touched.
 */
export const planExpr = (tree: ExprTree, bindings: Bindings<CsrPattern>): E.Either<Diagnostics, ExprPlan> =>
  pass('planExpr', (t: ExprTree) => plan(t, bindings)).run(tree);

const plan = (tree: ExprTree, bindings: Bindings<CsrPattern>): ExprPlan => {
  const steps: ExprStep[] = [];
  const step = (op: ExprStep['op'], loc: Loc, p: CsrPattern, flops: number): CsrPattern => {
    steps.push({ op, loc, rows: p.rows, cols: p.cols, nnz: p.colIdx.length, flops });
    return p;
  };
  // Both operands have an entry at as many places as the union lacks of their sum. A difference also negates what only
  // its right operand has.
  const merge = (op: 'add' | 'sub', a: CsrPattern, b: CsrPattern, loc: Loc): CsrPattern => {
    const p = sumPattern(a, b);
    const both = a.colIdx.length + b.colIdx.length - p.colIdx.length;
    return step(op, loc, p, op === 'add' ? both : b.colIdx.length);
  };
  const pattern = foldExpr<CsrPattern>(tree, bindings, {
    pattern: (p) => p,
    add: (a, b, loc) => merge('add', a, b, loc),
    sub: (a, b, loc) => merge('sub', a, b, loc),
    neg: (a, loc) => step('neg', loc, a, a.colIdx.length),
    scale: (_, a, loc) => step('scale', loc, a, a.colIdx.length),
    transpose: (a, loc) => step('transpose', loc, transposePattern(a).pattern, 0),
    multiply: (a, b, loc) => {
      const p = productPattern(a, b);
      return step('multiply', loc, p, 2 * countProducts(a, b) - p.colIdx.length);
    },
  });
  return { steps, pattern, flops: steps.reduce((n, s) => n + s.flops, 0) };
};

import { fail, pass, type Diagnostics, type Loc, checkOptions, option } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { countProducts, productPattern, sumPattern } from '../algebra/pattern-algebra.js';
import { samePattern } from '../patterns/compare.js';
import type { CsrPattern } from '../patterns/csr.js';
import { transposePattern } from '../patterns/csc.js';
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

/** Limits of a plan. */
export interface ExprPlanOptions {
  /** The most scalar operations of all steps together; more are refused before their pattern is looked for. */
  readonly mostFlops?: number;
}

/**
 * Plans an expression on patterns alone: every step with the size of its result and its work. Its codes are those of
 * `evaluateExpr`, so that a wrong expression is refused before any value is touched; besides, `expr/too-large`.
 */
export const planExpr = (
  tree: ExprTree,
  bindings: Bindings<CsrPattern>,
  options?: ExprPlanOptions,
): E.Either<Diagnostics, ExprPlan> =>
  pass('planExpr', (t: ExprTree) => {
    const { mostFlops = Infinity } = checkOptions<ExprPlanOptions>('planExpr', options, {
      mostFlops: option.number(0),
    });
    return plan(t, bindings, mostFlops);
  }).run(tree);

const plan = (tree: ExprTree, bindings: Bindings<CsrPattern>, mostFlops: number): ExprPlan => {
  const steps: ExprStep[] = [];
  let planned = 0;
  const step = (op: ExprStep['op'], loc: Loc, p: CsrPattern, flops: number): CsrPattern => {
    steps.push({ op, loc, rows: p.rows, cols: p.cols, nnz: p.colIdx.length, flops });
    planned += flops;
    return p;
  };
  // Both operands have an entry at as many places as the union lacks of their sum. A difference also negates what only
  // its right operand has.
  const merge = (op: 'add' | 'sub', a: CsrPattern, b: CsrPattern, loc: Loc): CsrPattern => {
    const p = sumPattern(a, b);
    const both = a.colIdx.length + b.colIdx.length - p.colIdx.length;
    return step(op, loc, p, op === 'add' ? both : b.colIdx.length);
  };
  /* Patterns of high powers stay as they are after some factors, and then so does what is known of the next product. */
  let last:
    | { readonly a: CsrPattern; readonly b: CsrPattern; readonly p: CsrPattern; readonly products: number }
    | undefined;
  const pattern = foldExpr<CsrPattern>(tree, bindings, {
    pattern: (p) => p,
    add: (a, b, loc) => merge('add', a, b, loc),
    sub: (a, b, loc) => merge('sub', a, b, loc),
    neg: (a, loc) => step('neg', loc, a, a.colIdx.length),
    scale: (_, a, loc) => step('scale', loc, a, a.colIdx.length),
    transpose: (a, loc) => step('transpose', loc, transposePattern(a).pattern, 0),
    multiply: (a, b, loc) => {
      const known = last?.a === a && last.b === b ? last : undefined;
      const products = known?.products ?? countProducts(a, b);
      /* Looking for a pattern takes as long as there are products; at least half of their operations are multiplications. */
      if (planned + products > mostFlops) tooLarge(steps, planned + products, mostFlops, loc);
      const found = known?.p ?? productPattern(a, b);
      const p = known === undefined && samePattern(found, a) ? a : found;
      last = { a, b, p, products };
      return step('multiply', loc, p, 2 * products - p.colIdx.length);
    },
  });
  if (planned > mostFlops) tooLarge(steps, planned, mostFlops, tree.root.loc);
  return { steps, pattern, flops: planned };
};

const tooLarge = (steps: readonly ExprStep[], flops: number, most: number, loc: Loc): never => {
  const isPower = steps.filter((s) => s.op === 'multiply' && s.loc === loc).length > 1;
  return fail(
    'expr/too-large',
    `up to here the expression takes ${flops.toExponential(1)} operations or more, and ${most.toExponential(1)} is the limit`,
    {
      loc,
      remedy: isPower
        ? 'write a high power as a power of powers, as ((A^10)^10)^10 for A^1000, which takes fewer products, or run the program for a small power again and again'
        : 'compute a part of the result, by blocks of its rows, or on a machine with more memory',
    },
  );
};

import { pass, type Diagnostics } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { add, neg, scale, sub } from '../algebra/elementwise.js';
import { multiply } from '../algebra/multiply.js';
import type { Ring } from '../algebra/ring.js';
import { transpose } from '../algebra/structure.js';
import type { Csr } from '../patterns/csr.js';
import { foldExpr, type Bindings } from './fold.js';
import type { ExprTree } from './tree.js';

/**
 * The value of an expression over any ring, names bound to matrices of that ring or to ordinary numbers. Products and
 * powers associate to the left, a number times a matrix is one `scale`, and entries that come out zero stay entries.
 * Codes: `expr/unbound`, `expr/shape`, `expr/power`, `expr/number`, `algebra/too-large`, with line and column.
 */
export const evaluateExpr = <V>(
  tree: ExprTree,
  bindings: Bindings<Csr<V>>,
  ring: Ring<V>,
): E.Either<Diagnostics, Csr<V>> =>
  pass('evaluateExpr', (t: ExprTree) =>
    foldExpr<Csr<V>>(t, bindings, {
      pattern: (m) => m.pattern,
      add: (a, b) => add(ring, a, b),
      sub: (a, b) => sub(ring, a, b),
      neg: (a) => neg(ring, a),
      scale: (s, a) => scale(ring, s, a),
      transpose: (a) => transpose(ring, a),
      multiply: (a, b) => multiply(ring, a, b),
    }),
  ).run(tree);

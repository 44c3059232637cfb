import * as E from 'fp-ts/lib/Either.js';
import { fail, orThrow } from '@filigree/ir';
import {
  evaluateExpr,
  namesOf,
  numberRing,
  parseExpr,
  planExpr,
  type Csr,
  type CsrPattern,
  type ExprTree,
} from '@filigree/sparse/formats';
import { symbolicRing, type Program } from '@filigree/specialize';
import { checkPattern } from './check-pattern.js';
import { flopsAsNodes, flopsInColumns } from './flops-that-fit.js';

/** A name of an expression: a matrix, whose pattern is compiled in and whose values are an input, or a plain number. */
export type Binding = number | Csr<ArrayLike<number>>;

/** A sparse expression with its patterns, ready to be traced. */
export interface ExpressionProblem {
  readonly tree: ExprTree;
  readonly program: Program;
  /** The names that are bound to numbers. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Pattern of the result. */
  readonly pattern: CsrPattern;
  /** Scalar operations of a plain evaluation. */
  readonly flops: number;
  /** A plain sparse evaluation on these values of the matrices, in f64. */
  readonly evaluate: (values: Readonly<Record<string, Float64Array>>) => Csr<Float64Array>;
}

/** The name of an expression's result among the outputs. */
export const RESULT = 'result';

/** Of longer chains, as of high powers, the steps may be found to repeat: as nodes. */
const MOST_PRODUCTS = 6;

/**
 * An expression of sparse algebra over these bindings. Only names that occur become inputs. Errors: `expr/…` (of which
 * `expr/too-large` where compiling would take more memory than there is), `csr/…`,
 * `program/name` for a matrix called `result`.
 */
export const expressionProblem = (text: string, bindings: Readonly<Record<string, Binding>>): ExpressionProblem => {
  const tree = orThrow(parseExpr(text));
  const used = namesOf(tree).filter((name) => Object.hasOwn(bindings, name));
  if (used.includes(RESULT))
    fail('program/name', `'${RESULT}' names the output`, { remedy: 'bind the matrix to another name' });
  const patterns: Record<string, CsrPattern> = {};
  const numbers: Record<string, number> = {};
  for (const name of used) {
    const b = bindings[name];
    if (typeof b === 'number') numbers[name] = b;
    else {
      checkPattern(name, (b as { readonly pattern?: unknown } | null)?.pattern);
      patterns[name] = b.pattern;
    }
  }
  const planWithin = (mostFlops: number) => planExpr(tree, { ...patterns, ...numbers }, { mostFlops });
  const asNodes = planWithin(flopsAsNodes());
  const plan = orThrow(E.isRight(asNodes) ? asNodes : planWithin(flopsInColumns()));
  const isChain = plan.steps.filter((s) => s.op === 'multiply').length > MOST_PRODUCTS;
  if (isChain) orThrow(asNodes);
  const variables = Object.values(patterns).reduce((n, p) => n + p.colIdx.length, 0);
  return {
    tree,
    numbers,
    pattern: plan.pattern,
    flops: plan.flops,
    program: {
      capacity: Math.min(variables + plan.flops + 1024, 2 ** 27),
      inputs: patterns,
      run: (inputs, { graph, ring }) => ({
        [RESULT]: orThrow(
          evaluateExpr(
            tree,
            { ...(inputs as Record<string, Csr<Int32Array>>), ...numbers },
            isChain ? symbolicRing(graph) : ring,
          ),
        ),
      }),
    },
    evaluate: (values) => {
      const matrices = Object.fromEntries(
        Object.entries(patterns).map(([name, pattern]) => [name, { pattern, values: values[name] }]),
      );
      return orThrow(evaluateExpr(tree, { ...matrices, ...numbers }, numberRing));
    },
  };
};

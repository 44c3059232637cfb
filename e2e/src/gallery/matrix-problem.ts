import { orThrow } from '@filigree/ir';
import { evaluateExpr, numberRing, parseExpr, type Csr } from '@filigree/sparse/formats';
import type { Problem, Values } from './problem.js';

/** A sparse matrix of numbers. */
export type NumericMatrix = Csr<Float64Array>;

/**
 * A sparse algebra expression over given matrices as a program: the inputs are the entries of the matrices, under their
 * names; the output is `R`. The same algebra serves trace and numbers, over two rings.
 */
export const matrixProblem = (
  title: string,
  expression: string,
  matrices: Readonly<Record<string, NumericMatrix>>,
): Problem => {
  const tree = orThrow(parseExpr(expression));
  const patterns = Object.fromEntries(Object.entries(matrices).map(([name, m]) => [name, m.pattern]));
  return {
    title,
    program: {
      inputs: patterns,
      run: (inputs, { ring }) => ({
        R: orThrow(evaluateExpr(tree, inputs as Readonly<Record<string, Csr<Int32Array>>>, ring)),
      }),
    },
    values: Object.fromEntries(Object.entries(matrices).map(([name, m]) => [name, m.values])),
    evaluate: (values) => ({ R: evaluateMatrix(expression, patterns, values).values }),
  };
};

/** The expression on numbers, in f64. */
export const evaluateMatrix = (
  expression: string,
  patterns: Readonly<Record<string, NumericMatrix['pattern']>>,
  values: Values,
): NumericMatrix =>
  orThrow(
    evaluateExpr(
      orThrow(parseExpr(expression)),
      Object.fromEntries(
        Object.entries(patterns).map(([name, pattern]) => [name, { pattern, values: Float64Array.from(values[name]) }]),
      ),
      numberRing,
    ),
  );

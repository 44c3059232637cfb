import type { KernelDecl } from '../notation/expression.js';
import { expressionText } from '../notation/expression-text.js';

/** The assignments of a kernel as its notation has them, one a line. */
export const formulaText = ({ assignments }: KernelDecl): readonly string[] =>
  assignments.map(
    ({ target, add, value }) => `${target.tensor.name}[${target.indices}] ${add ? '+=' : '='} ${expressionText(value)}`,
  );

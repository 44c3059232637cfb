import type { Expr, KernelDecl } from '../notation/expression.js';

/** The assignments of a kernel as its notation has them, one a line. */
export const formulaText = ({ assignments }: KernelDecl): readonly string[] =>
  assignments.map(
    ({ target, add, value }) => `${target.tensor.name}[${target.indices}] ${add ? '+=' : '='} ${text(value)}`,
  );

const text = (e: Expr): string => {
  switch (e.kind) {
    case 'indexed':
      return `${e.tensor.name}[${e.indices}]`;
    case 'einsum':
      return e.factors.map(factor).join('*');
    case 'add':
      return e.terms.map(text).join(' + ');
    case 'scale': {
      const by = [...(e.by.factor === 1 && e.by.scalars.length > 0 ? [] : [String(e.by.factor)]), ...e.by.scalars];
      return `${by.join('*')}*${factor(e.of)}`;
    }
  }
};

const factor = (e: Expr): string => (e.kind === 'add' ? `(${text(e)})` : text(e));

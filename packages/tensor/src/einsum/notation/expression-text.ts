import type { Expr } from './expression.js';

/** An expression as the parser would take it. */
export const expressionText = (e: Expr): string => {
  switch (e.kind) {
    case 'indexed':
      return `${e.tensor.name}[${e.indices}]`;
    case 'einsum':
      return e.factors.map(factor).join('*');
    case 'add':
      return e.terms.map((t, n) => (n === 0 ? expressionText(t) : added(t))).join('');
    case 'scale':
      return scaled(e.by.factor, e.by.scalars, e.of);
  }
};

const added = (e: Expr): string =>
  e.kind === 'scale' && e.by.factor < 0 ? ` - ${scaled(-e.by.factor, e.by.scalars, e.of)}` : ` + ${expressionText(e)}`;

const scaled = (by: number, scalars: readonly string[], of: Expr): string =>
  [...(by === 1 ? [] : [String(by)]), ...scalars, factor(of)].join('*');

const factor = (e: Expr): string => (e.kind === 'add' ? `(${expressionText(e)})` : expressionText(e));

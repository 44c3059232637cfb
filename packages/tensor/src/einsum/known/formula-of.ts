import type { Node } from '../notation/node.js';

/** An expression as the notation has it; what was folded before stands as the formula that it came of. */
export const formulaOf = (node: Node): string => {
  switch (node.kind) {
    case 'leaf':
      return node.folded?.formula ?? `${node.tensor.name}[${node.along ?? node.indices}]`;
    case 'sum':
      return node.terms.map(({ by, node: term }) => [...coefficient(by), factorOf(term)].join('*')).join(' + ') || '0';
    case 'einsum':
      return node.factors.map(factorOf).join('*');
    case 'contraction':
      return `${factorOf(node.left)}*${factorOf(node.right)}`;
    case 'indexsum':
      return formulaOf(node.of);
  }
};

const coefficient = ({ factor, scalars }: { readonly factor: number; readonly scalars: readonly string[] }) => [
  ...(factor === 1 ? [] : [String(factor)]),
  ...scalars,
];

const factorOf = (node: Node): string => {
  const text = formulaOf(node);
  return / \+ /.test(text) ? `(${text})` : text;
};

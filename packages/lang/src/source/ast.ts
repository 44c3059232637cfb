import type { AnyNode, Expression, Pattern } from 'acorn';

/** The nodes directly below, in the order of the source text. */
export const children = (node: AnyNode): AnyNode[] => {
  const out: AnyNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (isNode(value)) out.push(value);
    else if (Array.isArray(value)) for (const v of value) if (isNode(v)) out.push(v);
  }
  return out.sort((a, b) => a.start - b.start);
};

const isNode = (x: unknown): x is AnyNode =>
  typeof x === 'object' && x !== null && typeof (x as AnyNode).type === 'string' && 'start' in x;

/** How many nodes of a tree are such. */
export const count = (node: AnyNode, is: (node: AnyNode) => boolean): number =>
  children(node).reduce((n, part) => n + count(part, is), is(node) ? 1 : 0);

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';

/** The expression within any parentheses. */
export const bare = <T extends AnyNode>(node: T | Expression | Pattern): AnyNode => {
  let e = node as AnyNode;
  while (e.type === 'ParenthesizedExpression') e = e.expression;
  return e;
};

/** The name of `Math.name`, given that `Math` means the global, else undefined. */
export const mathMember = (node: AnyNode, isGlobal: (id: AnyNode, name: string) => boolean): string | undefined =>
  node.type === 'MemberExpression' &&
  !node.computed &&
  node.property.type === 'Identifier' &&
  isGlobal(node.object, 'Math')
    ? node.property.name
    : undefined;

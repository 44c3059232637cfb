import type { AnyNode } from 'acorn';

/** Whether an expression may end a chain that it stands in, as `a?.b` does: then nothing may be put around it. */
export const shortCircuits = (node: AnyNode): boolean =>
  node.type === 'MemberExpression'
    ? node.optional || shortCircuits(node.object)
    : node.type === 'CallExpression' && (node.optional || shortCircuits(node.callee));

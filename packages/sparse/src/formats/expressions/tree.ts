import type { Loc } from '@filigree/ir';

/** A sparse algebra expression: its text, and its tree. Immutable. */
export interface ExprTree {
  readonly source: string;
  readonly root: Expr;
}

/** A node of an expression; `loc` is the position of its operator, name or number. */
export type Expr =
  | { readonly kind: 'name'; readonly name: string; readonly loc: Loc }
  | { readonly kind: 'number'; readonly value: number; readonly loc: Loc }
  | { readonly kind: 'neg' | 'transpose'; readonly arg: Expr; readonly loc: Loc }
  | {
      readonly kind: 'add' | 'sub' | 'mul' | 'pow';
      readonly left: Expr;
      readonly right: Expr;
      readonly loc: Loc;
    };

/** The names that an expression uses, each once, in order of appearance. */
export const namesOf = (tree: ExprTree): readonly string[] => [
  ...new Set(postOrder(tree.root).flatMap((e) => (e.kind === 'name' ? [e.name] : []))),
];

/** The nodes, operands before operators and left before right; without recursion, for chains may be long. */
export const postOrder = (root: Expr): readonly Expr[] => {
  // The reverse of "node, then right, then left".
  const out: Expr[] = [];
  const stack: Expr[] = [root];
  for (let e = stack.pop(); e !== undefined; e = stack.pop()) {
    out.push(e);
    if ('arg' in e) stack.push(e.arg);
    else if ('left' in e) stack.push(e.left, e.right);
  }
  return out.reverse();
};

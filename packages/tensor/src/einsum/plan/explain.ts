import { type Diagnostics, pipeline } from '@filigree/ir';
import { boundingBox, countNonzeros } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import type { Interval } from '../layout/layout.js';
import type { KernelDecl } from '../notation/expression.js';
import type { Node } from '../notation/node.js';
import { planOptions, planStages, type PlanOptions, type PlanState } from './plan-kernel.js';

/** What the first stages of planning find about one assignment. */
export interface Explanation {
  readonly target: string;
  /** The order of least operations, `Q + ((I*K)*A)`; what is in braces is computed when the plan is made. */
  readonly order: string;
  /** For each use of a tensor on the right: which entries may be non-zero and are needed. */
  readonly patterns: readonly {
    readonly name: string;
    readonly indices: string;
    readonly nonzeros: number;
    readonly entries: number;
    readonly box: readonly Interval[];
  }[];
}

/** Equivalent sparsity patterns and orders of multiplication of every assignment of a kernel. */
export const explainKernel = (
  decl: KernelDecl,
  options: PlanOptions,
): E.Either<Diagnostics, readonly Explanation[]> => {
  const last = planStages.findIndex((s) => s.name === 'strength-reduction');
  const stages = pipeline(planStages.slice(0, last + 1));
  const result = E.chain((checked: PlanOptions) =>
    stages.run({ decl, options: checked, statements: [], nonzero: 0, placed: [], actions: [] }),
  )(planOptions('explainKernel').run(options));
  return E.map((state: PlanState) =>
    state.statements.map(({ target, root }) => ({
      target: `${target.tensor.name}[${target.indices}]`,
      order: orderOf(root),
      patterns: leavesOf(root),
    })),
  )(result);
};

const orderOf = (node: Node): string => {
  switch (node.kind) {
    case 'leaf':
      return node.folded ? `{${node.folded.formula}}` : node.tensor.name;
    case 'indexsum':
      return `sum(${orderOf(node.of)})`;
    case 'contraction':
      return `(${orderOf(node.left)}*${orderOf(node.right)})`;
    case 'einsum':
      return `(${node.factors.map(orderOf).join('*')})`;
    case 'sum': {
      if (node.terms.length === 0) return '0';
      const terms = node.terms.map(({ by, node: term }) =>
        [...(by.factor === 1 ? [] : [String(by.factor)]), ...by.scalars, orderOf(term)].join('*'),
      );
      return terms.length === 1 ? terms[0] : `(${terms.join(' + ')})`;
    }
  }
};

const leavesOf = (node: Node): Explanation['patterns'] => {
  switch (node.kind) {
    case 'leaf': {
      const { tensor, folded } = node;
      return (folded?.of ?? [{ ...node, name: tensor.name }]).map(({ name, indices, pattern }) => ({
        name,
        indices,
        nonzeros: countNonzeros(pattern),
        entries: pattern.bits.length,
        box: boundingBox(pattern),
      }));
    }
    case 'indexsum':
      return leavesOf(node.of);
    case 'contraction':
      return [...leavesOf(node.left), ...leavesOf(node.right)];
    case 'einsum':
      return node.factors.flatMap(leavesOf);
    case 'sum':
      return node.terms.flatMap((t) => leavesOf(t.node));
  }
};

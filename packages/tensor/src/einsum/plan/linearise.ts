import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { boundingBox, projectPattern } from '@filigree/sparse/eqspp';
import type { GemmSpec } from '../../linalg/gemm-spec.js';
import type { Interval } from '../layout/layout.js';
import { ONE } from '../notation/build.js';
import type { Statement } from '../notation/node.js';
import type { Layout } from '../layout/layout.js';
import type { PlacedNode } from '../permute/permute.js';
import { gemmOf } from './gemm-of.js';
import type { Action, Operand, Operation } from './plan.js';

/**
 * The actions of statements in post-order, one for every node and one for every term of a sum (Fig. 5 a): correct, and
 * full of copies that the steps after it take away.
 */
export const linearise = (
  statements: readonly { readonly statement: Statement; readonly root: PlacedNode; readonly layout: Layout }[],
  type: GemmSpec['type'],
): readonly Action[] => {
  const actions: Action[] = [];
  let temporaries = 0;

  const temporary = (node: { readonly indices: string; readonly layout: Layout }, pattern: BooleanTensor): Operand => ({
    name: `_tmp${temporaries++}`,
    indices: node.indices,
    layout: node.layout,
    pattern,
  });
  const push = (action: Action): Operand => {
    actions.push(action);
    return action.target;
  };
  const copy = (target: Operand, source: Operand, more: Partial<Action> = {}): Operand =>
    push({
      target,
      add: false,
      scale: ONE,
      operation: { kind: 'copyscaleadd', source },
      ranges: rangesOf(source),
      ...more,
    });

  const emit = (node: PlacedNode): Operand => {
    const { how, indices, layout, pattern } = node;
    switch (how.kind) {
      case 'tensor':
        return { name: how.tensor.name, indices, layout, pattern };
      case 'copy': {
        const source = emit(how.of);
        return copy(temporary(node, pattern), source);
      }
      case 'sum': {
        const values = how.terms.map(({ by, node: term }) => {
          const value = emit(term);
          if (by.factor === 1 && by.scalars.length === 0) return value;
          return copy(temporary(node, arranged(value, indices)), value, { scale: by });
        });
        const [first, ...rest] = values;
        if (rest.length === 0 && how.terms[0].node.how.kind !== 'tensor') return first;
        const total = temporary(node, pattern);
        copy(total, first);
        for (const value of rest) copy(total, value, { add: true });
        return total;
      }
      case 'indexsum': {
        const source = emit(how.of);
        return compute(node, { kind: 'indexsum', source }, rangesOf(source));
      }
      case 'product': {
        const [left, right] = [emit(how.left), emit(how.right)];
        return compute(
          node,
          { kind: 'product', left, right },
          { ...rangesOf(left), ...rangesOf(right), ...rangesOf(node) },
        );
      }
      case 'log': {
        const [l, r] = [emit(how.left), emit(how.right)];
        const [left, right] = how.mapping.swapped ? [r, l] : [l, r];
        const { m, n, k, loops, transposeLeft, transposeRight } = how.mapping;
        const ranges = { ...rangesOf(left), ...rangesOf(node) };
        const parts = { left, right, m, n, k, loops, transposeLeft, transposeRight };
        const target = temporary(node, pattern);
        const gemm = gemmOf({ target, add: false, scale: ONE, ranges, operation: parts }, type);
        return push({ target, add: false, scale: ONE, operation: { kind: 'log', ...parts, gemm }, ranges });
      }
    }
  };
  const compute = (node: PlacedNode, operation: Operation, ranges: Action['ranges']): Operand =>
    push({ target: temporary(node, node.pattern), add: false, scale: ONE, operation, ranges });

  for (const { statement, root, layout } of statements) {
    const { tensor, indices } = statement.target;
    const target: Operand = { name: tensor.name, indices, layout, pattern: root.pattern };
    // Nothing is ever added: the target becomes zero.
    if (root.how.kind === 'sum' && root.how.terms.length === 0)
      copy(target, target, { scale: { factor: 0, scalars: [] }, ranges: nowhere(indices) });
    else copy(target, emit(root));
  }
  return actions;
};

const rangesOf = ({
  indices,
  pattern,
}: {
  readonly indices: string;
  readonly pattern: BooleanTensor;
}): Record<string, Interval> => {
  const box = boundingBox(pattern);
  return Object.fromEntries([...indices].map((i, d) => [i, box[d]]));
};

const nowhere = (indices: string): Record<string, Interval> =>
  Object.fromEntries([...indices].map((i): [string, Interval] => [i, [0, 0]]));

const arranged = ({ indices, pattern }: Operand, order: string): BooleanTensor =>
  projectPattern({ indices, pattern }, order);

import type { Action } from './plan.js';
import type { ActionList } from './state.js';

/**
 * Actions as text in the manner of Fig. 5, one a line: `C += 0.5 * LoopOverGEMM(A, B)`; with what is live after each where
 * that was analysed.
 */
export const printActions = (list: ActionList | readonly Action[]): string => {
  const { actions, live } = 'actions' in list ? list : { actions: list, live: undefined };
  return actions
    .map((a, i) => {
      const value = a.scale.factor === 0 ? ['0'] : [...coefficientOf(a), operationOf(a)];
      const text = `${a.target.name} ${a.add ? '+=' : '='} ${value.join(' * ')}`;
      return live === undefined ? text : `${text}  ; live: ${[...live[i]].sort().join(', ')}`;
    })
    .join('\n');
};

/**
 * Actions with indices, fused ones in parentheses and looped ones in brackets (§2.3): `Q_sk[p] += T_sn[p] G_kn^T`.
 */
export const printMappings = (actions: readonly Action[]): string =>
  actions
    .map((a) => {
      const { operation, target } = a;
      if (operation.kind !== 'log') return printActions([a]);
      const { m, n, k, loops, left, right, transposeLeft, transposeRight } = operation;
      const indexed = (name: string, indices: string, groups: readonly string[], transposed = false): string =>
        `${name}_${marked(indices, groups, loops)}${transposed ? '^T' : ''}`;
      const product = `${indexed(left.name, left.indices, [m, k], transposeLeft)} ${indexed(right.name, right.indices, [k, n], transposeRight)}`;
      const scale = coefficientOf(a)
        .map((c) => `${c} `)
        .join('');
      return `${indexed(target.name, target.indices, [m, n])} ${a.add ? '+=' : ':='} ${scale}${product}`;
    })
    .join('\n');

const coefficientOf = ({ scale }: Action): readonly string[] => [
  ...(scale.factor === 1 ? [] : [String(scale.factor)]),
  ...scale.scalars,
];

const operationOf = ({ operation }: Action): string => {
  switch (operation.kind) {
    case 'copyscaleadd':
      return operation.source.name;
    case 'indexsum':
      return `IndexSum(${operation.source.name})`;
    case 'product':
      return `Product(${operation.left.name}, ${operation.right.name})`;
    case 'log':
      return `LoopOverGEMM(${operation.left.name}, ${operation.right.name})`;
  }
};

const marked = (indices: string, groups: readonly string[], loops: string): string => {
  let text = indices;
  for (const group of groups) if (group.length > 1) text = text.replace(group, `(${group})`);
  return text.replace(/[A-Za-z]/g, (i) => (loops.includes(i) ? `[${i}]` : i));
};

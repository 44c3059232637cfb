import { gradientOf, hessianOf, jacobianOf, type Half } from '@filigree/autodiff';
import { Sym, checkOptions, fail, graphCodes, isSymbolic, option, type Graph, type Num } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import { bodiesOf, type Split } from './elements/bodies-of.js';
import type { Elements } from './elements/elements.js';
import { sumsOfBodies } from './elements/sums-of-bodies.js';
import { flatten, isSparse, type TracedOutput } from './traced-output.js';

/**
 * Derivatives inside a program: ordinary expressions, which it may compute with or return. They are by inputs, or by other values that the program computes
 * with further; those named together are taken as independent of each other. Errors: `derivative/…`.
 */
export interface Derivatives {
  /** The derivative of a number by each of `variables`, in their shape. */
  readonly gradient: <V extends TracedOutput>(value: Num, variables: V) => V;
  /** The derivatives of each of `values` by each of `variables`, both counted in the order in which they are nested. Its pattern is found. */
  readonly jacobian: (values: TracedOutput, variables: TracedOutput) => Csr<Int32Array>;
  /** The second derivatives of a number: all of the symmetric matrix (`both`, the default), or what is on and below its diagonal. */
  readonly hessian: (value: Num, variables: TracedOutput, options?: HessianOptions) => Csr<Int32Array>;
}

/** What of a Hessian is wanted. */
export interface HessianOptions {
  readonly half?: Half;
}

/** Derivatives of what is traced on this graph, and of what its elements compute. Those of many terms of one form are elements too. */
export const derivativesOf = (graph: Graph, elements: Elements[]): Derivatives => {
  const sums = sumsOfBodies(graph, elements);
  const differentiable = (ids: Int32Array): Int32Array => {
    const number = ids.findIndex((id) => graph.isConstant(id));
    if (number >= 0)
      fail('derivative/by-number', `value ${number} of those to differentiate by is a plain number`, {
        remedy: 'differentiate by inputs of the program, or by values computed from them',
      });
    /* What is computed from it is computed from what it negates: y · y of y = −x is x · x. */
    const negated = ids.findIndex((id) => graph.op[id] === graphCodes.NEG);
    if (negated >= 0)
      fail(
        'derivative/by-expression',
        `value ${negated} of those to differentiate by is −x, and what is computed from it follows from x`,
        {
          remedy: 'differentiate by x, and negate the derivative',
        },
      );
    return ids;
  };
  const variablesOf = (given: TracedOutput): Int32Array => differentiable(flatten(graph, 'derivative', given));
  const split = (roots: Int32Array, ids: Int32Array): Split => {
    const found = bodiesOf(graph, elements, roots, ids);
    return found.variables === ids ? found : { ...found, variables: differentiable(found.variables) };
  };
  const rootOf = (value: Num): number => {
    if (isSymbolic(value)) return flatten(graph, 'derivative', value)[0];
    if (typeof value === 'number') return graph.constant(value);
    return fail('derivative/of', 'what is differentiated is not one number', {
      remedy: 'give a number, such as a sum; of several values there is the jacobian',
    });
  };
  return {
    gradient: (value, variables) => {
      const ids = variablesOf(variables);
      const of = split(Int32Array.of(rootOf(value)), ids);
      return shaped(graph, variables, gradientOf(graph, of.roots[0], of.variables, { sums, bodies: of.bodies }));
    },
    jacobian: (values, variables) => {
      const ids = variablesOf(variables);
      const of = split(flatten(graph, 'derivative', values), ids);
      return jacobianOf(graph, of.roots, of.variables, { sums, bodies: of.bodies });
    },
    hessian: (value, variables, given) => {
      const { half } = checkOptions<HessianOptions>('hessian', given, { half: option.choice('lower', 'both') });
      const ids = variablesOf(variables);
      const of = split(Int32Array.of(rootOf(value)), ids);
      return hessianOf(graph, of.roots[0], of.variables, { sums, bodies: of.bodies, ...(half ? { half } : {}) });
    },
  };
};

/** Nodes in the shape of a value. */
const shaped = <V extends TracedOutput>(graph: Graph, like: V, nodes: Int32Array): V => {
  let next = 0;
  const build = (value: TracedOutput): TracedOutput => {
    if (isSymbolic(value)) return new Sym(graph, nodes[next++]);
    if (isSparse(value)) {
      next += value.values.length;
      return { pattern: value.pattern, values: nodes.slice(next - value.values.length, next) };
    }
    return Array.from(value as ArrayLike<TracedOutput>, build);
  };
  return build(like) as V;
};

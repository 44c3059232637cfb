import { fail, isSymbolic, type Graph } from '@filigree/ir';

/** The node of a number, truth value or symbol that stands in an array of this name. */
export const nodeOf = (graph: Graph, value: unknown, name: string): number => {
  if (typeof value === 'number' || typeof value === 'boolean') return graph.constant(Number(value));
  if (isSymbolic(value) && value.graph === graph) return value.id;
  return isSymbolic(value)
    ? fail('symbol/two-traces', `'${name}' holds a symbolic value of another trace`, {
        remedy: 'keep symbolic values inside the function that is traced',
      })
    : fail('elements/non-numeric', `an entry of '${name}' is ${value === null ? 'null' : typeof value}, not a number`, {
        remedy: 'fill arrays with numbers or symbolic values before elements use them',
      });
};

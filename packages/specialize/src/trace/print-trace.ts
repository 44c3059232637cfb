import { printGraph, type Graph } from '@filigree/ir';
import type { OutputSlot } from './output-slot.js';
import type { ProductOfStored } from './products/product-of-stored.js';

/** What of a trace is printed. */
export interface PrintedTrace {
  readonly graph: Graph;
  readonly inputs: readonly { readonly name: string; readonly first: number; readonly length: number }[];
  readonly outputs: readonly Pick<OutputSlot, 'name' | 'nodes' | 'product'>[];
}

/** A trace as text: inputs, the nodes of its graph, outputs. @param note what else is said of a node */
export const printTrace = ({ graph, inputs, outputs }: PrintedTrace, note?: (id: number) => string): string => {
  const variable = (k: number): string => {
    const slot = inputs.find(({ first, length }) => k >= first && k < first + length);
    return slot ? `${slot.name}[${k - slot.first}]` : `x${k}`;
  };
  return [
    ...inputs.map(({ name, length }) => `input ${name}: ${length}\n`),
    printGraph(graph, { variable, ...(note && { note }) }),
    ...outputs.map(
      ({ name, nodes, product }) => `output ${name}: ${product ? printProduct(product) : listed(nodes)}\n`,
    ),
  ].join('');
};

const printProduct = ({ left, right, added }: ProductOfStored): string =>
  [
    `(${listed(left.values)}) times (${listed(right.values)})`,
    ...added.map(({ matrix, negative }) => `${negative ? 'minus' : 'plus'} (${listed(matrix.values)})`),
  ].join(' ');

const listed = (nodes: Int32Array): string => {
  const first = Array.from(nodes.subarray(0, MOST), (id) => `%${id}`).join(', ');
  return nodes.length > MOST ? `${first} and ${nodes.length - MOST} more` : first;
};

const MOST = 20;

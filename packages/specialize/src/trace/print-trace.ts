import { printGraph, type Graph } from '@filigree/ir';
import type { OutputSlot } from './output-slot.js';
import { isProduct, type SumOfProducts } from './products/sum-of-products.js';

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

const printProduct = ({ parts }: SumOfProducts): string =>
  parts
    .map((part, k) => {
      const { scale, left } = part;
      const sign = scale < 0 ? 'minus ' : k > 0 ? 'plus ' : '';
      const factor = Math.abs(scale) === 1 ? '' : `${Math.abs(scale)} times `;
      return `${sign}${factor}(${listed(left.values)})${isProduct(part) ? ` times (${listed(part.right.values)})` : ''}`;
    })
    .join(' ');

const listed = (nodes: Int32Array): string => {
  const first = Array.from(nodes.subarray(0, MOST), (id) => `%${id}`).join(', ');
  return nodes.length > MOST ? `${first} and ${nodes.length - MOST} more` : first;
};

const MOST = 20;

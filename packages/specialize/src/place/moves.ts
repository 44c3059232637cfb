import { Graph } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import { ARITY, CONSTANT, VARIABLE } from '../decompose/codes.js';
import type { Movable } from './movable.js';
import type { Harvest } from '../harvest/harvested.js';

/**
 * Groups that only copy: outputs that are an input or a number as they stand, and outputs that repeat one value more
 * often than a kernel should write it (`destinations` leaves those to be copied from the intermediates).
 */
export const moves = (h: Harvest): Movable[] => {
  const { op } = h.graph;
  const level = h.harvested.reduce((l, g) => Math.max(l, g.level), 0) + 1;
  return h.outputs.flatMap(({ nodes }, output) => {
    const byKind = new Map<number, { nodes: number[]; positions: number[] }>();
    for (let i = 0; i < nodes.length; i++) {
      /* Nearly all are computed, and told apart at once. */
      if (ARITY[op[nodes[i]]] > 0 && !h.destinations.copied(nodes[i])) continue;
      const kind = moveKind(h, nodes[i]);
      if (kind === undefined) continue;
      let list = byKind.get(kind);
      if (!list) byKind.set(kind, (list = { nodes: [], positions: [] }));
      list.nodes.push(nodes[i]);
      list.positions.push(i);
    }
    return [...byKind].map(([kind, list]) => moveGroup(h, level, output, kind, list));
  });
};

const NUMBER = -1;

const moveKind = (h: Harvest, node: number): number | undefined => {
  const code = h.graph.op[node];
  if (code === CONSTANT) return NUMBER;
  const input =
    code === VARIABLE ? h.inputs.findIndex((i) => node >= i.firstNode && node < i.firstNode + i.length) : -1;
  if (input >= 0) return 1 + input;
  return h.destinations.copied(node) ? INTERMEDIATE : undefined;
};

const moveGroup = (
  h: Harvest,
  level: number,
  output: number,
  kind: number,
  list: { nodes: number[]; positions: number[] },
): Movable => {
  const graph = new Graph();
  const nodes = Int32Array.from(list.nodes);
  const move = { output, positions: [[Int32Array.from(list.positions)]] };
  const common = { level, units: new Int32Array(nodes.length), segments: [], move };
  if (kind !== NUMBER)
    return {
      ...common,
      body: { template: { graph, roots: [graph.variable()] }, columns: [{ kind, nodes }], constants: [] },
    };
  if (nodes.every((id) => id === nodes[0])) {
    return {
      ...common,
      body: {
        template: { graph, roots: [graph.constant(h.graph.constantValue(nodes[0]))] },
        columns: [],
        constants: [],
      },
    };
  }
  const values = Float64Array.from(nodes, (id) => h.graph.constantValue(id));
  return { ...common, body: { template: { graph, roots: [graph.variable()] }, columns: [], constants: [values] } };
};

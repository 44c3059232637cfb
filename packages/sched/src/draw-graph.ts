import { edgesOf } from './graph/edges.js';
import type { Graph, Node } from './graph/graph.js';

/**
 * A graph as SVG: a row for each node, from the first to the last, with the kernels that it is made of; and an arc to it from each node
 * on which it depends, but for those that follow from others.
 */
export const drawGraph = (graph: Graph, title: string): string => {
  const rows = graph.nodes.slice(0, MOST);
  const edges = directEdges(edgesOf({ nodes: rows }));
  const height = TOP + rows.length * ROW + (rows.length < graph.nodes.length ? ROW : 0) + 8;
  const y = (n: number): number => TOP + n * ROW;
  const arcs = edges.flatMap((before, n) =>
    before.map((m) => {
      const out = LEFT - 8 - Math.min(LEFT - 16, 6 * (n - m));
      return `<path d="M${LEFT - 4} ${y(m) + 9}C${out} ${y(m) + 9} ${out} ${y(n) + 9} ${LEFT - 4} ${y(n) + 9}"/>`;
    }),
  );
  const boxes = rows.map((node, n) => {
    const kind = node.mayFail ? 'fails' : node.parallel ? 'loop' : 'serial';
    return `<g class="${kind}"><rect x="${LEFT}" y="${y(n)}" width="${WIDTH - LEFT - 4}" height="18" rx="3"/><text x="${LEFT + 6}" y="${y(n) + 13}">${escaped(labelOf(node))}</text></g>`;
  });
  const rest =
    rows.length < graph.nodes.length
      ? `<text x="${LEFT}" y="${y(rows.length) + 13}">… and ${graph.nodes.length - rows.length} more</text>`
      : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">` +
    `<style>path{fill:none;stroke:#999}.loop rect{fill:#d6e6f7}.serial rect{fill:#eee}.fails rect{fill:#f9dcd0}</style>` +
    `<text x="4" y="14" font-weight="bold">${escaped(title)}: ${graph.nodes.length} tasks</text>` +
    `${arcs.join('')}${boxes.join('')}${rest}</svg>`
  );
};

const TOP = 24;
const ROW = 22;
const LEFT = 90;
const WIDTH = 560;

/** Nodes beyond which a picture shows nothing more. */
const MOST = 200;

const labelOf = ({ parts }: Node): string => {
  const counts = new Map<string, number>();
  for (const { task } of parts) counts.set(task.kernel.name, (counts.get(task.kernel.name) ?? 0) + 1);
  const text = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(' + ');
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
};

/** Edges without those to a node on which another one before it depends anyway. */
const directEdges = (edges: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  edges.map((before) => before.filter((m) => !before.some((other) => other !== m && edges[other].includes(m))));

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

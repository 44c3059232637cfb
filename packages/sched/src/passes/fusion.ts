import { pass, type Pass } from '@filigree/ir';
import { edgesOf, keepsItsPlace } from '../graph/edges.js';
import { joined, type Graph, type Node } from '../graph/graph.js';
import { onceEach } from '../graph/once-each.js';
import { Reach } from '../graph/reach.js';

/**
 * Runs tasks as one where that cannot be seen (thesis §4.6.4): loops over one domain of which each iteration touches only what
 * the same iteration of the other touches, of what either writes; and serial stretches. There is no third task between them.
 */
export const fusion: Pass<Graph> = pass('fusion', (graph) => {
  const blocks: (readonly Node[])[] = [];
  for (let n = 0; n < graph.nodes.length; n += BLOCK) blocks.push(fused(graph.nodes.slice(n, n + BLOCK)));
  return blocks.every((b, k) => b.length === Math.min(BLOCK, graph.nodes.length - k * BLOCK))
    ? graph
    : { ...graph, nodes: blocks.flat() };
});

/** Tasks among which partners are looked for: what it costs grows with the square. */
const BLOCK = 256;

/** Most ops of a node: beyond that code grows faster than what is saved. */
const LARGEST = 4000;

const fused = (nodes: readonly Node[]): readonly Node[] => {
  const edges = edgesOf({ nodes });
  const reach = new Reach(nodes.length);
  /** The node that each one has become part of; itself, if it is the first there. */
  const home = nodes.map((_, n) => n);
  const now = [...nodes];
  const kinds = new Map<string, number[]>();
  nodes.forEach((node, n) => {
    reach.enter(
      n,
      edges[n].map((m) => home[m]),
    );
    const kind = kindOf(node);
    if (kind === undefined) return reach.stay(n);
    const candidates = kinds.get(kind) ?? [];
    kinds.set(kind, candidates);
    /* The earliest, so that the stages of programs that do the same to several fields one after the other meet stage by stage. */
    const partner = candidates.find((m) => mayJoin(now[m], node) && !reach.leadsAround(m, n));
    if (partner === undefined) {
      candidates.push(n);
      return reach.stay(n);
    }
    reach.join(partner, n);
    home[n] = partner;
    now[partner] = joined(now[partner], node);
  });
  if (home.every((m, n) => m === n)) return nodes;
  return sorted(now, home, edges);
};

/** What nodes must have in common. */
const kindOf = (node: Node): string | undefined => {
  if (keepsItsPlace(node)) return undefined;
  return node.parallel ? node.domain : '';
};

const mayJoin = (a: Node, b: Node): boolean =>
  a.size + b.size <= LARGEST && (!a.parallel || conflictsAreOwn(a.touches, b.touches));

const conflictsAreOwn = (a: Node['touches'], b: Node['touches']): boolean => {
  const answers = agreeing(a);
  let own = answers.get(b);
  if (own === undefined) answers.set(b, (own = conflictsOf(a, b)));
  return own;
};

/* Few kinds of tasks are compared many times. */
const agreeing = onceEach((_: Node['touches']) => new WeakMap<Node['touches'], boolean>());

const conflictsOf = (a: Node['touches'], b: Node['touches']): boolean => {
  for (const [state, second] of b) {
    const first = a.get(state);
    if (!first || (!first.writes && !second.writes)) continue;
    if (first.own === undefined || first.own !== second.own) return false;
  }
  return true;
};

/** The nodes that are left, in an order that keeps all edges; otherwise as they were. */
const sorted = (
  nodes: readonly Node[],
  home: readonly number[],
  edges: readonly (readonly number[])[],
): readonly Node[] => {
  const wanted = nodes.map((): number[] => []);
  edges.forEach((list, n) => {
    for (const m of list) if (home[m] !== home[n]) wanted[home[n]].push(home[m]);
  });
  const done = new Uint8Array(nodes.length);
  const order: Node[] = [];
  const visit = (n: number): void => {
    if (done[n] === 1) return;
    done[n] = 1;
    for (const m of wanted[n]) visit(m);
    order.push(nodes[n]);
  };
  nodes.forEach((_, n) => home[n] === n && visit(n));
  return order;
};

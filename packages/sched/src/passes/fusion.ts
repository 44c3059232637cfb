import { onceEach, pass, type Pass } from '@filigree/ir';
import {
  inStretches,
  iterationsIn,
  stretchesOf,
  type Iterations,
  type Stretches,
  type Task,
  type TaskSetting,
} from '@filigree/sparse/tasks';
import { edgesOf, keepsItsPlace } from '../graph/edges.js';
import { joined, nodeOf, type Graph, type Node } from '../graph/graph.js';
import { Reach } from '../graph/reach.js';

/**
 * Runs tasks as one where that cannot be seen (thesis §4.6.4): loops over one domain of which each iteration touches only what
 * the same iteration of the other touches, of what either writes; and serial stretches. There is no third task between them. A loop over the
 * elements of a state, or its rows, becomes one over stretches of them, where another has these for its iterations (`inStretches`).
 */
export const fusion = (setting: TaskSetting): Pass<Graph> =>
  pass('fusion', (graph) => {
    const blocks: (readonly Node[])[] = [];
    for (let n = 0; n < graph.nodes.length; n += BLOCK) blocks.push(fused(graph.nodes.slice(n, n + BLOCK), setting));
    return blocks.every((b, k) => b.length === Math.min(BLOCK, graph.nodes.length - k * BLOCK))
      ? graph
      : { ...graph, nodes: blocks.flat() };
  });

/** Tasks among which partners are looked for: what it costs grows with the square. */
const BLOCK = 256;

/** Most ops of a node: beyond that code grows faster than what is saved. */
const LARGEST = 4000;

const fused = (nodes: readonly Node[], setting: TaskSetting): readonly Node[] => {
  const edges = edgesOf({ nodes });
  const reach = new Reach(nodes.length);
  /** The node that each one has become part of; itself, if it is the first there. */
  const home = nodes.map((_, n) => n);
  const now = [...nodes];
  const kinds = new Map<string, number[]>();
  const candidatesOf = (kind: string): number[] => {
    const list = kinds.get(kind) ?? [];
    kinds.set(kind, list);
    return list;
  };
  const stretched = nodes.some((node) => stretchesBy(node.touches).size > 0);
  /* The earliest, so that the stages of programs that do the same to several fields one after the other meet stage by stage. */
  const partnerOf = (n: number, node: Node, kind: string): Pair | undefined => {
    const same = candidatesOf(kind).find((m) => mayJoin(now[m], node) && !reach.leadsAround(m, n));
    if (same !== undefined) return { partner: same, first: now[same], second: node };
    if (!stretched || !node.parallel) return undefined;
    for (const [other, list] of kinds)
      for (const m of other === kind || other === SERIAL ? [] : list) {
        const alike = now[m].parallel && !reach.leadsAround(m, n) ? alikeIn(now[m], node, setting) : undefined;
        if (alike && mayJoin(...alike)) return { partner: m, first: alike[0], second: alike[1] };
      }
    return undefined;
  };
  nodes.forEach((node, n) => {
    reach.enter(
      n,
      edges[n].map((m) => home[m]),
    );
    const kind = kindOf(node);
    if (kind === undefined) return reach.stay(n);
    const pair = partnerOf(n, node, kind);
    if (pair === undefined) {
      candidatesOf(kind).push(n);
      return reach.stay(n);
    }
    const { partner, first, second } = pair;
    reach.join(partner, n);
    home[n] = partner;
    const [before, after] = [kindOf(now[partner])!, kindOf(first)!];
    now[partner] = joined(first, second);
    if (before === after) return;
    kinds.set(
      before,
      candidatesOf(before).filter((m) => m !== partner),
    );
    candidatesOf(after).push(partner);
  });
  if (home.every((m, n) => m === n)) return nodes;
  return sorted(now, home, edges);
};

/** A node that another one joins, both as they then run. */
interface Pair {
  readonly partner: number;
  readonly first: Node;
  readonly second: Node;
}

/** Two loops as loops over one domain, if one is over stretches of what the other is over the elements of. */
const alikeIn = (a: Node, b: Node, setting: TaskSetting): readonly [Node, Node] | undefined => {
  const first = stretchedLike(a, b, setting);
  if (first) return [first, b];
  const second = stretchedLike(b, a, setting);
  return second && [a, second];
};

const stretchedLike = (node: Node, like: Node, setting: TaskSetting): Node | undefined => {
  const [{ task }] = like.parts;
  for (const [state, stretches] of stretchesBy(like.touches)) {
    const on = node.parts.find((part) => part.task.touches.has(state));
    const iterations = on && iterationsOf(on.task, state, stretches, setting);
    if (!iterations) continue;
    const parts = node.parts.map((part) => {
      const next = stretchedTask(part.task, task, iterations, setting);
      return next && { ...part, task: next };
    });
    if (parts.every((p) => p !== undefined)) return parts.map(nodeOf).reduce(joined);
  }
  return undefined;
};

/* Windows repeat, and so do their tasks. */
const iterationsOf = (
  task: Task,
  state: string,
  stretches: Stretches,
  setting: TaskSetting,
): Iterations | undefined => {
  const known = countedFor(task);
  const key = `${stretches.length} ${stretches.last} ${state}`;
  if (!known.has(key)) known.set(key, iterationsIn(task, state, stretches, setting));
  return known.get(key);
};

const countedFor = onceEach((_: Task) => new Map<string, Iterations | undefined>());

const stretchedTask = (task: Task, like: Task, iterations: Iterations, setting: TaskSetting): Task | undefined => {
  const known = likeOthers(task);
  const key = `${iterations.length} ${iterations.last} ${iterations.within} ${like.domain}`;
  if (!known.has(key)) known.set(key, inStretches(task, like, iterations, setting));
  return known.get(key);
};

const likeOthers = onceEach((_: Task) => new Map<string, Task | undefined>());

/** The states that iterations touch stretches of. */
const stretchesBy = onceEach((touches: Node['touches']): ReadonlyMap<string, Stretches> => {
  const all = new Map<string, Stretches>();
  for (const [state, touch] of touches) {
    const stretches = stretchesOf(touch);
    if (stretches) all.set(state, stretches);
  }
  return all;
});

const SERIAL = '';

/** What nodes must have in common. */
const kindOf = (node: Node): string | undefined => {
  if (keepsItsPlace(node)) return undefined;
  return node.parallel ? node.domain : SERIAL;
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

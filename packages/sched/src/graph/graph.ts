import type { Task, Touch } from '@filigree/sparse/tasks';
import type { Owners } from './owners.js';

/**
 * A state-flow graph (thesis §4.4.2): tasks in an order in which they may run. Its edges are not kept: they follow from the order and
 * from what tasks touch (`edgesOf`), and any other order that respects them has the same (reconstruction invariance).
 */
export interface Graph {
  readonly nodes: readonly Node[];
  /** What was known of the states before the first task. */
  readonly owners: Owners;
}

/** One or several tasks that run as one: loops over one domain, iteration by iteration, or serial stretches one after the other. */
export interface Node extends Pick<Task, 'domain' | 'touches' | 'mayFail' | 'size'> {
  readonly parts: readonly Part[];
  readonly parallel: boolean;
}

/** A task of a launch. */
export interface Part {
  /** The number of the launch in its window. */
  readonly launch: number;
  readonly task: Task;
}

/** The kernels of a window by their tasks, in the order of the launches. */
export interface Launch {
  readonly tasks: readonly Task[];
}

/** The graph of launches as they were made, with one node for each task. */
export const graphOf = (owners: Owners, launches: readonly Launch[]): Graph => ({
  owners,
  nodes: launches.flatMap(({ tasks }, launch) => tasks.map((task) => nodeOf({ launch, task }))),
});

/** A node of one task. */
export const nodeOf = (part: Part): Node => {
  const { domain, touches, mayFail, size, loop } = part.task;
  return { parts: [part], domain, touches, mayFail, size, parallel: loop !== undefined };
};

/** Two nodes as one, which does in each iteration what the first does there and then what the second does. */
export const joined = (a: Node, b: Node): Node => {
  const touches = new Map(a.touches);
  for (const [state, second] of b.touches) {
    const first = touches.get(state);
    touches.set(state, first ? both(first, second) : second);
  }
  const { domain, parallel } = a;
  return {
    parts: [...a.parts, ...b.parts],
    domain,
    parallel,
    touches,
    mayFail: a.mayFail || b.mayFail,
    size: a.size + b.size,
  };
};

/* What the first overwrote, the second may read. */
const both = (a: Touch, b: Touch): Touch => ({
  reads: a.reads || (b.reads && !a.overwrites),
  writes: a.writes || b.writes,
  overwrites: a.overwrites || (b.overwrites && !a.reads),
  removes: a.removes || b.removes,
  own: a.own === b.own ? a.own : undefined,
});

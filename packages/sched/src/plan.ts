import { checkOptions, pipeline, type Diagnostics, type Pass } from '@filigree/ir';
import type { Either } from 'fp-ts/lib/Either.js';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskSetting } from '@filigree/sparse/tasks';
import { graphOf, type Graph, type Launch } from './graph/graph.js';
import { ownersAfter, type Owners } from './graph/owners.js';
import { deadStores } from './passes/dead-stores.js';
import { planSpec, type GraphPass, type PlanOptions } from './options.js';
import { demotion } from './passes/demotion.js';
import { fusion } from './passes/fusion.js';
import { listRemoval } from './passes/list-removal.js';

/** What is done with the launches of a window. */
export interface Plan {
  /** As the launches were made. */
  readonly before: Graph;
  /** What is to run. */
  readonly graph: Graph;
  /** What is known of the states afterwards. */
  readonly owners: Owners;
  /** The graph after each pass. */
  readonly stages: readonly { readonly pass: string; readonly graph: Graph }[];
}

/** The passes on state-flow graphs by name, in the order in which they run (thesis §4.6). */
export const GRAPH_PASSES = {
  demotion,
  'list-removal': listRemoval,
  'dead-stores': deadStores,
  fusion,
} as const satisfies Readonly<Record<GraphPass, (setting: TaskSetting) => Pass<Graph>>>;

/**
 * Plans a window: the state-flow graph of its launches, optimised. The same tasks and owners give the same plan. Errors: what a pass
 * reports.
 *
 * @param owners what the window before left
 * @param setting what the tasks are of
 */
export const plan = (
  owners: Owners,
  launches: readonly Launch[],
  setting: TaskSetting,
  given?: PlanOptions,
): Either<Diagnostics, Plan> => {
  const { without = [] } = checkOptions<PlanOptions>('plan', given, planSpec);
  const before = graphOf(owners, launches);
  const stages: { readonly pass: string; readonly graph: Graph }[] = [];
  const passes = Object.entries(GRAPH_PASSES).flatMap(([name, make]) =>
    without.includes(name as GraphPass) ? [] : [make(setting)],
  );
  const run = pipeline<Graph>(passes, {
    onPass: (e) => stages.push({ pass: e.pass.name, graph: e.output }),
  }).run(before);
  return E.map((graph: Graph): Plan => ({ before, graph, stages, owners: graph.nodes.reduce(ownersAfter, owners) }))(
    run,
  );
};

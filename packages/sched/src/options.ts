import { option, type OptionSpec } from '@filigree/ir';

/** The names of the passes on state-flow graphs, in the order in which they run (thesis §4.6). */
export const graphPassNames = ['demotion', 'list-removal', 'dead-stores', 'fusion'] as const;

/** The name of a pass on state-flow graphs. */
export type GraphPass = (typeof graphPassNames)[number];

/** How a window is planned. */
export interface PlanOptions {
  /** Passes to leave out. */
  readonly without?: readonly GraphPass[];
}

/** What `plan` takes, for those that pass it on. */
export const planSpec: OptionSpec<PlanOptions> = { without: option.list(option.choice(...graphPassNames)) };

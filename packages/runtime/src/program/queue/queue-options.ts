import { option, optionsOf, type OptionSpec } from '@filigree/ir';
import { graphPassNames, planSpec, type GraphPass, type PlanOptions } from '@filigree/sched/options';

export { graphPassNames, type GraphPass };

/** How launches are queued. */
export interface QueueOptions extends PlanOptions {
  /** Launches that wait at most, about; fewer where a loop of the user's ends before. Default 128. */
  readonly window?: number;
  /**
   * Threads that lower and compile plans while launches go on, at most; 0: this thread does, when it waits for something. Default one fewer
   * than there are processors, from 1 to 4.
   */
  readonly workers?: number;
}

const queueSpec: OptionSpec<QueueOptions> = { ...planSpec, window: option.whole(1), workers: option.whole(0) };

/** What `program` takes as `queue`: `true`, `false`, or how. */
export const queueOption = option.or(true, option.or(false, optionsOf(queueSpec)));

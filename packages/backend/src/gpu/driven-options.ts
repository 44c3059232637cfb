import { type OptionSpec, option } from '@filigree/ir';
import { type GpuOptions, gpuSpec } from './backend.js';
import type { Timed } from './timed.js';

/** Options of a backend for a GPU that a foreign driver runs (`foreignDriver`). */
export interface DrivenOptions extends GpuOptions {
  /** Whether a list of launches that runs again as it was is begun as one graph; default false. The driver must know graphs. */
  readonly graphs?: boolean;
  /** Seconds that the host waits for kernels before it gives up on them; default for as long as it takes. */
  readonly limit?: number;
  /** Is told what each launch took on the device, when the run that it is part of is done. Launches are then no graph. */
  readonly timed?: Timed;
}

/** What these options take. */
export const drivenSpec: OptionSpec<DrivenOptions> = {
  ...gpuSpec,
  graphs: option.truth,
  limit: option.number(0),
  timed: option.callback,
};

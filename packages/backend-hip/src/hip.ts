import type { Backend } from '@filigree/backend';
import { type GpuOptions, gpuBackend, gpuSpec, probeGpu } from '@filigree/backend/gpu';
import { type OptionSpec, checkOptions, option } from '@filigree/ir';
import { compileHip, hipCompiler } from './compile/compile.js';
import { hipLanguage } from './emit/language.js';
import { hipDriver } from './load/driver.js';

/** How modules are written and compiled. */
export interface HipOptions extends GpuOptions {
  /** What code is made for: `gfx90a`; default `native`, the device of this machine. */
  readonly architecture?: string;
  /** Whether a list of launches that runs again as it was is begun as one graph; default false. The driver must know graphs. */
  readonly graphs?: boolean;
  /** Seconds that the host waits for kernels before it gives up on them; default for as long as it takes. */
  readonly limit?: number;
}

/**
 * The backend for AMD's GPUs. `emit` writes readable text without headers; `compile` runs hipcc; `load` runs kernels through the runtime of
 * HIP, in memory of the device.
 */
export const hip = (given?: HipOptions): Backend => {
  const { architecture = 'native', graphs = false, limit, ...options } = checkOptions('hip', given, hipSpec);
  const opened: { driver?: ReturnType<typeof hipDriver> } = {};
  const driver = (): ReturnType<typeof hipDriver> => (opened.driver ??= hipDriver({ limit }));
  return gpuBackend(
    hipLanguage,
    {
      compile: compileHip(architecture),
      driver,
      graphs,
      background: true,
      probe: () => probeGpu('hip', driver, () => hipCompiler(undefined)),
    },
    options,
  );
};

const hipSpec: OptionSpec<HipOptions> = {
  ...gpuSpec,
  architecture: option.text,
  graphs: option.truth,
  limit: option.number(0),
};

import type { Backend } from '@filigree/backend';
import { type DrivenOptions, drivenSpec, gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { type OptionSpec, checkOptions, option } from '@filigree/ir';
import { compileHip, hipCompiler } from './compile/compile.js';
import { hipLanguage, wavefront } from './emit/language.js';
import { hipDriver } from './load/driver.js';

/** How modules are written and compiled. */
export interface HipOptions extends DrivenOptions {
  /** What code is made for: `gfx90a`; default `native`, the device of this machine. */
  readonly architecture?: string;
}

/**
 * The backend for AMD's GPUs. `emit` writes readable text without headers; `compile` runs hipcc; `load` runs kernels through the runtime of
 * HIP, in memory of the device.
 */
export const hip = (given?: HipOptions): Backend => {
  const { architecture = 'native', graphs = false, limit, timed, ...options } = checkOptions('hip', given, hipSpec);
  const opened: { driver?: ReturnType<typeof hipDriver> } = {};
  const driver = (): ReturnType<typeof hipDriver> => (opened.driver ??= hipDriver({ limit }));
  return gpuBackend(
    { ...hipLanguage, warp: wavefront(architecture) },
    {
      compile: compileHip(architecture),
      driver,
      graphs,
      timed,
      background: true,
      probe: () => probeGpu('hip', driver, () => hipCompiler(undefined)),
    },
    options,
  );
};

const hipSpec: OptionSpec<HipOptions> = { ...drivenSpec, architecture: option.text };

import type { Backend } from '@filigree/backend';
import { type DrivenOptions, drivenSpec, gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { type OptionSpec, checkOptions, option } from '@filigree/ir';
import { compileCuda, cudaCompiler } from './compile/compile.js';
import { cudaLanguage } from './emit/language.js';
import { cudaDriver } from './load/driver.js';

/** How modules are written and compiled. */
export interface CudaOptions extends DrivenOptions {
  /** `sm_90` for code of that architecture, `compute_75` for code that drivers translate; default that of the device, else `compute_75`. */
  readonly architecture?: string;
}

/**
 * The backend for NVIDIA's GPUs. `emit` writes readable text without headers; `compile` runs nvcc or NVRTC; `load` runs kernels through the
 * driver, in memory of the device.
 */
export const cuda = (given?: CudaOptions): Backend => {
  const { architecture, graphs = false, limit, timed, ...options } = checkOptions('cuda', given, cudaSpec);
  const opened: { driver?: ReturnType<typeof cudaDriver> } = {};
  const driver = (): ReturnType<typeof cudaDriver> => (opened.driver ??= cudaDriver({ limit }));
  const architectureOf = async (): Promise<string> =>
    architecture ??
    driver().then(
      ({ device }) => device.architecture!,
      () => 'compute_75',
    );
  return gpuBackend(
    cudaLanguage,
    {
      compile: compileCuda(architectureOf),
      driver,
      graphs,
      timed,
      background: true,
      probe: () => probeGpu('cuda', driver, () => cudaCompiler(undefined)),
    },
    options,
  );
};

const cudaSpec: OptionSpec<CudaOptions> = { ...drivenSpec, architecture: option.text };

import type { Backend } from '@filigree/backend';
import { type GpuOptions, gpuBackend, gpuSpec, probeGpu } from '@filigree/backend/gpu';
import { type OptionSpec, checkOptions, option } from '@filigree/ir';
import { compileCuda, cudaCompiler } from './compile/compile.js';
import { cudaLanguage } from './emit/language.js';
import { cudaDriver } from './load/driver.js';

/** How modules are written and compiled. */
export interface CudaOptions extends GpuOptions {
  /** `sm_90` for code of that architecture, `compute_75` for code that drivers translate; default that of the device, else `compute_75`. */
  readonly architecture?: string;
  /** Whether a list of launches that runs again as it was is begun as one graph; default false. The driver must know graphs. */
  readonly graphs?: boolean;
  /** Seconds that the host waits for kernels before it gives up on them; default for as long as it takes. */
  readonly limit?: number;
}

/**
 * The backend for NVIDIA's GPUs. `emit` writes readable text without headers; `compile` runs nvcc or NVRTC; `load` runs kernels through the
 * driver, in memory of the device.
 */
export const cuda = (given?: CudaOptions): Backend => {
  const { architecture, graphs = false, limit, ...options } = checkOptions('cuda', given, cudaSpec);
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
      background: true,
      probe: () => probeGpu('cuda', driver, () => cudaCompiler(undefined)),
    },
    options,
  );
};

const cudaSpec: OptionSpec<CudaOptions> = {
  ...gpuSpec,
  architecture: option.text,
  graphs: option.truth,
  limit: option.number(0),
};

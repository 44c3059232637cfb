import type { Backend } from '@filigree/backend';
import { type DrivenOptions, drivenSpec, gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { checkOptions } from '@filigree/ir';
import { compileMetal } from './compile/compile.js';
import { metalCompiler } from './compile/compiler.js';
import { metalLanguage } from './emit/language.js';
import { metalDriver } from './load/driver.js';

/** How modules are written and run. */
export type MetalOptions = DrivenOptions;

/**
 * The backend for Apple's GPUs. `emit` writes readable Metal and refuses what Metal lacks: `double`, and atomics of other than 32 bits; `compile`
 * runs Xcode's compiler, or leaves the text to macOS; `load` runs kernels on a Mac, in memory that the host sees.
 */
export const metal = (given?: MetalOptions): Backend => {
  const { graphs = false, limit, timed, ...options } = checkOptions('metal', given, drivenSpec);
  const opened: { driver?: ReturnType<typeof metalDriver> } = {};
  const driver = (): ReturnType<typeof metalDriver> => (opened.driver ??= metalDriver({ limit }));
  return gpuBackend(
    metalLanguage,
    {
      compile: compileMetal,
      driver,
      graphs,
      timed,
      background: true,
      probe: () =>
        probeGpu('metal', driver, async () => (await metalCompiler()) ?? { version: "macOS's own compiler" }),
    },
    options,
  );
};

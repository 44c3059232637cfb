import type { Backend } from '@filigree/backend';
import { type DrivenOptions, drivenSpec, gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { type OptionSpec, checkOptions, option } from '@filigree/ir';
import { compileMetal } from './compile/compile.js';
import { metalCompiler } from './compile/compiler.js';
import { metalInPairs, metalLanguage } from './emit/language.js';
import { metalDriver } from './load/driver.js';

/** How modules are written and run. */
export interface MetalOptions extends DrivenOptions {
  /**
   * What becomes of doubles: refused (`'refused'`, the default), or pairs of `float` in registers (`'pairs'`): 48 bits of 53, and the exponents of a single; in memory they are doubles.
   * As arguments, and in anything but sums, differences, products, quotients and comparisons they are refused all the same (`pairs/op`).
   */
  readonly doubles?: 'refused' | 'pairs';
}

const spec: OptionSpec<MetalOptions> = { ...drivenSpec, doubles: option.choice('refused', 'pairs') };

/**
 * The backend for Apple's GPUs. `emit` writes readable Metal and refuses what Metal lacks: `double`, and atomics of 64 bits; `compile`
 * runs Xcode's compiler, or leaves the text to macOS; `load` runs kernels on a Mac, in memory that the host sees.
 */
export const metal = (given?: MetalOptions): Backend => {
  const { graphs = false, limit, timed, doubles, ...options } = checkOptions('metal', given, spec);
  const opened: { driver?: ReturnType<typeof metalDriver> } = {};
  const driver = (): ReturnType<typeof metalDriver> => (opened.driver ??= metalDriver({ limit }));
  return gpuBackend(
    doubles === 'pairs' ? metalInPairs : metalLanguage,
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

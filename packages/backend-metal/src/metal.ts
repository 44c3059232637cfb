import type { Backend } from '@filigree/backend';
import { type GpuOptions, gpuBackend } from '@filigree/backend/gpu';
import { metalLanguage } from './emit/language.js';

/**
 * The backend for Apple's GPUs. It emits readable Metal and refuses what Metal lacks: `double`, and atomics of other than 32 bits. It does not
 * compile or run it.
 */
export const metal = (options?: GpuOptions): Backend =>
  gpuBackend(
    metalLanguage,
    {
      probe: () =>
        Promise.resolve({
          name: 'metal',
          usable: false,
          reason: 'this version writes Metal and does not run it: --emit writes the sources',
          toolchain: '',
        }),
    },
    options,
  );

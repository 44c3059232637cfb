import type { Memory } from '@filigree/backend/device';
import { checkOptions, option, type OptionSpec, orThrow } from '@filigree/ir';
import { openMemory as openFor } from '@filigree/runtime';
import { backendSpec, resolveBackend, type BackendOptions } from './backends.js';

/** What a memory is for. */
export interface OpenMemoryOptions extends BackendOptions {
  /** Bytes that it has at the least. It grows, but for WebAssembly without shared memory; there the default is 64 MiB. */
  readonly bytes?: number;
}

/**
 * A memory for several programs of a backend. Those made with it, `compile(f, { memory })`, can be bound to buffers of each other, so that
 * an output of one is an input of another without a copy. Errors: `runtime/backend`, `memory/backend`, `load/memory`.
 */
export const openMemory = async (given?: OpenMemoryOptions): Promise<Memory> => {
  const { backend, fallback, extensions, ...options } = checkOptions('openMemory', given, openMemorySpec);
  return orThrow(await openFor(await resolveBackend(backend, extensions, fallback), options)());
};

const openMemorySpec: OptionSpec<OpenMemoryOptions> = {
  ...backendSpec,
  bytes: option.number(0),
};

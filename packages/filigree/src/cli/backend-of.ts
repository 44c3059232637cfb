import type { Backend } from '@filigree/backend';
import { fail } from '@filigree/ir';
import type { Progress } from './progress.js';

/** Targets that the command line knows and this version cannot run, with the reason. */
export const ABSENT: Readonly<Record<string, string>> = {
  cuda: 'this version has no CUDA backend',
  hip: 'this version has no HIP backend',
  metal: 'this version has no Metal backend',
};

/** The backend that `--backend` names, or the first that works. Errors: `runtime/backend`. */
export const backendOf = async (name: string | undefined, progress: Progress): Promise<Backend> => {
  if (name !== undefined && Object.hasOwn(ABSENT, name))
    fail('runtime/backend', ABSENT[name], { remedy: 'use cpp or wasm; `filigree devices` tells which work here' });
  const { resolveBackend } = await import('../api/backends.js');
  progress.listen();
  try {
    return await resolveBackend(name);
  } finally {
    progress.unlisten();
  }
};

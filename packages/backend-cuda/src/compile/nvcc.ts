import { join } from 'node:path';
import { hasCompiled, locate, runProcess } from '@filigree/backend/native';
import { fail } from '@filigree/ir';
import type { CudaCompiler } from './compiler.js';

/** NVIDIA's compiler at a path. Error: `toolchain/unusable` where it does not answer. */
export const nvcc = async (command: string, source: string): Promise<CudaCompiler> => {
  const path =
    (await locate(command, process.env['PATH'] ?? '')) ??
    fail('toolchain/unusable', `${source} names '${command}', which does not exist or cannot be run`, {
      remedy: 'name a working nvcc, or unset it',
    });
  const asked = await runProcess(path, ['--version'], { limitMs: 20_000 });
  const version = /release [\d.]+, (V[\d.]+)/.exec(asked.stdout)?.[1];
  if (version === undefined)
    fail('toolchain/unusable', `${source} names '${command}', which does not say what version of nvcc it is`, {
      remedy: 'name a working nvcc, or unset it',
    });
  return {
    version: `nvcc ${version}`,
    compile: async ({ folder, file, into, architecture, flags, limitMs }) => {
      const kind = architecture.startsWith('compute_') ? '-ptx' : '-cubin';
      const done = await runProcess(path, [kind, `-arch=${architecture}`, ...flags, file, '-o', into], {
        cwd: folder,
        env: { ...process.env, TMPDIR: folder },
        limitMs,
      });
      hasCompiled(done, { space: 'cuda', path, limitMs });
      return join(folder, into);
    },
  };
};

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { gunzipSync } from 'node:zlib';
import * as E from 'fp-ts/lib/Either.js';
import { watched } from '@filigree/backend';
import { instructionSet } from '@filigree/backend/native';
import { cpp, emitFunctions, isNative, libxsmm, type CppFunctions } from '@filigree/backend-cpp';
import { cuda } from '@filigree/backend-cuda';
import { hip } from '@filigree/backend-hip';
import { metal } from '@filigree/backend-metal';
import { wasm } from '@filigree/backend-wasm';
import { fail } from '@filigree/ir';
import { gemmTargets, linalg } from '@filigree/tensor/linalg';
import { unpack } from './gzip.js';
import type { Platform } from './platform.js';
import { writeBytes } from './write-bytes.js';

/** Node: every backend, files on disk. */
export const platform = {
  backends: {
    cpp: (options) => cpp(options),
    wasm: (options) => wasm(options),
    cuda: (options) => cuda(options),
    hip: (options) => hip(options),
    metal: (options) => metal(options),
  },
  /* What a container may have is less than what the machine has; where nothing is set, it is said to be 0 or beyond all memory. */
  memoryBytes: () => {
    const constrained = process.constrainedMemory();
    return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  },
  readBytes: async (path) => {
    try {
      return unpack(await readFile(path), path, gunzipSync);
    } catch (e) {
      return refuse(path, e);
    }
  },
  readBytesSync: (path) => {
    try {
      return unpack(readFileSync(path), path, gunzipSync);
    } catch (e) {
      return refuse(path, e);
    }
  },
  gunzip: (bytes, name) => unpack(bytes, name, gunzipSync),
  writeBytes,
  machineTarget: () => {
    const { name } = instructionSet();
    return name === 'plain' ? gemmTargets.simd128 : gemmTargets[name];
  },
  withLibxsmm: (backend, target) => {
    if (!isNative(backend))
      return fail('tensor/gemm', `the backend ${backend.name} cannot call LIBXSMM`, {
        remedy: "give backend: 'cpp', or leave gemm out",
      });
    const plugin = libxsmm();
    const linked = backend.with({
      vectorBytes: target.vectorBytes,
      plugins: [plugin],
      extensions: [{ name: 'linalg', dialects: [linalg] }],
    });
    return { backend: watched(linked, backend.watch), keep: plugin.takes };
  },
  cppEmitter: ({ vectorBytes }) => {
    const backend = cpp({ vectorBytes });
    return (module) => {
      const legal = backend.legalize.run(module);
      if (E.isLeft(legal)) return legal;
      return E.map(({ text, kernels }: CppFunctions) => ({ text, ...kernels[0]! }))(emitFunctions(legal.right));
    };
  },
} as const satisfies Platform;

const refuse = (path: string, e: unknown): never => {
  const code = (e as NodeJS.ErrnoException).code;
  if (code === undefined) throw e;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('file/missing', `there is no file '${path}'`, {
      remedy: 'check the path; it is relative to the current folder',
    });
  if (code === 'EISDIR') return fail('file/folder', `'${path}' is a folder`, { remedy: 'name a file' });
  return fail('file/unreadable', `'${path}' cannot be read (${code})`, { remedy: 'check its permissions and size' });
};

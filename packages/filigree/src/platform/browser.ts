import { wasm } from '@filigree/backend-wasm';
import { fail } from '@filigree/ir';
import { gemmTargets } from '@filigree/tensor/linalg';
import { fetched } from './fetched.js';
import { brokenGzip, isGzip } from './gzip.js';
import type { Platform } from './platform.js';

/** A page or a worker of a browser: WebAssembly, and files that are fetched. */
export const platform = {
  backends: { wasm: (options) => wasm(options) },
  /* Browsers say at most 8 GiB, some say nothing; WebAssembly addresses 4. */
  memoryBytes: () =>
    2 ** 30 * Math.min(4, (globalThis as { navigator?: { deviceMemory?: number } }).navigator?.deviceMemory ?? 4),
  readBytes: async (path) => {
    const bytes = await fetched(path);
    return isGzip(bytes) ? unpacked(bytes, path) : bytes;
  },
  readBytesSync: (path) =>
    fail('file/unreadable', `'${path}' cannot be read at once in a browser`, { remedy: 'await readBytes(url)' }),
  gunzip: (bytes, name) =>
    isGzip(bytes)
      ? fail('file/gzip', `'${name}' is packed by gzip, which a browser does not unpack at once`, {
          remedy: 'await readMatrixFile(url) or readBytes(url), which unpack; of a Blob: URL.createObjectURL(blob)',
        })
      : bytes,
  writeBytes: (path) => onlyNode(`'${path}' cannot be written`, 'take the bytes, and offer them as a download'),
  machineTarget: () => gemmTargets.simd128,
  withLibxsmm: ({ name }) =>
    fail('tensor/gemm', `the backend ${name} cannot call LIBXSMM`, { remedy: 'leave gemm out' }),
  cppEmitter: () => onlyNode('a project in C++ cannot be written', 'write it with Node'),
} as const satisfies Platform;

const onlyNode = (what: string, remedy: string): never => fail('platform/node', `${what} in a browser`, { remedy });

const unpacked = async (bytes: Uint8Array, name: string): Promise<Uint8Array> => {
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (e) {
    return brokenGzip(name, e);
  }
};

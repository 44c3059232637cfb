import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstLines } from '@filigree/backend/native';
import { fail } from '@filigree/ir';
import type { CudaCompiler } from './compiler.js';

/** NVIDIA's compiler as a library, which needs no other compiler. Undefined where it is not on this machine. */
export const nvrtc = async (path: string | undefined): Promise<CudaCompiler | undefined> => {
  const { default: ffi } = await import('koffi');
  const opened = (path === undefined ? libraries : [path]).map((file) => {
    try {
      return ffi.load(file);
    } catch {
      return undefined;
    }
  });
  const library = opened.find((l) => l !== undefined);
  if (library === undefined) return undefined;
  const call = (name: string, types: readonly string[]): ((...args: unknown[]) => number) =>
    library.func(name, 'int', [...types]) as unknown as (...args: unknown[]) => number;
  const numbers = new Int32Array(2);
  call('nvrtcVersion', ['void *', 'void *'])(numbers.subarray(0, 1), numbers.subarray(1));
  const bytesOf = (what: string, program: bigint): Uint8Array => {
    const size = new BigUint64Array(1);
    call(`nvrtcGet${what}Size`, ['uint64_t', 'void *'])(program, size);
    const bytes = new Uint8Array(Number(size[0]));
    if (bytes.length > 0) call(`nvrtcGet${what}`, ['uint64_t', 'void *'])(program, bytes);
    return bytes;
  };
  return {
    version: `NVRTC ${numbers[0]}.${numbers[1]}`,
    compile: async ({ folder, file, into, architecture, flags }) => {
      const text = await readFile(join(folder, file), 'utf8');
      const handle = new BigUint64Array(1);
      call('nvrtcCreateProgram', ['void *', 'str', 'str', 'int', 'void *', 'void *'])(
        handle,
        text,
        file,
        0,
        null,
        null,
      );
      const program = handle[0]!;
      const options = [`-arch=${architecture}`, '--std=c++17', ...flags];
      const status = await new Promise<number>((resolve, reject) => {
        library
          .func('nvrtcCompileProgram', 'int', ['uint64_t', 'int', 'const char **'])
          .async(program, options.length, options, (e: unknown, result: number) =>
            e ? reject(e as Error) : resolve(result),
          );
      });
      try {
        if (status !== 0)
          fail(
            'cuda/compile',
            `NVRTC failed with ${status}:\n${firstLines(new TextDecoder().decode(bytesOf('ProgramLog', program)))}`,
            {
              remedy:
                'if the flags are yours, check them; otherwise this is a defect of the emitter: please report it with the sources',
            },
          );
        const made = join(folder, into);
        await writeFile(made, bytesOf(architecture.startsWith('compute_') ? 'PTX' : 'CUBIN', program));
        return made;
      } finally {
        call('nvrtcDestroyProgram', ['void *'])(handle);
      }
    },
  };
};

const libraries = [13, 12].flatMap((v) => [`libnvrtc.so.${v}`, `nvrtc64_${v}0_0.dll`]).concat('libnvrtc.so');

import { fail } from '@filigree/ir';

/** Which assembler, for the hash of what it makes. */
export const assembler = 'wabt 1.0.39';

/**
 * WebAssembly text to bytes. The assembler is loaded when it is first needed. Errors: `wasm/assembler` where it is not
 * installed, `wasm/text` for text it refuses.
 */
export const assemble = async (text: string): Promise<Uint8Array> => {
  const wabt = await (loading.current ??= loadAssembler());
  try {
    const module = wabt.parseWat('kernels.wat', text, features);
    try {
      return module.toBinary({ write_debug_names: false }).buffer;
    } finally {
      module.destroy();
    }
  } catch (e) {
    return fail(
      'wasm/text',
      `the WebAssembly text cannot be assembled: ${e instanceof Error ? e.message : String(e)}`,
      {
        remedy: 'pass the sources that emit made, unchanged',
      },
    );
  }
};

type Wabt = Awaited<ReturnType<typeof import('wabt')>>;

const features = { simd: true, threads: true, bulk_memory: true, sat_float_to_int: true, sign_extension: true };

const loading: { current?: Promise<Wabt> } = {};

const loadAssembler = async (): Promise<Wabt> => {
  try {
    return await (await import('wabt')).default();
  } catch (e) {
    delete loading.current;
    return fail('wasm/assembler', `the assembler wabt does not load: ${e instanceof Error ? e.message : String(e)}`, {
      remedy: 'install @filigree/backend-wasm again with its dependencies',
    });
  }
};

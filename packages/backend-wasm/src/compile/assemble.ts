import { fail } from '@filigree/ir';
import { assembleModule } from './assembler/module.js';
import { TextProblem } from './assembler/tokens.js';

/** Which assembler, for the hash of what it makes. */
export const assembler = 'filigree 1';

/** WebAssembly text, as `emit` writes it, to bytes. Error: `wasm/text` for text it refuses. */
export const assemble = (text: string): Uint8Array => {
  try {
    return assembleModule(text);
  } catch (e) {
    if (!(e instanceof TextProblem)) throw e;
    return fail('wasm/text', `the WebAssembly text cannot be assembled: ${e.message}`, {
      remedy: 'pass the sources that emit made, unchanged',
    });
  }
};

import { fail } from '@filigree/ir';
import type { Parse } from '../parse.js';

let loaded: Parse | undefined;

/** The parser of kernels, in pages: builds parse the kernels that they see, so that most pages never load it. */
export const parseKernel: Parse = (text) =>
  (
    loaded ??
    fail('lang/parser', 'a kernel has a function that no build has seen, and the parser is not loaded', {
      remedy:
        'await loadParser() of @filigree/lang/kernels first, which program() does by itself, or use the build plugin',
    })
  )(text);

/** Loads the parser of kernels, where it is not there. */
export const loadParser = async (): Promise<void> => {
  loaded = (await import('./acorn.js')).byAcorn;
};

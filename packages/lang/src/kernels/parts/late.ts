import { fail } from '@filigree/ir';
import type { Parse } from '../../source/parse.js';

let loaded: typeof import('./parts.js') | undefined;

const parts = (): typeof import('./parts.js') =>
  loaded ??
  fail('lang/not-loaded', 'a kernel has a function that no build has seen, for which more is to be loaded', {
    remedy:
      'await loadFrontEnd() of @filigree/lang/kernels before, which program() does by itself, or use the build plugin',
  });

/** The parser of kernels, in pages: builds parse what they see, so that most pages never load it. */
export const parseKernel: Parse = (text) => parts().parse(text);

/** How the author of a text spelled it, and where it stands: of texts that builds keep this is known. */
export const asWritten: typeof import('./parts.js').asWritten = (...given) => parts().asWritten(...given);
export const isSettled: typeof import('./parts.js').isSettled = (text) => parts().isSettled(text);
export const originalOf: typeof import('./parts.js').originalOf =
  (...given) =>
  () =>
    parts().originalOf(...given)();

/**
 * What a name means among the words of the language that are functions in it, of those that the page imports: a bundler that parts a page into
 * files would load them all at once if they were named here.
 */
export { libraryFunctionOf as libraryWord } from '../vocabulary/inline.js';

/** Loads what kernels may need of the front end, where it is not there. */
export const loadFrontEnd = async (): Promise<void> => {
  loaded = await import('./parts.js');
};

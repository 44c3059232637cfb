import { checkOptions, option, type Module, type OptionSpec, type Pass, type PassRegistry } from '@filigree/ir';
import type { LowerFieldsOptions, Storage } from '@filigree/sparse/fields';
import { fuseStores } from './fuse-stores.js';
import { ownWords } from './own-words.js';
import { wholeWords } from './whole-words.js';
import { vectorizeBits } from './words/vectorize-bits.js';

/** Optimisations of quantised fields; each is on by default. */
export interface QuantOptions {
  /** One store for several fields of a word. */
  readonly fuse?: boolean;
  /** No loop on `mem.cas` where no other thread can write the word. */
  readonly own?: boolean;
  /** Loops over the elements of bit arrays as loops over words. */
  readonly words?: boolean;
}

/** The passes of this package where `lowerFields` takes them. */
export const quantPasses = (
  storage: Storage,
  options?: QuantOptions,
): Required<Pick<LowerFieldsOptions, 'onFields' | 'onCells'>> => {
  const { fuse = true, own = true, words = true } = checkOptions<QuantOptions>('quantPasses', options, quantSpec);
  if (!storage.layout.nodes.some((n) => n.stored)) return { onFields: [], onCells: [] };
  return {
    onFields: [...(words ? [vectorizeBits(storage.layout)] : []), ...(own ? [ownWords(storage.layout)] : [])],
    onCells: [...(fuse ? [fuseStores(storage)] : []), ...(own ? [wholeWords(storage)] : [])],
  };
};

/** What `quantPasses` takes, for those that pass it on. */
export const quantSpec: OptionSpec<QuantOptions> = { fuse: option.truth, own: option.truth, words: option.truth };

/** The same by the names that `parsePipeline` reads. */
export const quantPassesByName = (storage: Storage): PassRegistry<Module> => ({
  'vectorize-bits': without(vectorizeBits(storage.layout)),
  'own-words': without(ownWords(storage.layout)),
  'fuse-stores': without(fuseStores(storage)),
  'whole-words': without(wholeWords(storage)),
});

/** A pass that takes no options. */
const without =
  (pass: Pass<Module>): PassRegistry<Module>[string] =>
  (options) => {
    checkOptions(`pass '${pass.name}'`, options, {});
    return pass;
  };

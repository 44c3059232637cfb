import { checkOptions, type Module, type Pass, type PassRegistry } from '@filigree/ir';
import type { Storage } from '@filigree/sparse/fields';
import type { LowerFieldsOptions } from '@filigree/sparse/lowering';
import { quantSpec, type QuantOptions } from '../options.js';
import { fuseStores } from './fuse-stores.js';
import { wholeWords } from './whole-words.js';
import { vectorizeBits } from './words/vectorize-bits.js';

/** The passes of this package where `lowerFields` takes them. */
export const quantPasses = (
  storage: Storage,
  options?: QuantOptions,
): Required<Pick<LowerFieldsOptions, 'onFields' | 'onCells'>> => {
  const { fuse = true, own = true, words = true } = checkOptions<QuantOptions>('quantPasses', options, quantSpec);
  if (!storage.layout.nodes.some((n) => n.stored)) return { onFields: [], onCells: [] };
  return {
    onFields: words ? [vectorizeBits(storage.layout)] : [],
    onCells: [...(fuse ? [fuseStores(storage)] : []), ...(own ? [wholeWords(storage)] : [])],
  };
};

/** The same by the names that `parsePipeline` reads. */
export const quantPassesByName = (storage: Storage): PassRegistry<Module> => ({
  'vectorize-bits': without(vectorizeBits(storage.layout)),
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

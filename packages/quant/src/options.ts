import { option, type OptionSpec } from '@filigree/ir';

/** Optimisations of quantised fields; each is on by default. */
export interface QuantOptions {
  /** One store for several fields of a word. */
  readonly fuse?: boolean;
  /** No loop on `mem.cas` where no other thread can write the word. */
  readonly own?: boolean;
  /** Loops over the elements of bit arrays as loops over words. */
  readonly words?: boolean;
}

/** What `quantPasses` takes, for those that pass it on. */
export const quantSpec: OptionSpec<QuantOptions> = { fuse: option.truth, own: option.truth, words: option.truth };

import { option, type OptionSpec } from '@filigree/ir';

/** Optimisations of quantised fields; each is on by default. */
export interface QuantOptions {
  /** One store for several fields of a word. */
  readonly fuse?: boolean;
  /** A store, without a load before it, of what is all of a word. */
  readonly own?: boolean;
  /** Loops over the elements of bit arrays as loops over words. */
  readonly words?: boolean;
}

/** What `quantPasses` takes, for those that pass it on. */
export const quantSpec: OptionSpec<QuantOptions> = { fuse: option.truth, own: option.truth, words: option.truth };

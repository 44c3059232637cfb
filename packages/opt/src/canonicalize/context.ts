import type { Buffers, FoldContext } from '@filigree/ir';
import type { Facts } from '../support/facts.js';

/** What `canonicalize` sees at the place of an op: more than the folds of ops do. */
export interface CanonicalizeContext extends FoldContext {
  readonly facts: Facts;
  readonly buffers: Buffers;
}

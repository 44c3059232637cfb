import * as E from 'fp-ts/lib/Either.js';
import { orThrow, type Diagnostics, type Module } from '@filigree/ir';
import { isGone } from '../instantiate.js';
import type { BankEntry, Kept } from './banked.js';

/** Makes something with what was kept, and where that has lost its artifact without. */
export const withKept = async <A>(
  entry: BankEntry | undefined,
  lower: () => Module,
  make: (kept: Kept | undefined) => Promise<E.Either<Diagnostics, A>>,
): Promise<A> => {
  const kept = entry?.read(lower);
  const made = kept && (await make(kept));
  return orThrow(made === undefined || (E.isLeft(made) && isGone(made.left)) ? await make(undefined) : made);
};

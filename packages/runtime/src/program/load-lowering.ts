import * as E from 'fp-ts/lib/Either.js';
import type { Diagnostics, Module } from '@filigree/ir';
import { loadRarePasses } from '@filigree/opt';
import { loadLowering } from '@filigree/sparse/lowering';

/**
 * Lowers, and again with all of the lowering where something was missing: pages have what allocates cells and keeps scratchpads, and what few targets
 * need, only if some kernel does.
 */
export const withLowering = async (
  lower: () => Promise<E.Either<Diagnostics, Module>>,
): Promise<E.Either<Diagnostics, Module>> => {
  const first = await lower();
  if (E.isRight(first) || !first.left.some(({ code }) => NOT_LOADED.has(code))) return first;
  await loadAllLowering();
  return lower();
};

/** Loads all that lowering may need. */
export const loadAllLowering = async (): Promise<void> => {
  await Promise.all([loadLowering(), loadRarePasses()]);
};

const NOT_LOADED: ReadonlySet<string> = new Set(['fields/not-loaded', 'opt/not-loaded']);

import { DiagnosticError } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';
import { STATUS, STATUS_WORDS, type Site } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import type { statusDiagnostic } from './status-diagnostic.js';

/** Where something may go wrong, by the numbers that kernels report, and how it is said. */
export interface Reports {
  readonly sites: readonly Site[];
  readonly said: typeof statusDiagnostic;
}

/** Throws what a kernel left in the status words, if anything, and clears them. */
export const checkStatus = (arena: Arena, { sites, said }: Reports, kernel: string, shown?: Shown): void => {
  const { words, storage } = arena;
  const at = storage.status / 4;
  arena.mirrored?.lookAtStatus();
  if (words[at] === STATUS.fine) return;
  const status = words.slice(at, at + STATUS_WORDS);
  clearStatus(arena);
  const site = sites[status[1]] as Site | undefined;
  throw new DiagnosticError([{ ...said(arena, site, kernel, status), ...(site?.loc && shown?.(site.loc)) }]);
};

/** Forgets what a kernel reported. */
export const clearStatus = ({ words, storage, mirrored }: Arena): void => {
  mirrored?.changeStatus();
  words.fill(0, storage.status / 4, storage.status / 4 + STATUS_WORDS);
};

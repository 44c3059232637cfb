import type { Backend } from '@filigree/backend';
import { coreDialects, type Diagnostics } from '@filigree/ir';
import { notesOnThreads, type Instance } from '@filigree/runtime';

/** What compiling noted, and what options do nothing. @param what the caller's word for what is too little to divide among threads */
export const warningsOf = (
  { artifact, module }: Instance,
  {
    threads,
    backend,
    what,
  }: { readonly threads: number | undefined; readonly backend: Backend; readonly what: string },
): Diagnostics => [
  ...(artifact.warnings ?? []),
  ...notesOnThreads(module, { threads, backend, dialects: coreDialects, remedy: `${what} is too little to divide` }),
];

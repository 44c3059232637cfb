import type { Backend } from '@filigree/backend';
import { controlBy, opTable, walk, type Diagnostics, type Dialect, type Loc, type Module } from '@filigree/ir';

/** How many threads were asked for, and of what. */
export interface AskedThreads {
  readonly threads: number | undefined;
  readonly backend: Pick<Backend, 'capabilities'>;
  readonly dialects: readonly Dialect[];
  /** What would be divided among them. */
  readonly remedy: string;
}

/** Says that several threads were asked for and no kernel has a loop for them: `threads/serial`, where the first of them begins. */
export const notesOnThreads = (
  { kernels }: Pick<Module, 'kernels'>,
  { threads = 1, backend, dialects, remedy }: AskedThreads,
): Diagnostics => {
  if (threads <= 1 || !backend.capabilities.threads || kernels.length === 0) return [];
  const controlOf = controlBy(opTable(dialects));
  let found = false;
  let loc: Loc | undefined;
  for (const { body } of kernels)
    walk(body, (op) => {
      found ||= controlOf(op)?.parallel === true;
      loc ??= op.loc;
    });
  if (found) return [];
  return [
    {
      severity: 'note',
      code: 'threads/serial',
      message: 'threads are asked for, and no kernel has a loop that is divided among them: one thread runs all',
      remedy: `leave out threads; ${remedy}`,
      ...(loc && { loc }),
    },
  ];
};

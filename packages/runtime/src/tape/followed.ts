import type { Flat } from './recorder.js';

/**
 * Which launches and steps of the host run backwards, in their order: those that write what a loss may follow from. Steps of the host always do, and may set
 * any adjoint of what they touch.
 *
 * What the loss is computed from may lie in fields without adjoints in between: who writes these gives them nothing that has a derivative, else it has no adjoint itself, and that is thrown.
 *
 * @param fieldsOf what a kernel writes, or may, what its adjoint adds to, and what it reads of floats that have no adjoints
 */
export const followed = (
  entries: readonly Flat[],
  loss: string,
  fieldsOf: (kernel: string) => {
    readonly writes: readonly string[];
    readonly reads: () => readonly string[];
    readonly plain: readonly string[];
  },
): readonly boolean[] => {
  const wanted = new Set([loss]);
  const plainlyRead = new Set<string>();
  const runs = new Array<boolean>(entries.length);
  for (let n = entries.length - 1; n >= 0; n--) {
    const entry = entries[n];
    const isHost = !('kernel' in entry);
    const { writes, reads, plain } = isHost
      ? { ...entry, reads: () => entry.reads, plain: entry.reads }
      : fieldsOf(entry.kernel);
    runs[n] = isHost || writes.some((f) => wanted.has(f));
    if (!runs[n] && !writes.some((f) => plainlyRead.has(f))) continue;
    const found = reads();
    for (const f of plain) plainlyRead.add(f);
    if (runs[n]) for (const f of isHost ? [...found, ...writes] : found) wanted.add(f);
  }
  return runs;
};

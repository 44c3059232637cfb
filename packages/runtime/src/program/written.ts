import { coreDialects, opTable, walk, type Kernel } from '@filigree/ir';

/** Names of the buffers that a lowered kernel writes. */
export const buffersWritten = (kernel: Kernel): ReadonlySet<string> => {
  const table = opTable(coreDialects);
  const names = new Set<string>();
  walk(kernel.body, (op) => {
    for (const { kind, buffer } of table.get(op.name)?.effects(op) ?? [])
      if ((kind === 'write' || kind === 'atomic') && buffer !== undefined) names.add(buffer);
  });
  return names;
};

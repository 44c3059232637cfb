import type { Dialect, OpDef } from '@filigree/ir';
import { arenaName, type Storage } from '../../storage/storage.js';
import { structureName } from '../field-dialect.js';

/**
 * A dialect whose ops say, where they change which cells there are, that they write the words of the arena as well: loops have
 * been lowered to loads of a pool's counters and lists, and a loop must not count the cells by what another loop loaded before
 * some were activated.
 */
export const writingWords = ({ memory, layout }: Storage, { name, ops }: Dialect): Dialect => {
  const words = arenaName(memory, 'i32');
  const structures = new Set(layout.nodes.map((n) => structureName(n)));
  const changed = (def: OpDef): OpDef => ({
    ...def,
    effects: (op) => {
      const effects = def.effects(op);
      return effects.some((e) => e.kind !== 'read' && e.buffer !== undefined && structures.has(e.buffer))
        ? [...effects, { kind: 'atomic', buffer: words }]
        : effects;
    },
  });
  return { name, ops: Object.fromEntries(Object.entries(ops).map(([key, def]) => [key, changed(def)])) };
};

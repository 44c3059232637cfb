import { accessesBy, controlBy, coreDialects, opTable, type Effect, type Op } from '@filigree/ir';

const table = opTable(coreDialects);

/** How control flows through the regions of ops that an emitter writes itself. */
export const controlOf = controlBy(table);

/** What these ops touch; undefined of ops that are not in core dialects, which are spelled as calls. */
export const accessesOf = accessesBy(table);

/** What an op itself does to memory; of ops that are not in core dialects anything. */
export const effectsOf = (op: Op): readonly Effect[] => table.get(op.name)?.effects(op) ?? [{ kind: 'write' }];

/** Whether one of these ops itself reads or writes memory, or depends on what it is run by. */
export const hasEffects = (op: Op): boolean => (table.get(op.name)?.effects(op).length ?? 0) > 0;

import { accessesBy, controlBy, coreDialects, opTable } from '@filigree/ir';

const table = opTable(coreDialects);

/** How control flows through the regions of ops that are written. */
export const controlOf = controlBy(table);

/** What these ops touch; undefined of ops that are not in core dialects, which are refused. */
export const accessesOf = accessesBy(table);

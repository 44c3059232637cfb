import { coreDialects, type Dialect } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import type { ArenaStore } from '../meaning/arena-store.js';
import { fieldDialect } from './field-dialect.js';
import { snodeDialect } from './snode-dialect.js';

/** The dialects that kernels on the fields of a layout may use, from before they are lowered until they are; with a store to be run on it. */
export const fieldDialects = (layout: Layout, store?: ArenaStore): readonly Dialect[] => [
  ...coreDialects,
  fieldDialect(layout, store),
  snodeDialect(layout, store),
];

import { coreDialects, type Dialect } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import { fieldDialect } from './field-dialect.js';
import { snodeDialect } from './snode-dialect.js';

/** The dialects that kernels on the fields of a layout may use, from before they are lowered until they are. */
export const fieldDialects = (layout: Layout): readonly Dialect[] => [
  ...coreDialects,
  fieldDialect(layout),
  snodeDialect(layout),
];

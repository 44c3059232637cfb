import type { FieldDecl, Layout } from '@filigree/sparse/fields';
import { withBeside } from '@filigree/sparse/lowering';
import type { Companions } from './companion-fields.js';

/** Places companions of scalar fields beside these, but for those that the layout has already. */
export const placedBeside = (layout: Layout, primals: readonly FieldDecl[], { of }: Companions): Layout => {
  const missing = new Set(primals.filter((f) => !layout.fields.has(of(f).name)));
  return missing.size === 0 ? layout : withBeside(layout, (f) => (missing.has(f) ? [of(f)] : []));
};

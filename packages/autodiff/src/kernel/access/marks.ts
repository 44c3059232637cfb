import { fail } from '@filigree/ir';
import type { FieldDecl, Layout } from '@filigree/sparse/fields';
import { companions } from '../fields/companion-fields.js';
import { placedBeside } from '../fields/placed-beside.js';

/** The fields in which a watched kernel notes who touched an element of a field last. */
export interface Marks {
  readonly written: string;
  readonly read: string;
}

const kinds = {
  written: companions('mark_written', 'i64'),
  read: companions('mark_read', 'i64'),
} as const;

/**
 * Places marks beside scalar fields of floats: who touches elements is noted there where access rules are checked. Error: `layout/field`, where the layout has
 * another field of the name of one.
 */
export const withMarks = (
  layout: Layout,
  primals: readonly FieldDecl[],
): { readonly layout: Layout; readonly marks: Readonly<Record<string, Marks>> } => {
  for (const primal of primals)
    for (const kind of Object.values(kinds)) {
      const { name } = kind.of(primal);
      const placed = layout.fields.get(name);
      if (placed && placed.field !== kind.of(primal))
        fail('layout/field', `in debug mode '${name}' is where it is noted who touches field '${primal.name}'`, {
          remedy: 'give the field of that name another one',
        });
    }
  return {
    layout: Object.values(kinds).reduce((tree, kind) => placedBeside(tree, primals, kind), layout),
    marks: Object.fromEntries(
      primals.map((f) => [f.name, { written: kinds.written.of(f).name, read: kinds.read.of(f).name }]),
    ),
  };
};

import type { FieldDecl, Layout } from '@filigree/sparse/fields';
import { companions, placedBeside } from '../companion-fields.js';

/** The fields in which a watched kernel notes who touched an element of a field last. */
export interface Marks {
  readonly written: string;
  readonly read: string;
  /** Read where a derivative needs the value. */
  readonly needed: string;
}

const kinds = {
  written: companions('written', 'i64'),
  read: companions('read', 'i64'),
  needed: companions('needed', 'i64'),
} as const;

/** Places marks beside scalar fields of floats: who touches elements is noted there where access rules are checked. */
export const withMarks = (
  layout: Layout,
  primals: readonly FieldDecl[],
): { readonly layout: Layout; readonly marks: Readonly<Record<string, Marks>> } => ({
  layout: Object.values(kinds).reduce((tree, kind) => placedBeside(tree, primals, kind), layout),
  marks: Object.fromEntries(
    primals.map((f) => [
      f.name,
      { written: kinds.written.of(f).name, read: kinds.read.of(f).name, needed: kinds.needed.of(f).name },
    ]),
  ),
});

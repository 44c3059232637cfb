import { isFloat } from '@filigree/ir';
import type { FieldDecl, Layout } from '@filigree/sparse/fields';
import { adjointField, adjoints, tangentField, tangents } from './gradient-fields.js';
import { refuseMisplaced } from './misplaced.js';
import { placedBeside } from './placed-beside.js';

/** A layout that has the adjoints of fields, and the names of both. */
export interface WithGradients {
  readonly layout: Layout;
  /** The names of scalar fields, each with that of its adjoint. */
  readonly adjoints: Readonly<Record<string, string>>;
}

/**
 * Places the adjoints of scalar fields, by default of all of floats, beside their primals, but for those that the layout has already. Error: `adjoint/placed`,
 * where it has them so that some would be lost.
 */
export const withGradients = (
  layout: Layout,
  primals: readonly FieldDecl[] = differentiable(layout),
): WithGradients => {
  refuseMisplaced(layout, primals, adjoints, { is: 'adjoint', activates: false });
  return {
    layout: placedBeside(layout, primals, adjoints),
    adjoints: Object.fromEntries(primals.map((f) => [f.name, adjointField(f).name])),
  };
};

/** A layout that has the tangents of fields, and the names of both. */
export interface WithTangents {
  readonly layout: Layout;
  /** The names of scalar fields, each with that of its tangent. */
  readonly tangents: Readonly<Record<string, string>>;
}

/** As `withGradients`, with tangents, which may have sparse nodes of their own: what is written activates cells there. Error: `tangent/placed`. */
export const withTangents = (layout: Layout, primals: readonly FieldDecl[] = differentiable(layout)): WithTangents => {
  refuseMisplaced(layout, primals, tangents, { is: 'tangent', activates: true });
  return {
    layout: placedBeside(layout, primals, tangents),
    tangents: Object.fromEntries(primals.map((f) => [f.name, tangentField(f).name])),
  };
};

/** The scalar fields of floats that a layout places, but for adjoints and tangents of others. */
export const differentiable = (layout: Layout): readonly FieldDecl[] =>
  [...layout.fields.values()]
    .map(({ field }) => field)
    .filter((f) => isFloat(f.type) && !adjoints.has(f) && !tangents.has(f));

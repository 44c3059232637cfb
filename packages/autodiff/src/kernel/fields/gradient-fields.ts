import { isFloat } from '@filigree/ir';
import type { AnyField, FieldDecl, Layout } from '@filigree/sparse/fields';
import { companions, placedBeside } from './companion-fields.js';
import { refuseMisplaced } from './misplaced.js';

const adjoints = companions('grad');
const tangents = companions('tangent');

/**
 * The field of a field's adjoint: `adjointField(x)` is called `x_grad`, and its components `x_0_grad` …. Of one field it is always the
 * same, so layouts can place it and kernels read and write it. Error: `adjoint/integer`.
 */
export const adjointField = <F extends AnyField>(primal: F): F => adjoints.of(primal);

/** The field of a field's tangent, `x_tangent`; otherwise as `adjointField`. */
export const tangentField = <F extends AnyField>(primal: F): F => tangents.of(primal);

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

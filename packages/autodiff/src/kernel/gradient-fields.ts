import { fail, isFloat } from '@filigree/ir';
import { field, withBeside, type AnyField, type FieldDecl, type Layout } from '@filigree/sparse/fields';

/**
 * The field of a field's adjoint: `adjointField(x)` is called `x_grad`, and its components `x_0_grad` …. Of one field it is always the
 * same, so layouts can place it and kernels read and write it. Error: `adjoint/integer`.
 */
export const adjointField = <F extends AnyField>(primal: F): F => {
  const known = gradients.get(primal);
  if (known) return known as F;
  const made = gradientField(primal) as F;
  gradients.set(primal, made);
  return made;
};

const gradientField = (primal: AnyField): AnyField => {
  if (!isFloat(primal.type))
    fail('adjoint/integer', `field '${primal.name}' of type ${primal.type} has no derivative`, {
      remedy: 'differentiate fields of floats',
    });
  const name = `${primal.name}_grad`;
  return primal.is === 'scalar'
    ? field(name, primal.type, primal.axes ? { axes: primal.axes } : {})
    : { ...primal, name, components: primal.components.map((c) => adjointField(c)) };
};

const gradients = new WeakMap<AnyField, AnyField>();

/** A layout that has the adjoints of fields, and the names of both. */
export interface WithGradients {
  readonly layout: Layout;
  /** The names of scalar fields, each with that of its adjoint. */
  readonly adjoints: Readonly<Record<string, string>>;
}

/** Places the adjoints of scalar fields beside their primals, but for those that the layout has already. */
export const withGradients = (layout: Layout, primals: readonly FieldDecl[]): WithGradients => {
  const missing = new Set(primals.filter((f) => !layout.fields.has(adjointField(f).name)));
  return {
    layout: missing.size === 0 ? layout : withBeside(layout, (f) => (missing.has(f) ? [adjointField(f)] : [])),
    adjoints: Object.fromEntries(primals.map((f) => [f.name, adjointField(f).name])),
  };
};

/** The scalar fields of floats that a layout places, but for adjoints of others. */
export const differentiable = (layout: Layout): readonly FieldDecl[] => {
  const floats = [...layout.fields.values()].map(({ field: f }) => f).filter((f) => isFloat(f.type));
  const adjoints = new Set(floats.map((f) => gradients.get(f)));
  return floats.filter((f) => !adjoints.has(f));
};

import { fail, isFloat, type ScalarType } from '@filigree/ir';
import { field, type AnyField } from '@filigree/sparse/fields';

/** Fields that hold something of other fields: of each its adjoint, its tangent, or who touched it. */
export interface Companions {
  /** The field of this kind that belongs to a field, always the same one, by the name of that and a suffix. Error: `adjoint/integer`. */
  readonly of: <F extends AnyField>(primal: F) => F;
  /** Whether a field is of this kind. */
  readonly has: (field: AnyField) => boolean;
}

/** @param type of their elements; without one, that of the primal */
export const companions = (suffix: string, type?: ScalarType): Companions => {
  const known = new WeakMap<AnyField, AnyField>();
  const all = new WeakSet<AnyField>();
  const of = <F extends AnyField>(primal: F): F => {
    const before = known.get(primal);
    if (before) return before as F;
    const one = make(primal) as F;
    known.set(primal, one);
    all.add(one);
    return one;
  };
  const make = (primal: AnyField): AnyField => {
    if (!isFloat(primal.type))
      fail('adjoint/integer', `field '${primal.name}' of type ${primal.type} has no derivative`, {
        remedy: 'differentiate fields of floats',
      });
    const name = `${primal.name}_${suffix}`;
    return primal.is === 'scalar'
      ? field(name, type ?? primal.type, primal.axes ? { axes: primal.axes } : {})
      : { ...primal, name, components: primal.components.map((c) => of(c)) };
  };
  return { of, has: (f) => all.has(f) };
};

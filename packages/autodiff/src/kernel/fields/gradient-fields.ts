import type { AnyField } from '@filigree/sparse/fields';
import { companions } from './companion-fields.js';

export const adjoints = companions('grad');
export const tangents = companions('tangent');

/**
 * The field of a field's adjoint: `adjointField(x)` is called `x_grad`, and its components `x_0_grad` …. Of one field it is always the
 * same, so layouts can place it and kernels read and write it. Error: `adjoint/integer`.
 */
export const adjointField = <F extends AnyField>(primal: F): F => adjoints.of(primal);

/** The field of a field's tangent, `x_tangent`; otherwise as `adjointField`. */
export const tangentField = <F extends AnyField>(primal: F): F => tangents.of(primal);

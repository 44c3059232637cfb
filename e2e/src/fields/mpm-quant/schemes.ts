import { fixed, float, int, packed } from '@filigree/quant';
import { bitStruct, stored, type AnyField, type Placeable } from '@filigree/sparse/fields';

/** What a particle has. */
export interface ParticleFields {
  readonly x: AnyField;
  readonly v: AnyField;
  /** Deformation. */
  readonly F: AnyField;
  readonly material: AnyField;
  readonly colour: AnyField;
  /** Affine velocities, where they are kept from the grid to the next transfer. */
  readonly C?: AnyField;
}

/** How it is stored. */
export type ParticleScheme = (particle: ParticleFields) => readonly Placeable[];

/** As it is computed. */
export const full: ParticleScheme = ({ x, v, F, material, colour, C }) => [
  x,
  v,
  F,
  material,
  colour,
  ...(C ? [C] : []),
];

/** In 40 bytes of 68: positions in fixed point, velocities with one exponent, deformations in fixed point. */
export const few: ParticleScheme = ({ x, v, F, material, colour, C }) => [
  bitStruct(64, stored(x, fixed(21, 1, { signed: false }))),
  bitStruct(64, stored(v, float(7, 17, { shared: 'v' }))),
  ...packed(32, fixed(16, 2), F),
  bitStruct(32, stored(material, int(8, { signed: false })), stored(colour, int(24, { signed: false }))),
  ...(C ? packed(32, float(6, 9), C) : []),
];

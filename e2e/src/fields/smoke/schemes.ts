import { fixed, float } from '@filigree/quant';
import { bitStruct, stored, type Placeable, type VectorField } from '@filigree/sparse/fields';

/** How velocities and dye are stored. */
export interface SmokeScheme {
  readonly velocity: (v: VectorField) => Placeable;
  readonly dye: (dye: VectorField) => Placeable;
}

/** As they are computed. */
export const full: SmokeScheme = {
  velocity: (v) => v,
  dye: (dye) => dye,
};

/** Velocities in fixed point: in space 21 bits a component, in the plane 16; dye in 32 bits, with one exponent for its colours. */
export const shared: SmokeScheme = {
  velocity: (v) => (v.size === 3 ? bitStruct(64, stored(v, fixed(21, 8))) : bitStruct(32, stored(v, fixed(16, 8)))),
  dye: (dye) => bitStruct(32, stored(dye, float(5, 9, { signed: false, shared: dye.name }))),
};

/** Dye in 32 bits, in fixed point. */
export const fixedDye: SmokeScheme = {
  velocity: shared.velocity,
  dye: (dye) => bitStruct(32, stored(dye, fixed(10, 1, { signed: false }))),
};

/** Dye in 32 bits, an exponent for each colour. */
export const floatDye: SmokeScheme = {
  velocity: shared.velocity,
  dye: (dye) => bitStruct(32, stored(dye, float(5, 5, { signed: false }))),
};

/** Everything in fixed point of 10 bits. */
export const allFixed: SmokeScheme = {
  velocity: (v) => bitStruct(32, stored(v, fixed(10, 4))),
  dye: fixedDye.dye,
};

/** Velocities with one exponent, dye in fixed point. */
export const sharedVelocity: SmokeScheme = {
  velocity: (v) => bitStruct(v.size === 2 ? 32 : 64, stored(v, float(5, 9, { shared: v.name }))),
  dye: fixedDye.dye,
};

export const SMOKE_SCHEMES = { full, shared, fixedDye, floatDye, allFixed, sharedVelocity } as const;

export type SmokeSchemeName = keyof typeof SMOKE_SCHEMES;

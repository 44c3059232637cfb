export type { Choice, Derivative, DerivativeTable, TimesPartials } from './table/derivative.js';
export { derivatives } from './table/derivatives.js';
export { gradientOf, hessianOf, jacobianOf, type DeriveOptions, type Half } from './graph/derive.js';
export { adjoint, type Adjoint, type AdjointOptions } from './kernel/adjoint.js';
export type { Overflow } from './kernel/draft.js';
export { clearGradients } from './kernel/clear-gradients.js';
export { adjointField, differentiable, withGradients, type WithGradients } from './kernel/gradient-fields.js';
export { firstOverwrite, type Needs, type Overwrite } from './kernel/needs.js';

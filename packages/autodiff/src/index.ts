export type { Choice, Derivative, DerivativeTable, TimesPartials } from './table/derivative.js';
export { derivatives } from './table/derivatives.js';
export { activity, type Activity } from './graph/active.js';
export { type Body, type DerivedBody, type SumsOfBodies } from './graph/bodies.js';
export { termsOf, type Term } from './graph/terms.js';
export { instantiator, type Template } from './graph/template.js';
export { gradientOf, hessianOf, jacobianOf, type DeriveOptions, type Half } from './graph/derive.js';
export { adjoint, type Adjoint, type AdjointOptions } from './kernel/adjoint.js';
export {
  BROKEN,
  LAST_EPOCH,
  REPORT,
  watched,
  type Access,
  type Watched,
  type WatchOptions,
} from './kernel/access/watched.js';
export { withMarks, type Marks } from './kernel/access/marks.js';
export type { Overflow } from './kernel/reverse/draft.js';
export { withoutGiven } from './kernel/reverse/given.js';
export { clearGradients } from './kernel/fields/clear-gradients.js';
export { adjointField, tangentField } from './kernel/fields/gradient-fields.js';
export {
  differentiable,
  withGradients,
  withTangents,
  type WithGradients,
  type WithTangents,
} from './kernel/fields/with-gradients.js';
export { tangent, type Tangent, type TangentOptions } from './kernel/tangent/tangent.js';
export { elementsAt, placeOfField, type Touched } from './kernel/elements/touched.js';
export { keepingPlaces, type Places, type WithPlaces } from './kernel/keep/places.js';
export { firstOverwrite, NeededElements, type NeedingLaunch, type Needs, type Overwrite } from './kernel/keep/needs.js';

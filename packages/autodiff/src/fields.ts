/** The fields that derivatives are in: all that is needed to name them, without what derives. */
export { adjointField, tangentField } from './kernel/fields/gradient-fields.js';

/** What programs with derivatives are made by; loaded when one is. */
export { decksOf } from './decks.js';
export { withDerivatives } from './with-derivatives.js';
export { withCompanions } from './differentiated-fields.js';

/** What programs with derivatives are made by; loaded when one is. */
export { decksOf } from './decks.js';
export { withDerivatives } from './derivative-kernels.js';
export { withCompanions } from './differentiated-fields.js';

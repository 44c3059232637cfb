/** What ops on fields mean, for the interpreter: on a map of elements, and on memory. */
export { FieldStore, type Trouble } from './field-store.js';
export { ArenaStore } from './arena-store.js';

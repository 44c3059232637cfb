export * from './formats/index.js';
export { quantSpec, type QuantOptions } from './options.js';
export * from './passes/index.js';

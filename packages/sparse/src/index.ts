export * from './formats/index.js';
export * from './fields/index.js';
export * from './tasks/index.js';
export * from './eqspp/index.js';
export * from './trace/index.js';
export * from './equations/index.js';

export * from './core.js';
export * from './library.js';

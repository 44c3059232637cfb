export * from './core.js';
export * from './host.js';
export * from './library.js';

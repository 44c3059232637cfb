export * from './memory.js';
export * from './buffer.js';
export * from './placement.js';
export * from './library.js';
export * from './executable.js';
export * from './emit-only.js';
export * from './packed-arguments.js';
export * from './trap.js';
export type { LoadOptions, RunOptions } from './run-options.js';

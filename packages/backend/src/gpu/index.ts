export * from './steps.js';
export * from './language.js';
export * from './backend.js';
export * from './driver.js';
export * from './foreign-driver.js';
export * from './device-cpp.js';
export { type AtomicKind, type AtomicWords, gpuAtomics } from './atomics.js';
export * from './unhinted.js';
export * from './probe.js';

export * from './toolchain/instruction-set.js';
export * from './toolchain/toolchain.js';
export * from './toolchain/locate.js';
export * from './toolchain/process.js';
export * from './cache/artifact-cache.js';
export * from './cache/make-folder.js';
export * from './cache/disk-bank.js';
export * from './crew.js';

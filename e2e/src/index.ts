export * from './meshes/index.js';
export * from './programs/index.js';
export * from './draw/index.js';

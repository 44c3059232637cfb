export * from './meshes/index.js';
export * from './programs/index.js';
export * from './draw/index.js';
export * from './fields/index.js';
export * from './tensors/index.js';
export * from './gallery/index.js';
export { spotMesh, spotOfSize } from './spot.js';
export { right } from './right.js';

export * from './mesh.js';
export { readMesh } from './read-mesh.js';
export * from './generate.js';
export { randomNumbers } from './random.js';
export { fitted, solidVoxels, surfaceVoxels, voxelCount, type Voxels } from './voxelise.js';

export * from './numeric/index.js';
export * from './kernels/index.js';
export { transform, type TransformOptions, type TransformResult } from './plugin/transform.js';

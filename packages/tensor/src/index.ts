export * from './linalg/index.js';
export * from './einsum/index.js';

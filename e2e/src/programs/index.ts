export * from './assembly.js';
export * from './cotan.js';
export * from './dual-laplacian.js';
export * from './arap.js';
export * from './cloth.js';
export * from './cloth-bend.js';
export * from './symmetric-dirichlet.js';
export * from './matrices.js';

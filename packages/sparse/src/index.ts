export * from './formats/csr.js';
export * from './algebra/ring.js';

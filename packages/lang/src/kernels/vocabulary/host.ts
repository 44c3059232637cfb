/** Words of the language for the host alone. */
export { hostGrid } from './host-grid.js';
export { sparseGrid, type SparseGridOptions } from './sparse-grid.js';
export type { SparseExtent } from './sparse-store.js';

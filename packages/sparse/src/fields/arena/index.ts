/**
 * Cells of fields in memory, from outside kernels: found, activated, given back, and visited. Apart from `fields`, which no program is
 * without: pages whose fields are plain arrays never load it.
 */
export { lastCell, putIntoTable } from './pool.js';
export { emptyPool } from './empty.js';
export { emptyList, settle, settleAll } from './release.js';
export { dropAll, dropCell, findCell, growCell } from './structure.js';
export { populationChange, populationOf, repopulate, type Population, type PopulationChange } from './population.js';
export { containers, elements, visitElements } from './elements.js';

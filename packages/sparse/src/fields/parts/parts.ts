/**
 * What not every page needs that lowers kernels: cells that are allocated, found in tables, listed and given back, scratchpads, and checks for
 * those who debug.
 */
export { debugChecks } from '../access/debug-checks.js';
export { clearList, deactivate } from '../access/lower/deactivate.js';
export { hashLookup, prefetchSlot } from '../access/lower/hash.js';
export { append, lengthOf } from '../access/lower/list.js';
export { lookupAll } from '../access/lower/lookup-all.js';
export { allocate } from '../access/lower/pool.js';
export { collect } from '../loops/collect.js';
export { makeList } from '../loops/lists.js';
export { cachedAccess, sumOf } from '../loops/scratchpad/access.js';
export { scratchpadsOf } from '../loops/scratchpad/pads.js';
export { fill, flush } from '../loops/scratchpad/transfer.js';
export { takeSnapshot } from '../loops/snapshot.js';

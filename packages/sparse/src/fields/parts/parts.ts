/**
 * What not every page needs that lowers kernels: cells that are allocated, found, listed and given back, words that fields share, scratchpads, and
 * checks for those who debug.
 */
export { debugChecks } from '../access/debug-checks.js';
export { clearList, deactivate } from '../access/lower/deactivate.js';
export { hashLookup, prefetchSlot } from '../access/lower/hash.js';
export { append, lengthOf } from '../access/lower/list.js';
export { isActive, lookupSparse } from '../access/lower/lookup-sparse.js';
export { lookupAll } from '../access/lower/lookup-all.js';
export { allocate } from '../access/lower/pool.js';
export { atomicInWord, loadFromWord, storeWord } from '../access/lower/word.js';
export { batchActivations } from '../access/simplify/batch.js';
export { prefetchSlots } from '../access/simplify/prefetch.js';
export { collect } from '../loops/collect.js';
export { boxModule } from '../loops/box-module.js';
export { carryModule } from '../loops/carry-module.js';
export { cutModule } from '../loops/cut-module.js';
export { turnModule } from '../loops/turn-module.js';
export { makeList } from '../loops/lists.js';
export { isActiveIn, overMask } from '../loops/masks.js';
export { cachedAccess, sumOf } from '../loops/scratchpad/access.js';
export { scratchpadsOf } from '../loops/scratchpad/pads.js';
export { fill, flush } from '../loops/scratchpad/transfer.js';
export { takeSnapshot } from '../loops/snapshot.js';

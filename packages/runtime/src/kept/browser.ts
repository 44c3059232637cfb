import type * as there from './node.js';

/* Pages keep nothing on a disk, have no compiler that could begin, and no threads that lower: none of it is in their bundles. */

export const loadKeeping: typeof there.loadKeeping = () => Promise.resolve(undefined);

export const loadAhead: typeof there.loadAhead = () => Promise.resolve(undefined);

export const codeElsewhere: typeof there.codeElsewhere = () => Promise.resolve(undefined);

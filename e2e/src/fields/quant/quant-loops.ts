import { matmulLoop } from './matmul.js';
import { partialStoreLoop } from './partial-store.js';
import type { QuantLoop } from './quant-loop.js';
import { saxpyLoop } from './saxpy.js';
import { storeLoop } from './store.js';

/** All loops over elements of few bits. */
export const QUANT_LOOPS: readonly QuantLoop[] = [storeLoop, partialStoreLoop, matmulLoop, saxpyLoop];

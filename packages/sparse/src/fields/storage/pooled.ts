import type { NodeStorage, Pool } from './storage.js';

/** A node whose cells are allocated one by one. */
export type PooledStorage = NodeStorage & { readonly pool: Pool };

export const isPooled = (at: NodeStorage): at is PooledStorage => at.pool !== undefined;

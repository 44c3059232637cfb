import type { Storage } from '@filigree/sparse/fields';

/** Bytes of the cells of both buffers, those that are there one by one all counted, with what is kept beside them. */
export const lifeBytes = ({ nodes }: Storage): number =>
  nodes
    .filter(({ node }) => node.id !== 0 && node.parent === 0)
    .reduce((sum, { pool, cells, cellBytes, containerBytes }) => sum + (pool ? cells * cellBytes : containerBytes), 0);

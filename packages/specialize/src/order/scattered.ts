import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Harvest } from '../harvest/harvested.js';

/** Steps are sampled: one in so many. */
const STRIDE = 16;
/** A step of more values than this leaves what the last instance brought into the nearest cache. */
const FAR = 1 << 12;
/** Share of far steps from which it is worth looking closer. */
const MANY = 0.25;

/** Whether successive instances often read inputs that are far apart: a first look, at a fraction of the reads. */
export const isScattered = (h: Harvest): boolean => {
  let steps = 0;
  let far = 0;
  for (const g of h.harvested) {
    for (const { columns } of g.body ? [g.body] : g.segments) {
      for (const { kind, nodes } of columns) {
        if (kind === INTERMEDIATE) continue;
        for (let i = 1; i < nodes.length; i += STRIDE) {
          steps++;
          if (Math.abs(nodes[i] - nodes[i - 1]) > FAR) far++;
        }
      }
    }
  }
  return far > MANY * steps;
};

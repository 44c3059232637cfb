import { pass, type Pass, checkOptions } from '@filigree/ir';
import { orderSpec, defaultOptions, type OrderOptions } from '../options.js';
import { accesses } from './accesses.js';
import { breadthFirst } from './breadth-first.js';
import { evenLengths } from './even-lengths.js';
import { lineLoads } from './misses.js';
import { reorderInstances } from './reorder.js';
import { isScattered } from './scattered.js';
import type { Harvest } from '../harvest/harvested.js';

/** A harvest whose units run in a given order, by which every group lists its instances. */
export interface Ordered extends Harvest {
  /** Unit at each place. */
  readonly order: Int32Array;
}

/**
 * An order that loads more than this many times the lines there are into a near cache is worth another. Another order than the program's has larger
 * tables, since places follow one another less often: measured on meshes of 20,000 to 50,000 vertices, it pays where the program's loads
 * each line about four times, and not where it does about three times.
 */
const POOR = 3.5;
/**
 * What a new order must save of the loads into a far cache to be taken: the program's order may have merits that are not counted. What a front of
 * the search touches, which is large in a solid, is in no near cache, but in a far one.
 */
const BETTER = 0.8;

/**
 * Chooses the order in which instances run (§4.8). The program's own order is kept if it uses each cache line
 * while it is in the cache, as is usual for matrices; a mesh whose faces are in no particular order is traversed
 * breadth first. Sums that are made side by side stand with others of their length.
 */
export const order = (given?: Partial<OrderOptions>): Pass<Harvest, Ordered> => {
  const options = { ...defaultOptions.order, ...checkOptions('order', given, orderSpec) };
  return pass('order', (h) => {
    /* Steps of a loop run in their order. */
    if (!options.reorder || h.harvested.some((g) => g.repeated)) return { ...h, order: h.written };
    const near = nearOrder(h);
    const even = evenLengths(h, near);
    const found = even ?? near;
    return found === h.written ? { ...h, order: found } : { ...h, order: found, harvested: reorderInstances(h, found) };
  });
};

/** An order in which what is read together is near, where the program's own is worth another. */
const nearOrder = (h: Harvest): Int32Array => {
  const { written } = h;
  const reads = readCount(h);
  if (reads < MIN_READS || reads > MAX_READS || !isScattered(h)) return written;
  const touched = accesses(h);
  const before = lineLoads(h, touched, written);
  if (before.near <= POOR * before.lines) return written;
  const found = breadthFirst(touched);
  return lineLoads(h, touched, found).far <= BETTER * before.far ? found : written;
};

/** Programs that read less stay in the cache anyway. */
const MIN_READS = 1 << 14;
/** Searching beyond this takes longer than compiling otherwise does. */
const MAX_READS = 1 << 22;

const readCount = (h: Harvest): number =>
  h.harvested.reduce(
    (n, g) =>
      [...(g.body?.columns ?? []), ...g.segments.flatMap((s) => s.columns)].reduce((m, c) => m + c.nodes.length, n),
    0,
  );

import type { Kernel, Region } from '../kernel/op.js';

/** Gives out value ids that are unused in a kernel. */
export interface IdSource {
  readonly next: () => number;
}

/** Ids counted upwards from `first`. */
export const idsFrom = (first: number): IdSource => {
  let id = first;
  return { next: () => id++ };
};

/** Ids above every id that the kernel uses. The kernel is searched when the first one is asked for. */
export const freshIds = (kernel: Kernel): IdSource => {
  let ids: IdSource | undefined;
  return { next: () => (ids ??= idsFrom(highestId(kernel) + 1)).next() };
};

/** The highest id of the values that a kernel defines, -1 if it defines none. */
export const highestId = ({ params, body }: Kernel): number =>
  params.reduce((max, v) => Math.max(max, v.id), highestIn(body));

const highestIn = (region: Region): number => {
  let max = -1;
  for (const p of region.params) if (p.id > max) max = p.id;
  for (const op of region.ops) {
    for (const r of op.results) if (r.id > max) max = r.id;
    for (const inner of op.regions) max = Math.max(max, highestIn(inner));
  }
  return max;
};

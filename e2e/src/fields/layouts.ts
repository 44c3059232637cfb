import { componentsOf, dense, hash, i, type AnyField, type Axes, type Branch } from '@filigree/sparse/fields';

/** What stands above the innermost blocks of a grid, of which there are `blocks` along each axis. */
export type Blocks = (axes: Axes, blocks: number) => Branch;

/** Data structures that an application's grids can be stored in. Its kernels are the same over all. */
export const LAYOUTS = {
  /** A table of pointers to blocks, as SPGrid without its virtual memory. */
  pointer: (axes, blocks) => dense(axes, blocks).pointer(),
  /** All blocks in place, a bit for each. */
  bitmasked: (axes, blocks) => dense(axes, blocks).bitmasked(),
  /** Blocks in a hash table. */
  hash: (axes, blocks) => hash(axes, blocks),
  /** Two levels of pointers, as in VDB. */
  vdb: (axes, blocks) =>
    dense(axes, Math.ceil(blocks / 4))
      .pointer()
      .dense(axes, 4)
      .pointer(),
} as const satisfies Readonly<Record<string, Blocks>>;

export type LayoutName = keyof typeof LAYOUTS;

/**
 * Elements in groups of eight, each component of a group side by side: a loop over all elements fills vector lanes with
 * them, and those that are needed together stay close. Their number is rounded up.
 */
export const inGroups = (count: number, ...fields: readonly AnyField[]): Branch =>
  dense(i, Math.ceil(count / 8)).fork(...fields.flatMap(componentsOf).map((c) => dense(i, 8).place(c)));

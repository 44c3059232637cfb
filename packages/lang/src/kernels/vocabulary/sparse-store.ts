import { fail } from '@filigree/ir';
import { Activity } from './activity.js';
import type { GridElement } from './grid-types.js';

/** How many indices one axis has: 0 up to a number; any, negative ones too, for `Infinity`; or a list, as the last axis. */
export type SparseExtent = number | { readonly most: number };

/** What grids that lie side by side have in common. */
export class Shared {
  readonly activity: Activity;
  /** Lengths of the lists, by innermost cell and coordinates. */
  readonly lengths = new Map<string, Map<string, number>>();
  readonly stores: SparseStore[] = [];

  /** @param cells for each level, innermost first, the elements of a cell along each axis */
  constructor(cells: readonly (readonly number[])[]) {
    this.activity = new Activity(cells);
    this.activity.onEmptied((cell) => this.lengths.delete(cell));
  }
}

/** The elements of one sparse grid on the host: what is there, and the ambient value everywhere else. */
export class SparseStore {
  private readonly values = new Map<string, Map<string, GridElement>>();

  constructor(
    readonly extents: readonly SparseExtent[],
    readonly ambient: GridElement,
    readonly shared: Shared,
  ) {
    shared.activity.onEmptied((cell) => this.values.delete(cell));
    shared.stores.push(this);
  }

  get activity(): Activity {
    return this.shared.activity;
  }

  /** Axes around the list, or all when there is none. */
  get outerAxes(): number {
    return this.extents.length - (this.isList ? 1 : 0);
  }

  get isList(): boolean {
    return typeof this.extents[this.extents.length - 1] === 'object';
  }

  read(at: readonly number[]): GridElement {
    this.check(at);
    return this.values.get(this.cell(at))?.get(at.join()) ?? this.ambient;
  }

  write(at: readonly number[], value: GridElement): void {
    this.check(at);
    const outer = at.slice(0, this.outerAxes);
    this.activity.activate(0, outer);
    if (this.isList) this.setLength(outer, Math.max(this.length(outer), at[this.outerAxes] + 1));
    inner(this.values, this.cell(at)).set(at.join(), value);
  }

  isActive(level: number, at: readonly number[]): boolean {
    this.check(at);
    const outer = at.slice(0, this.outerAxes);
    return (
      this.activity.isActive(level, outer) && (at.length === outer.length || at[outer.length] < this.length(outer))
    );
  }

  length(outer: readonly number[]): number {
    return this.shared.lengths.get(this.cell(outer))?.get(outer.join()) ?? 0;
  }

  append(outer: readonly number[], value: GridElement): number {
    const position = this.length(outer);
    this.write([...outer, position], value);
    return position;
  }

  /** Makes a list empty, here and in the grids beside. */
  empty(outer: readonly number[]): void {
    const cell = this.cell(outer);
    for (let k = 0; k < this.length(outer); k++)
      for (const store of this.shared.stores) store.values.get(cell)?.delete([...outer, k].join());
    this.setLength(outer, 0);
  }

  /** Coordinates of the active elements, in order. */
  *elements(): Generator<readonly number[], void, undefined> {
    for (const corner of this.activity.corners())
      for (const outer of within(corner, this.activity.sizes[0], this.extents)) {
        if (!this.isList) yield outer;
        else for (let k = 0, n = this.length(outer); k < n; k++) yield [...outer, k];
      }
  }

  /** Throws `lang/host-bounds` on coordinates outside of the grid. */
  check(at: readonly number[]): void {
    if (at.length > this.extents.length)
      fail('lang/host-bounds', `${at.length} indices for a grid of ${this.extents.length} axes`);
    at.forEach((index, axis) => {
      const extent = this.extents[axis];
      if (!Number.isInteger(index)) fail('lang/host-bounds', `${String(index)} is no index`, { remedy: 'use i32(…)' });
      if (extent === Infinity) return;
      const most = typeof extent === 'object' ? extent.most : extent;
      if (index < 0 || index >= most)
        fail('lang/host-bounds', `index ${index} along axis ${axis} is outside of 0 … ${most - 1}`, {
          remedy: typeof extent === 'object' ? 'allow for a longer list' : 'make the grid larger, or test the index',
        });
    });
  }

  private cell(at: readonly number[]): string {
    return this.activity.cellOf(at.slice(0, this.outerAxes));
  }

  private setLength(outer: readonly number[], length: number): void {
    inner(this.shared.lengths, this.cell(outer)).set(outer.join(), length);
  }
}

const inner = <T>(outer: Map<string, Map<string, T>>, key: string): Map<string, T> => {
  const found = outer.get(key);
  if (found) return found;
  const made = new Map<string, T>();
  outer.set(key, made);
  return made;
};

/** The elements of a cell that lie in the grid. */
function* within(
  corner: readonly number[],
  sizes: readonly number[],
  extents: readonly SparseExtent[],
  at: readonly number[] = [],
): Generator<readonly number[], void, undefined> {
  const axis = at.length;
  if (axis === corner.length) return yield at;
  const end = Math.min(corner[axis] + sizes[axis], extents[axis] as number);
  for (let index = corner[axis]; index < end; index++) yield* within(corner, sizes, extents, [...at, index]);
}

/**
 * Which cells of sparse grids are active, on the host. Levels count from the innermost; a cell of one level lies in one cell
 * of the next, and is active only together with it. Grids that share an activity become active and inactive together.
 */
export class Activity {
  private readonly cells: readonly Map<string, readonly number[]>[];
  private readonly emptied: ((cell: string) => void)[] = [];

  /** @param sizes for each level the elements of a cell along each axis */
  constructor(readonly sizes: readonly (readonly number[])[]) {
    this.cells = sizes.map(() => new Map());
  }

  get levels(): number {
    return this.sizes.length;
  }

  /** The innermost cell around an element, as a key. */
  cellOf(coordinates: readonly number[]): string {
    return this.at(0, coordinates).join();
  }

  /** Calls back with every innermost cell that becomes inactive. */
  onEmptied(forget: (cell: string) => void): void {
    this.emptied.push(forget);
  }

  isActive(level: number, coordinates: readonly number[]): boolean {
    return this.cells[level].has(this.at(level, coordinates).join());
  }

  activate(level: number, coordinates: readonly number[]): void {
    for (let l = level; l < this.levels; l++) {
      const cell = this.at(l, coordinates);
      this.cells[l].set(cell.join(), cell);
    }
  }

  deactivate(level: number, coordinates: readonly number[]): void {
    const outer = this.at(level, coordinates).join();
    for (let l = 0; l <= level; l++)
      for (const [key, cell] of [...this.cells[l]]) {
        const first = cell.map((c, axis) => c * this.sizes[l][axis]);
        if (this.at(level, first).join() === outer) this.remove(l, key);
      }
  }

  clear(): void {
    this.cells.forEach((cells, l) => [...cells.keys()].forEach((key) => this.remove(l, key)));
  }

  /** First elements of the active innermost cells, in the order of their coordinates. */
  corners(): readonly (readonly number[])[] {
    return [...this.cells[0].values()]
      .map((cell) => cell.map((c, axis) => c * this.sizes[0][axis]))
      .sort((a, b) => a.map((x, axis) => x - b[axis]).find((d) => d !== 0) ?? 0);
  }

  private at(level: number, coordinates: readonly number[]): readonly number[] {
    return coordinates.map((c, axis) => Math.floor(c / this.sizes[level][axis]));
  }

  private remove(level: number, key: string): void {
    this.cells[level].delete(key);
    if (level === 0) this.emptied.forEach((forget) => forget(key));
  }
}

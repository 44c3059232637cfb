import type { FieldCode, LevelCode, TreeCode } from './code.js';
import { addsCodes, codeOf, codeOfSum, numberOf, rounded, roundedTogether, sharingWith } from './rounded.js';
import { cast, type Scalar } from './scalars.js';

/** Something goes beyond the end of a list: the launch is to be refused. */
export class ListFull extends Error {}

/** What the fields of a tree hold, as `docs/numbers.md` says: maps from places to values, and sets of active cells. Knows no memory. */
export class TreeState {
  private readonly cells: readonly Set<string>[];
  /** How many cells of a level were active at once. */
  most = 0;
  /** Of fields whose sums add codes the codes. */
  private readonly values: ReadonlyMap<string, Map<string, Scalar>>;

  constructor(readonly tree: TreeCode) {
    this.cells = tree.levels.map(() => new Set<string>());
    this.values = new Map(tree.fields.map((f) => [f.name, new Map<string, Scalar>()]));
    for (const f of tree.fields) for (const [at, value] of f.start) this.write(f, at, value);
  }

  /** Ambient where nothing was written, and beyond the layout. */
  read(f: FieldCode, at: readonly number[]): Scalar {
    const known = this.inside(at) ? this.values.get(f.name)!.get(String(at)) : undefined;
    if (known === undefined) return this.ambient(f);
    return addsCodes(f) ? numberOf(f, known) : known;
  }

  /** Dropped beyond the layout, and refused beyond the end of a list; else it activates. */
  write(f: FieldCode, at: readonly number[], value: Scalar): void {
    if (!this.reach(at)) return;
    const sharing = sharingWith(this.tree.fields, f);
    const put = (to: FieldCode, x: Scalar): void => void this.values.get(to.name)!.set(String(at), x);
    if (sharing.length === 0) return put(f, addsCodes(f) ? codeOf(f, value) : rounded(f, value));
    const all = roundedTogether(
      sharing,
      sharing.map((other) => (other === f ? value : this.read(other, at))),
    );
    sharing.forEach((other, n) => put(other, all[n]));
  }

  /** Adds to an element of a field whose sums add codes. */
  add(f: FieldCode, at: readonly number[], value: Scalar): void {
    if (!this.reach(at)) return;
    const values = this.values.get(f.name)!;
    const before = values.get(String(at)) ?? codeOf(f, cast(f.type, f.ambient));
    values.set(String(at), codeOfSum(f, before, value));
  }

  private reach(at: readonly number[]): boolean {
    this.lengthen(at);
    if (!this.inside(at)) return false;
    this.activate(at);
    return true;
  }

  activate(at: readonly number[]): void {
    if (!this.inside(at)) return;
    this.sparse().forEach(([level, n]) => {
      const place = this.cellAt(n, at);
      this.cells[n].add(String(place));
      this.most = Math.max(this.most, this.cells[n].size);
      /* Writing into a list makes it as long as that takes. */
      if (level.kind === 'dynamic')
        for (let x = 0; x < place.at(-1)!; x++) this.cells[n].add(String([...place.slice(0, -1), x]));
    });
  }

  /** Frees the innermost sparse cell around a place, with all that it holds. */
  deactivate(at: readonly number[]): void {
    const innermost = this.sparse().at(-1);
    if (innermost === undefined || !this.inside(at)) return;
    const [, n] = innermost;
    const place = String(this.cellAt(n, at));
    this.cells[n].delete(place);
    for (const values of this.values.values())
      for (const key of [...values.keys()])
        if (String(this.cellAt(n, key.split(',').map(Number))) === place) values.delete(key);
  }

  clear(): void {
    this.cells.forEach((c) => c.clear());
    for (const values of this.values.values()) values.clear();
  }

  isActive(at: readonly number[]): boolean {
    return this.inside(at) && this.sparse().every(([, n]) => this.cells[n].has(String(this.cellAt(n, at))));
  }

  /** The length of the list around a place of the outer axes. */
  length(outer: readonly number[]): number {
    const n = this.tree.levels.length - 1;
    let length = 0;
    while (this.cells[n].has(String([...outer, length]))) length++;
    return length;
  }

  active(): readonly (readonly number[])[] {
    return this.possible().filter((at) => this.isActive(at));
  }

  /** All places; of a hash table those of its cells, wherever they are. */
  private possible(): readonly (readonly number[])[] {
    if (this.tree.levels[0].kind !== 'hash') return placesOf(this.tree);
    const sides = windowOf(this.tree).map(([, to]) => to / 2);
    return [...this.cells[0]].flatMap((cell) => {
      const first = cell.split(',').map((x, a) => Number(x) * sides[a]);
      return box(first.map((from, a) => [from, from + sides[a]] as const));
    });
  }

  private ambient(f: FieldCode): Scalar {
    const sharing = sharingWith(this.tree.fields, f);
    const all = sharing.map((other) => cast(other.type, other.ambient));
    return sharing.length > 0 ? roundedTogether(sharing, all)[sharing.indexOf(f)] : rounded(f, cast(f.type, f.ambient));
  }

  private lengthen(at: readonly number[]): void {
    const last = this.tree.levels.at(-1)!;
    const outer = at.slice(0, -1);
    const fits = outer.every((x, a) => x >= 0 && x < windowOf(this.tree)[a][1]);
    if (last.kind === 'dynamic' && fits && at.at(-1)! >= last.extents[0]) throw new ListFull();
  }

  private sparse(): readonly (readonly [LevelCode, number])[] {
    return this.tree.levels.map((l, n) => [l, n] as const).filter(([l]) => isSparse(l));
  }

  private inside(at: readonly number[]): boolean {
    const hashed = this.tree.levels[0].kind === 'hash';
    return at.every((x, a) => {
      const [from, to] = windowOf(this.tree)[a];
      return hashed || (x >= from && x < to);
    });
  }

  /** The cell of a level that an element lies in, along the axes divided so far. */
  private cellAt(n: number, at: readonly number[]): number[] {
    const { levels } = this.tree;
    return at.flatMap((x, a) =>
      levels.slice(0, n + 1).some((l) => l.axes.includes(a))
        ? [Math.floor(x / levels.slice(n + 1).reduce((p, l) => p * (l.extents[l.axes.indexOf(a)] ?? 1), 1))]
        : [],
    );
  }
}

/** Whether cells of a level may be inactive. */
export const isSparse = ({ kind }: LevelCode): boolean => !['dense', 'morton', 'bits'].includes(kind);

/** Where programs write: all of a layout, or of a hash table four cells around the origin along each axis. */
export const windowOf = (tree: TreeCode): readonly (readonly [from: number, to: number])[] =>
  Array.from({ length: tree.axes }, (_, a) => {
    const size = tree.levels.reduce((p, l) => p * (l.extents[l.axes.indexOf(a)] ?? 1), 1);
    return tree.levels[0].kind === 'hash' ? ([-2 * size, 2 * size] as const) : ([0, size] as const);
  });

/** All places of a window, row by row. */
export const placesOf = (tree: TreeCode): readonly (readonly number[])[] => box(windowOf(tree));

/** All places of a box, row by row. */
export const box = (sides: readonly (readonly [from: number, to: number])[]): readonly (readonly number[])[] =>
  sides.reduce<readonly (readonly number[])[]>(
    (all, [from, to]) => all.flatMap((at) => Array.from({ length: to - from }, (_, x) => [...at, from + x])),
    [[]],
  );

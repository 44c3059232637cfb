import * as fc from 'fast-check';
import type { Box } from '@filigree/runtime';
import {
  dense,
  dynamic,
  field,
  hash,
  layout,
  type Axes,
  type Axis,
  type Branch,
  type FieldDecl,
  type Layout,
  type SNode,
} from '@filigree/sparse/fields';

/**
 * What fields are to do, said with sets and maps: for each sparse node the places of its active cells, for each list its
 * length, for each field its values. Knows the layout and nothing of memory.
 */
export class FieldModel {
  private readonly active = new Map<number, Set<string>>();
  private readonly values = new Map<string, Map<string, number>>();

  constructor(private readonly tree: Layout) {}

  get(name: string, at: readonly number[]): number {
    return this.values.get(name)?.get(String(at)) ?? this.decl(name).ambient;
  }

  /** False where no cell was left. */
  set(name: string, at: readonly number[], value: number): boolean {
    if (!this.activate(name, at)) return false;
    const map = this.values.get(name) ?? new Map<string, number>();
    this.values.set(name, map.set(String(at), value));
    return true;
  }

  isActive(name: string, at: readonly number[]): boolean {
    return this.sparse(name).every((n) => this.isCell(n, this.place(name, at, n)));
  }

  activate(name: string, at: readonly number[]): boolean {
    for (const n of this.sparse(name)) {
      const place = this.place(name, at, n);
      if (this.isCell(n, place)) continue;
      const cells = this.active.get(n.id) ?? new Set<string>();
      this.active.set(n.id, cells);
      if (n.cells !== undefined && cells.size >= n.cells) return false;
      /* Writing into a list makes it as long as that takes. */
      const own = this.axes(n).indexOf(n.axes[0]);
      const from = n.kind === 'dynamic' && !n.pointer ? 0 : place[own];
      for (let x = from; x <= place[own]; x++) cells.add(String(place.map((p, a) => (a === own ? x : p))));
    }
    return true;
  }

  deactivate(name: string, at: readonly number[]): void {
    const innermost = this.sparse(name).at(-1) ?? this.holder(name);
    this.drop(innermost, this.place(name, at, innermost));
  }

  /** Deactivates every cell of the outermost sparse node around a field, or of the outermost of all, if that is not sparse. */
  clear(name: string): void {
    const outermost = this.sparse(name).at(0);
    if (!outermost) return this.empty(this.tree.fields.get(name)!.path[0]);
    for (const place of [...(this.active.get(outermost.id) ?? [])]) this.drop(outermost, numbers(place));
  }

  length(name: string, list: readonly number[]): number {
    const n = this.listOf(name);
    const own = this.axes(n).indexOf(n.axes[0]);
    return this.cellsOf(name, list).reduce((length, place) => Math.max(length, place[own] + 1), 0);
  }

  clearList(name: string, list: readonly number[]): void {
    for (const place of this.cellsOf(name, list)) this.drop(this.listOf(name), place);
  }

  /** Where the next value of a list goes; `undefined` where it is full. */
  next(name: string, list: readonly number[]): readonly number[] | undefined {
    const n = this.listOf(name);
    const length = this.length(name, list);
    return length < n.extents[n.axes[0]] ? inserted(list, this.axes(n).indexOf(n.axes[0]), length) : undefined;
  }

  /** Active elements and their values; `all` are the indices to look at. */
  entries(name: string, all: Iterable<readonly number[]>): Map<string, number> {
    const found = new Map<string, number>();
    for (const at of all) if (this.isActive(name, at)) found.set(String(at), this.get(name, at));
    return found;
  }

  fill(name: string, value: number, all: Iterable<readonly number[]>): void {
    for (const at of all) if (this.isActive(name, at)) this.set(name, at, value);
  }

  listOf(name: string): SNode {
    return this.sparse(name)
      .filter((n) => n.kind === 'dynamic')
      .at(-1)!;
  }

  sparse(name: string): readonly SNode[] {
    return this.tree.fields
      .get(name)!
      .path.map((id) => this.tree.nodes[id])
      .filter((n) => n.pointer || n.bitmasked || n.kind === 'hash' || n.kind === 'dynamic');
  }

  /** The node in whose cells a field lies. */
  holder(name: string): SNode {
    return this.tree.nodes[this.tree.fields.get(name)!.path.at(-2)!];
  }

  private empty(id: number): void {
    const { field, children } = this.tree.nodes[id];
    this.active.delete(id);
    if (field) this.values.delete(field.name);
    children.forEach((c) => this.empty(c));
  }

  private decl(name: string): FieldDecl {
    return this.tree.fields.get(name)!.field;
  }

  private isCell(n: SNode, place: readonly number[]): boolean {
    return this.active.get(n.id)?.has(String(place)) ?? false;
  }

  private cellsOf(name: string, list: readonly number[]): readonly (readonly number[])[] {
    const n = this.listOf(name);
    const own = this.axes(n).indexOf(n.axes[0]);
    return [...(this.active.get(n.id) ?? [])].map(numbers).filter((p) => String(p.toSpliced(own, 1)) === String(list));
  }

  private drop(n: SNode, place: readonly number[]): void {
    const inside = (leaf: SNode, at: string): boolean => String(this.placeFrom(leaf, numbers(at), n)) === String(place);
    const visit = (id: number): void => {
      const node = this.tree.nodes[id];
      for (const at of [...(this.active.get(id) ?? [])]) if (inside(node, at)) this.active.get(id)!.delete(at);
      const values = node.field && this.values.get(node.field.name);
      for (const at of [...(values?.keys() ?? [])]) if (inside(node, at)) values!.delete(at);
      node.children.forEach(visit);
    };
    visit(n.id);
  }

  private place(name: string, at: readonly number[], n: SNode): readonly number[] {
    return this.placeFrom(this.tree.nodes[this.tree.fields.get(name)!.path.at(-1)!], at, n);
  }

  private placeFrom(leaf: SNode, at: readonly number[], n: SNode): readonly number[] {
    const axes = this.axes(leaf);
    return this.axes(n).map((axis) => {
      let below = 1;
      for (let node = leaf; node.id !== n.id; node = this.tree.nodes[node.parent]) below *= node.extents[axis];
      return Math.floor(at[axes.indexOf(axis)] / below);
    });
  }

  private axes(n: SNode): readonly number[] {
    const split = new Set<number>();
    for (let node = n; node.parent >= 0; node = this.tree.nodes[node.parent]) node.axes.forEach((a) => split.add(a));
    return [...split].sort((a, b) => a - b);
  }
}

const numbers = (text: string): readonly number[] => (text === '' ? [] : text.split(',').map(Number));

const inserted = (list: readonly number[], at: number, value: number): readonly number[] => [
  ...list.slice(0, at),
  value,
  ...list.slice(at),
];

/** A box of a field in which tests keep: all of it, or of a hash table the four cells around the origin, on each axis. */
export const windowOf = (tree: Layout, name: string): Box => {
  const { axes, extents, path } = tree.fields.get(name)!;
  const hashed = path.map((n) => tree.nodes[n]).find((n) => n.kind === 'hash');
  const from = axes.map((axis, a) => (hashed?.axes.includes(axis as Axis) ? -extents[a] / 2 : 0));
  return { from, to: from.map((x, a) => x + extents[a]) };
};

/** All indices of a box, row by row. */
export function* allIndices({ from, to }: Box): Generator<readonly number[]> {
  if (from.length === 0) return void (yield []);
  for (let x = from[0]; x < to[0]; x++)
    for (const inner of allIndices({ from: from.slice(1), to: to.slice(1) })) yield [x, ...inner];
}

/** Random layouts of two fields `u` (f32) and `v` (i32): all kinds of nodes, decorators and forks, small extents. */
export const randomLayout: fc.Arbitrary<Layout> = fc
  .record({
    hashed: fc.option(fc.constantFrom<Axes>([0], [0, 1], [1, 0]), { freq: 2 }),
    levels: fc.array(
      fc.record({
        axes: fc.constantFrom<Axes>([0], [1], [0, 1], [1, 0]),
        extents: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
        decorator: fc.constantFrom('none', 'pointer', 'bitmasked', 'morton', 'morton-bitmasked', 'few'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    list: fc.option(fc.record({ length: fc.integer({ min: 1, max: 4 }), pointer: fc.boolean(), tail: fc.boolean() })),
    forked: fc.boolean(),
    ambient: fc.constantFrom(0, 0, 2.5, -1),
  })
  .map(({ hashed, levels, list, forked, ambient }) => {
    const [u, v] = [field('u', 'f32', { ambient }), field('v', 'i32', { ambient: Math.trunc(ambient) })];
    const start: Branch | undefined = hashed ? hash(hashed, 4, { cells: 5 }) : undefined;
    const whole = levels.reduce<Branch | undefined>((branch, { axes, extents, decorator }) => {
      const sides = decorator.startsWith('morton') ? axes.map(() => 2) : axes.map((_, a) => extents[a]);
      const node = branch ? branch.dense(axes, sides) : dense(axes, sides);
      if (decorator === 'pointer') return node.pointer();
      if (decorator === 'few') return node.pointer({ cells: 3 });
      if (decorator === 'bitmasked') return node.bitmasked();
      if (decorator === 'morton') return node.morton();
      return decorator === 'none' ? node : node.morton().bitmasked();
    }, start)!;
    if (!list)
      return layout(
        forked ? whole.fork(dense([0], 2).place(u), dense([1], 2).bitmasked().place(v)) : whole.place(u, v),
      );
    const cells = dynamic([2], list.length);
    const inner = list.pointer ? cells.pointer() : cells;
    const branch = list.tail ? inner.dense([3], 2).place(v) : inner.place(v);
    return layout(whole.fork(dense([0], 2).place(u), branch));
  });

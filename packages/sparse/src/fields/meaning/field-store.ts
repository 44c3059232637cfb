import { combineBy, type AtomicKind, type Scalar } from '@filigree/ir';
import { ambientCodeOf, ambientOf, decoded, encoded, jointlyStored, summed } from '../layout/ambient.js';
import type { ArrayElements } from '../layout/format.js';
import { axesOf, isSparse, nodesWithin, pathTo, type Layout, type SNode } from '../layout/layout.js';
import { elementsBelow, STATUS } from '../storage/storage.js';
import type { Coordinates, FieldOps } from './field-ops.js';

/** What a launch reports when it ends: the first thing that went wrong. */
export interface Trouble {
  /** One of `STATUS`. */
  readonly status: number;
  readonly node: number;
  readonly at: Coordinates;
}

/**
 * What the fields of a layout hold, as maps from coordinates, and which cells are active: nothing of how it is stored. It is
 * the meaning of ops on fields; `fieldDialect(layout, store)` runs them on it.
 */
export class FieldStore implements FieldOps {
  /** Of fields that are encoded by themselves the codes, of others the values. */
  private readonly values = new Map<string, Map<string, Scalar>>();
  /** Active cells, by node; of lists without pointers it is the lengths that count. */
  private readonly cells = new Map<number, Map<string, Coordinates>>();
  /** Lengths of lists, by node and the coordinates of the container. */
  private readonly lengths = new Map<number, Map<string, { readonly at: Coordinates; readonly length: number }>>();
  private first: Trouble | undefined;

  constructor(readonly layout: Layout) {}

  /** The first thing that went wrong, if something did. */
  get trouble(): Trouble | undefined {
    return this.first;
  }

  /** The value of an element, the ambient one where it is not active or out of bounds. */
  load(field: string, at: Coordinates): Scalar {
    const { stored, field: decl } = this.layout.nodes[this.placeOf(field)];
    if (!stored || stored.joint) return this.values.get(field)?.get(at.join()) ?? ambientOf(this.layout, field);
    if (!stored.elements) return decoded(stored, decl!.type, this.codeOf(field, at));
    const { field: element, format } = stored.elements;
    let word = 0n;
    this.elementsOf(element.name, at).forEach((e, n) => {
      word |= BigInt(this.codeOf(element.name, e)) << BigInt(n * format.bits);
    });
    return stored.wordBits === 64 ? word : Number(word);
  }

  /** The code of an element of a field that is encoded by itself. */
  private codeOf(name: string, at: Coordinates): number | bigint {
    const { stored, field } = this.layout.nodes[this.placeOf(name)];
    return (this.values.get(name)?.get(at.join()) as number | bigint | undefined) ?? ambientCodeOf(field!, stored!);
  }

  /** Writes an element, and activates the cells around it; unless it is to activate none, then only where it is active. */
  store(field: string, at: Coordinates, value: Scalar, activate = true): void {
    this.storeWord([field], at, [value], activate);
  }

  /** Writes several fields of an element at once, which share a word. */
  storeWord(fields: readonly string[], at: Coordinates, values: readonly Scalar[], activate = true): void {
    const leaf = this.placeOf(fields[0]);
    if (!this.reach(leaf, at, activate)) return;
    const { stored: word } = this.layout.nodes[leaf];
    if (word?.elements) return this.storeElements(word.elements, at, values[0]);
    const put = (name: string, value: Scalar): void => void mapIn(this.values, name).set(at.join(), value);
    const done = new Set<string>();
    fields.forEach((name, n) => {
      const { field, stored } = this.layout.nodes[this.placeOf(name)];
      if (!stored) return put(name, values[n]);
      if (!stored.joint) return put(name, encoded(stored, field!.type, values[n]));
      if (done.has(stored.joint.by.name)) return;
      done.add(stored.joint.by.name);
      const members = stored.joint.members.map((m) => m.field.name);
      const given = members.map((m) => (fields.includes(m) ? values[fields.lastIndexOf(m)] : this.load(m, at)));
      jointlyStored(stored.joint, given).forEach((value, k) => put(members[k], value));
    });
  }

  /** Writes the elements that lie in a word of a bit array. */
  private storeElements({ field, format }: ArrayElements, at: Coordinates, word: Scalar): void {
    this.elementsOf(field.name, at).forEach((e, n) => {
      const code = (BigInt(word) >> BigInt(n * format.bits)) & ((1n << BigInt(format.bits)) - 1n);
      mapIn(this.values, field.name).set(e.join(), format.bits > 32 ? code : Number(code));
    });
  }

  /** Coordinates of the elements that lie in a word of a bit array, the cell of the node around the array. */
  private elementsOf(field: string, word: Coordinates): readonly Coordinates[] {
    const { layout } = this;
    const { id, axes, extents, parent } = layout.nodes[layout.nodes[this.placeOf(field)].parent];
    const [own, around] = [axesOf(layout, id), axesOf(layout, parent)];
    const first = own.map((a) => (around.includes(a) ? word[around.indexOf(a)] * extents[a] : 0));
    return axes.reduce<readonly Coordinates[]>(
      (all, axis) =>
        all.flatMap((at) =>
          Array.from({ length: extents[axis] }, (_, digit) => at.map((x, n) => (own[n] === axis ? x + digit : x))),
        ),
      [first],
    );
  }

  /** Combines an element with a value, as `store` writes it; gives the old one. */
  atomic(field: string, at: Coordinates, kind: AtomicKind, value: Scalar, activate = true): Scalar {
    const old = this.load(field, at);
    const leaf = this.placeOf(field);
    const { stored, field: decl } = this.layout.nodes[leaf];
    if (kind !== 'add' || !stored?.format.addend)
      this.store(field, at, combineBy(decl!.type, kind)(old, value), activate);
    else if (this.reach(leaf, at, activate)) {
      const sum = summed(stored, decl!.type, this.codeOf(field, at), value);
      mapIn(this.values, field).set(at.join(), sum);
    }
    return old;
  }

  /** Activates the cells around an element, or asks whether they are active; false where nothing can be written. */
  private reach(leaf: number, at: Coordinates, activate: boolean): boolean {
    const { parent } = this.layout.nodes[leaf];
    return activate ? this.activateTo(parent, leaf, at) : this.isActive(parent, at);
  }

  /** Whether a cell of a node is active, and all around it. */
  isActive(node: number, at: Coordinates): boolean {
    return (
      this.isInside(node, at) &&
      pathTo(this.layout.nodes, node).every((id) => {
        const n = this.layout.nodes[id];
        const cell = this.around(id, node, at);
        if (n.kind === 'dynamic' && this.numberIn(n, cell) >= this.length(id, this.around(n.parent, node, at)))
          return false;
        return !hasCells(n) || this.cells.get(id)?.has(cell.join()) === true;
      })
    );
  }

  /** Activates the cell of a node, and all around it. */
  activate(node: number, at: Coordinates): void {
    this.activateTo(node, node, at);
  }

  /** Takes out a cell of a node, and all within it; of a node that is not sparse what lies in the cell becomes ambient. */
  deactivate(node: number, at: Coordinates): void {
    if (this.isInside(node, at)) this.remove(node, node, at);
  }

  /** Adds a cell to a list; gives its number, and that just past the last where there is no room or no list. */
  append(node: number, container: Coordinates): number {
    const { parent, extents, axes } = this.layout.nodes[node];
    const most = extents[axes[0]];
    if (!this.activateTo(parent, parent, container)) return most;
    const length = this.length(node, container);
    if (length >= most) {
      this.report(STATUS.listFull, node, container);
      return most;
    }
    this.lengthen(node, container, length + 1);
    return length;
  }

  /** Cells of a list; 0 where there is none. */
  length(node: number, container: Coordinates): number {
    return this.lengths.get(node)?.get(container.join())?.length ?? 0;
  }

  /** Empties a list. */
  clear(node: number, container: Coordinates): void {
    const { parent } = this.layout.nodes[node];
    if (this.isInside(parent, container)) this.remove(parent, node, container);
  }

  /** Takes out all cells of a node, and all within them. */
  clearAll(node: number): void {
    this.remove(0, node, []);
  }

  /** Coordinates of the active cells of a node, a list of its own that later changes do not change. */
  active(node: number): readonly Coordinates[] {
    let found: readonly Coordinates[] = [[]];
    for (const id of pathTo(this.layout.nodes, node)) {
      const n = this.layout.nodes[id];
      found =
        n.kind === 'hash'
          ? [...(this.cells.get(id)?.values() ?? [])]
          : found.flatMap((container) => this.cellsOf(n, container));
      if (hasCells(n)) found = found.filter((at) => this.cells.get(id)?.has(at.join()));
    }
    return found;
  }

  /** Coordinates of the cells in a container, active or not; of a list as many as it is long. */
  private cellsOf(n: SNode, container: Coordinates): readonly Coordinates[] {
    const above = axesOf(this.layout, n.parent);
    return axesOf(this.layout, n.id).reduce<readonly Coordinates[]>(
      (all, axis) => {
        const count =
          n.kind === 'dynamic' && n.axes.includes(axis as never) ? this.length(n.id, container) : n.extents[axis];
        const from = (above.includes(axis) ? container[above.indexOf(axis)] : 0) * n.extents[axis];
        return all.flatMap((at) => Array.from({ length: count }, (_, digit) => [...at, from + digit]));
      },
      [[]],
    );
  }

  /**
   * Activates the cells around an element of `leaf`, from the root down to a node; false where it is out of bounds. A list that
   * is asked for more than its most is full, unless another index is out of bounds.
   */
  private activateTo(node: number, leaf: number, at: Coordinates): boolean {
    if (!this.isInside(leaf, at, true)) return false;
    for (const id of pathTo(this.layout.nodes, node)) {
      const n = this.layout.nodes[id];
      const cell = this.around(id, leaf, at);
      if (n.kind === 'dynamic') {
        const number = this.numberIn(n, cell);
        if (number >= n.extents[n.axes[0]]) {
          this.report(STATUS.listFull, id, at);
          return false;
        }
        const container = this.around(n.parent, leaf, at);
        if (number >= this.length(id, container)) this.lengthen(id, container, number + 1);
      }
      if (hasCells(n)) mapIn(this.cells, id).set(cell.join(), cell);
    }
    return true;
  }

  /** Takes out what lies in a cell of `around`: of node `top`, the same or below, and all within. */
  private remove(around: number, top: number, cell: Coordinates): void {
    const axes = axesOf(this.layout, around);
    const lies = (node: number, at: Coordinates): boolean => {
      const own = axesOf(this.layout, node);
      return axes.every(
        (a, n) => Math.floor(at[own.indexOf(a)] / elementsBelow(this.layout, around, node, a)) === cell[n],
      );
    };
    for (const id of nodesWithin(this.layout, top)) {
      const { field, parent } = this.layout.nodes[id];
      const values = field && this.values.get(field.name);
      for (const key of values?.keys() ?? []) if (lies(id, coordinatesOf(key))) values!.delete(key);
      for (const [key, at] of this.cells.get(id) ?? []) if (lies(id, at)) this.cells.get(id)!.delete(key);
      if (id === around) continue;
      for (const [key, { at }] of this.lengths.get(id) ?? []) if (lies(parent, at)) this.lengths.get(id)!.delete(key);
    }
  }

  /** Whether indices are within bounds; `grown` where a list is to hold whatever is not negative. */
  private isInside(leaf: number, at: Coordinates, grown = false): boolean {
    const path = pathTo(this.layout.nodes, leaf).map((id) => this.layout.nodes[id]);
    return axesOf(this.layout, leaf).every((axis, n) => {
      const splitting = path.filter((p) => p.axes.includes(axis as never));
      if (splitting.some((p) => p.kind === 'hash')) return true;
      if (at[n] < 0) return false;
      if (grown && splitting.some((p) => p.kind === 'dynamic')) return true;
      return at[n] < splitting.reduce((x, p) => x * p.extents[axis], 1);
    });
  }

  /** The cell of a node in which an element of `leaf` lies. */
  private around(node: number, leaf: number, at: Coordinates): Coordinates {
    const axes = axesOf(this.layout, leaf);
    return axesOf(this.layout, node).map((a) =>
      Math.floor(at[axes.indexOf(a)] / elementsBelow(this.layout, node, leaf, a)),
    );
  }

  private numberIn(list: SNode, cell: Coordinates): number {
    return cell[axesOf(this.layout, list.id).indexOf(list.axes[0])];
  }

  private lengthen(node: number, container: Coordinates, length: number): void {
    mapIn(this.lengths, node).set(container.join(), { at: container, length });
  }

  private placeOf(field: string): number {
    return this.layout.fields.get(field)!.path.at(-1)!;
  }

  private report(status: number, node: number, at: Coordinates): void {
    this.first ??= { status, node, at };
  }
}

/** Whether cells of a node are active one by one, and not only by the length of their list. */
const hasCells = (n: SNode): boolean => isSparse(n) && (n.kind !== 'dynamic' || n.pointer);

const coordinatesOf = (key: string): Coordinates => (key === '' ? [] : key.split(',').map(Number));

const mapIn = <K, V>(maps: Map<K, Map<string, V>>, key: K): Map<string, V> => {
  const known = maps.get(key) ?? new Map<string, V>();
  maps.set(key, known);
  return known;
};

import { arrayConstructor, type AtomicKind, type Scalar, type TypedArray } from '@filigree/ir';
import { arenaIn, type Arena } from '../arena/arena.js';
import { visitElements } from '../arena/elements.js';
import { cellNumber, pathTowards, quotients, type Path } from '../arena/path.js';
import { combineValue, readValue, writeValue, writeWord } from '../arena/values.js';
import { settleAll } from '../arena/release.js';
import { dropAll, dropCell, findCell } from '../arena/structure.js';
import { ambientOf } from '../layout/ambient.js';
import { isSparse } from '../layout/layout.js';
import { initializeArena } from '../storage/initialize.js';
import type { Storage } from '../storage/storage.js';
import type { Coordinates, FieldOps } from './field-ops.js';
import { microOps } from './micro-ops.js';
import { append, clear, further, isLost, lengthOf, lookup, type Place } from './micro-access.js';

/**
 * Fields in an arena: the meaning of ops on fields, and of micro-accesses, for modules of which some ops have been lowered to
 * memory. These find the same memory in `buffers`.
 */
export class ArenaStore implements FieldOps {
  /** The memory as kernels see it, by the names of `storage.buffers`. */
  readonly buffers: Readonly<Record<string, TypedArray>>;
  /** The memory while a kernel runs. */
  readonly arena: Arena;
  /** What micro-accesses do there, by the names of the ops. */
  readonly microOps: ReturnType<typeof microOps>;
  private readonly paths = new Map<number, Path>();

  /** Nothing is active. */
  constructor(readonly storage: Storage) {
    const memory = new ArrayBuffer(storage.bytes);
    this.buffers = Object.fromEntries(
      storage.buffers.map((b) => [b.name, new (arrayConstructor(b.type))(memory, 0, b.length)]),
    );
    this.arena = { ...arenaIn(storage, this.buffers), inKernel: true };
    this.microOps = microOps(this.arena);
    initializeArena(storage, this.arena.words);
  }

  /** What a kernel reported, one of `STATUS`. */
  get status(): number {
    return this.arena.words[this.storage.status / 4];
  }

  /** What is to be done when kernels have run: cells that they gave back are there again for others. */
  settle(): void {
    settleAll({ ...this.arena, inKernel: false });
  }

  load(field: string, at: Coordinates): Scalar {
    const { path, place } = this.placed(field);
    const cell = isInside(path, at) ? findCell(this.arena, path, at) : -1;
    return cell < 0 ? ambientOf(this.storage.layout, field) : readValue(this.arena, place.node, cell + place.offset);
  }

  store(field: string, at: Coordinates, value: Scalar, activate = true): void {
    const { place } = this.placed(field);
    const cell = this.cellFor(field, at, activate);
    if (!isLost(cell)) writeValue(this.arena, place.node, cell + place.offset, value);
  }

  storeWord(fields: readonly string[], at: Coordinates, values: readonly Scalar[], activate = true): void {
    const { place } = this.placed(fields[0]);
    const cell = this.cellFor(fields[0], at, activate);
    if (isLost(cell)) return;
    const writings = fields.map((name, n) => ({ node: this.placed(name).place.node, value: values[n] }));
    writeWord(this.arena, writings, cell + place.offset);
  }

  atomic(field: string, at: Coordinates, kind: AtomicKind, value: Scalar, activate = true): Scalar {
    const old = this.load(field, at);
    const { place } = this.placed(field);
    const cell = this.cellFor(field, at, activate);
    if (!isLost(cell)) combineValue(this.arena, place.node, cell + place.offset, kind, value);
    return old;
  }

  isActive(node: number, at: Coordinates): boolean {
    const path = this.pathTo(node);
    return isInside(path, at) && findCell(this.arena, path, at) >= 0;
  }

  activate(node: number, at: Coordinates): void {
    this.grow(this.pathTo(node), at);
  }

  deactivate(node: number, at: Coordinates): void {
    const path = this.pathTo(node);
    if (isInside(path, at)) dropCell(this.arena, path, at);
  }

  append(node: number, container: Coordinates): number {
    const at = this.storage.nodes[node];
    const cell = this.grow(this.pathTo(at.node.parent), container);
    return append(this.arena, at, further(cell, at.offset), container, 0);
  }

  length(node: number, container: Coordinates): number {
    const list = this.listAt(node, container);
    return list === undefined ? 0 : lengthOf(this.arena, this.storage.nodes[node], list);
  }

  clear(node: number, container: Coordinates): void {
    const list = this.listAt(node, container);
    if (list !== undefined) clear(this.arena, this.storage.nodes[node], list);
  }

  clearAll(node: number): void {
    dropAll(this.arena, this.pathTo(node));
  }

  active(node: number): readonly Coordinates[] {
    const found: Coordinates[] = [];
    if (node === 0) return [[]];
    visitElements(this.arena, this.pathTo(node), (_cell, at) => void found.push([...at]));
    return found;
  }

  /** The cell at these indices, activated with all around it; a lost place where it is out of bounds, or finds no room. */
  private grow(path: Path, at: Coordinates): Place {
    if (!isInside(path, at, true)) return LOST;
    let cell: Place = this.storage.root;
    for (const step of path.steps) {
      cell = lookup(this.arena, {
        at: step.at,
        container: further(cell, step.at.offset),
        number: step.at.length === undefined ? cellNumber(step, at) : quotients(step.digits, at)[0],
        coordinates: quotients(step.cell, at),
        inside: true,
        activate: isSparse(step.at.node),
        written: true,
        past: true,
        site: 0,
      });
      if (isLost(cell)) return cell;
    }
    return cell;
  }

  private listAt(node: number, container: Coordinates): Place | undefined {
    const at = this.storage.nodes[node];
    const around = this.pathTo(at.node.parent);
    const cell = isInside(around, container) ? findCell(this.arena, around, container) : -1;
    return cell < 0 ? undefined : cell + at.offset;
  }

  private pathTo(node: number): Path {
    const path = this.paths.get(node) ?? pathTowards(this.storage, node);
    this.paths.set(node, path);
    return path;
  }

  /** The cell of an element that is to be written; lost where there is none. */
  private cellFor(field: string, at: Coordinates, activate: boolean): Place {
    const { path } = this.placed(field);
    if (activate) return this.grow(path, at);
    return isInside(path, at) ? findCell(this.arena, path, at) : LOST;
  }

  private placed(name: string) {
    const { layout, nodes } = this.storage;
    const { path } = layout.fields.get(name)!;
    return { path: this.pathTo(path.at(-2) ?? 0), place: nodes[path.at(-1)!] };
  }
}

/** Whether indices are within bounds; `grown` where a list is to hold whatever is not negative. */
const isInside = ({ extents, axes, steps }: Path, at: Coordinates, grown = false): boolean =>
  extents.every((extent, n) => {
    if (extent === undefined) return true;
    if (at[n] < 0) return false;
    const list = grown && steps.some((s) => s.at.length !== undefined && s.at.node.axes.includes(axes[n]));
    return list || at[n] < extent;
  });

/* A place in no sink in particular. */
const LOST: Place = -1;

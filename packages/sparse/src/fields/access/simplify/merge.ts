import { opKey, type Buffer, type Builder, type Dialect, type Kernel, type Op, type Value } from '@filigree/ir';
import { isSparse, nodeOf, type SNode } from '../../layout/layout.js';
import { nodeStorage, type NodeStorage, type Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';
import { outsideKey, unguarded } from '../guards.js';
import { ScopedMap, walkKernel } from './walker.js';

/**
 * Merges micro-accesses that find the same cell (thesis §4.2, appendix F), and turns those that find a cell at a fixed
 * distance from it into offsets. What is known about a cell:
 *
 * - a cell inside its container stays where it is, whatever happens;
 * - a cell that a lookup without activation found behind a pointer stays valid until a cell of its node is activated
 *   (that may be the very cell that was missing) or deactivated;
 * - a cell that was activated, or is promised to be active, stays active until something of its node is deactivated.
 *   Later lookups of the same cell then need not activate it.
 */
export const mergeAccesses = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const state = new Knowledge(storage);
  return walkKernel(kernel, dialects, buffers, {
    around: (op, when) => {
      /* An iteration may follow another one; a branch begins with what was known before it. */
      if (when === 'after' || op.name !== 'scf.if') state.affect(footprint(op));
      if (op.name === 'scf.if') state.branches(when);
    },
    region: (op, _index, when) => {
      state.region(when);
      if (op.name === 'scf.if' && when === 'enter') state.restart();
    },
    visit: (op, b) => {
      const found = state.find(op, b);
      if (found) return found;
      if (op.regions.length === 0) state.affect(footprint(op));
      state.add(op);
      return undefined;
    },
  });
};

/** A cell that was found, and since when. */
interface Found {
  readonly cell: Value;
  /** Whether it is active, as long as nothing of its node is deactivated. */
  readonly active: boolean;
  readonly since: number;
}

/** The lookup in whose terms others of the same container are expressed. */
interface Reference {
  readonly cell: Value;
  readonly digits: readonly Affine[];
}

/** value + plus; without a value just a number. */
interface Affine {
  readonly value: Value | undefined;
  readonly plus: number;
}

class Knowledge {
  private readonly pure = new ScopedMap<string, readonly Value[]>();
  private readonly cells = new ScopedMap<string, Found>();
  private readonly references = new ScopedMap<string, Reference>();
  private readonly definitions = new Map<number, Op>();
  /** When a cell of each node was last activated and deactivated. */
  private activated = new Map<number, number>();
  private deactivated = new Map<number, number>();
  private now = 1;
  private readonly saved: (readonly [Map<number, number>, Map<number, number>])[] = [];

  constructor(private readonly storage: Storage) {}

  region(when: 'enter' | 'leave'): void {
    for (const map of [this.pure, this.cells, this.references])
      if (when === 'enter') map.enter();
      else map.leave();
  }

  /** Remembers what holds before a branch, for each of its regions to begin with. */
  branches(when: 'before' | 'after'): void {
    if (when === 'before') this.saved.push([this.activated, this.deactivated]);
    else this.saved.pop();
  }

  restart(): void {
    const [activated, deactivated] = this.saved[this.saved.length - 1];
    this.activated = new Map(activated);
    this.deactivated = new Map(deactivated);
  }

  affect({ activates, deactivates }: Footprint): void {
    for (const n of activates) this.activated.set(n, ++this.now);
    for (const n of deactivates) this.deactivated.set(n, ++this.now);
  }

  /** Values that the results of an op are known to be. */
  find(op: Op, b: Builder): readonly Value[] | undefined {
    if (op.name === 'snode.lookup') return this.findCell(op, b);
    if (op.name === 'snode.is_active') {
      const found = this.cells.get(keyOf(op, this.node(op)));
      return found && this.isActive(found, this.node(op)) ? [b.bool(true)] : undefined;
    }
    return merged.has(op.name) ? this.pure.get(opKey(op, false, op.results[0].type)) : undefined;
  }

  /** Notes what an op says that is kept. */
  add(op: Op): void {
    for (const r of op.results) this.definitions.set(r.id, op);
    if (merged.has(op.name)) this.pure.set(opKey(op, false, op.results[0].type), op.results);
    if (op.name !== 'snode.lookup') return;
    const { node } = nodeStorage(this.storage, op);
    const active = !isSparse(node) || op.attrs.activate === true || op.attrs.known === true;
    this.cells.set(keyOf(op, node), { cell: op.results[0], active, since: ++this.now });
    this.addReference(op, op.results[0]);
  }

  private findCell(op: Op, b: Builder): readonly Value[] | undefined {
    const at = nodeStorage(this.storage, op);
    const { node } = at;
    const key = keyOf(op, node);
    const found = this.cells.get(key);
    const mustBeActive = op.attrs.activate === true;
    if (found && (mustBeActive ? this.isActive(found, node) : this.isValid(found, at))) {
      /* A promise adds to what is known of the cell. */
      if (op.attrs.known === true && !this.isActive(found, node))
        this.cells.set(key, { cell: found.cell, active: true, since: ++this.now });
      return [found.cell];
    }
    if (mustBeActive || at.pool) return undefined;
    const cell = this.atOffset(op, at, b);
    if (!cell) return undefined;
    this.cells.set(key, { cell, active: !isSparse(node) || op.attrs.known === true, since: ++this.now });
    return [cell];
  }

  private isActive({ active, since }: Found, node: SNode): boolean {
    return active && (!isSparse(node) || (this.deactivated.get(node.id) ?? 0) < since);
  }

  private isValid(found: Found, { node, pool }: NodeStorage): boolean {
    if (!pool || this.isActive(found, node)) return true;
    const changed = Math.max(this.activated.get(node.id) ?? 0, this.deactivated.get(node.id) ?? 0);
    return changed < found.since;
  }

  /** A cell of a container in which another one is known whose digits differ by numbers. */
  private atOffset(op: Op, at: NodeStorage, b: Builder): Value | undefined {
    const digits = this.digitsOf(op);
    if (!digits || at.node.morton) return undefined;
    const reference = this.references.get(referenceKey(op, digits));
    if (!reference) return undefined;
    const cells = at.node.axes.reduce(
      (sum, axis, n) => sum + (digits[n].plus - reference.digits[n].plus) * at.strides[axis],
      0,
    );
    return cells === 0 ? reference.cell : b.value('snode.offset', [reference.cell], { bytes: cells * at.cellBytes });
  }

  private addReference(op: Op, cell: Value): void {
    if (nodeStorage(this.storage, op).pool) return;
    const digits = this.digitsOf(op);
    if (digits) this.references.set(referenceKey(op, digits), { cell, digits });
  }

  private digitsOf(op: Op): readonly Affine[] | undefined {
    const number = op.operands[1] && this.definitions.get(op.operands[1].id);
    return number?.name === 'snode.linearize' ? number.operands.map((v) => this.affine(v)) : undefined;
  }

  private affine(v: Value): Affine {
    const op = this.definitions.get(v.id);
    if (op?.name === 'arith.constant') return { value: undefined, plus: Number(op.attrs.value) };
    if (op?.name !== 'arith.add') return { value: v, plus: 0 };
    const [x, y] = op.operands.map((o) => this.affine(o));
    if (!y.value) return { value: x.value, plus: x.plus + y.plus };
    return x.value ? { value: v, plus: 0 } : { value: y.value, plus: x.plus + y.plus };
  }

  private node(op: Op): SNode {
    return nodeOf(this.storage.layout, op)!;
  }
}

/** Ops that always give the same for the same operands. */
const merged = new Set([
  'arith.constant',
  'arith.add',
  'arith.mul',
  'arith.shl',
  'snode.index',
  'snode.clamp',
  'snode.inside',
  'snode.extract',
  'snode.linearize',
  'snode.root',
  'snode.child',
  'snode.offset',
]);

/**
 * What tells cells apart: container and number, in a hash table the coordinates; and what must hold for there to be one, as
 * otherwise what is read and what is written are different cells.
 */
const keyOf = (op: Op, node: SNode): string => {
  const place = node.kind === 'hash' ? unguarded(op) : op.operands.slice(0, 2);
  return `${node.id} ${place.map((v) => v.id).join()} ${outsideKey(op)}`;
};

/* Out of bounds cells of different rows are in one row. */
const referenceKey = (op: Op, digits: readonly Affine[]): string => {
  const outside = outsideKey(op);
  const row = outside === '' ? '' : digits[0].plus;
  return `${String(op.attrs.node)} ${op.operands[0].id} ${digits.map((d) => d.value?.id ?? '').join()} ${row} ${outside}`;
};

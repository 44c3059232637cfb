import { combineBy, pipeline, verify, type AtomicKind, type Module, type Pass, type Scalar } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { ArenaStore } from '@filigree/sparse/meaning';
import {
  RESERVED_CELLS,
  STATUS,
  axesOf,
  elementsBelow,
  fieldDialects,
  pathTo,
  pathTowards,
  storageOf,
  type Coordinates,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerAccess, lowerFields, lowerLoops, lowerSNodes } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, logOf, moduleOf, type Case, type Program } from './access-model.js';
import { ownBuffers, runInArena, runOnFields, statusOf } from './field-meaning.js';
import { right } from './support.js';

/** Runs a program through passes on an arena, and as it is on maps; gives what both saw. */
const both = (
  { shape, program, args }: Case,
  passes: (storage: Storage) => readonly Pass<Module>[],
  { change = (s: Storage) => s, store = new FieldStore(shape) } = {},
) => {
  const storage = change(storageOf(shape, { budget: 1 << 20 }));
  const written = moduleOf(shape, program);
  const lowered = right(pipeline(passes(storage), { check: verify(fieldDialects(shape)) }).run(written));
  const arena = new ArenaStore(storage);
  const [log, wanted] = [ownBuffers(written), ownBuffers(written)];
  runInArena(lowered, arena, log, 'main', args);
  runOnFields(written, store, wanted, 'main', args);
  return { storage, arena, log: logOf(log), status: arena.status, wanted: logOf(wanted), store };
};

type Passes = (storage: Storage) => readonly Pass<Module>[];

const nothing = {
  split: false,
  digits: false,
  merge: false,
  hoist: false,
  forward: false,
  batch: false,
  prefetch: false,
};

const variants: readonly (readonly [string, Passes])[] = [
  ['lowered as it is', (s) => [lowerLoops(s), lowerAccess(s), lowerSNodes(s)]],
  ['simplified', (s) => [lowerFields(s)]],
  ['with digits resolved', (s) => [lowerFields(s, { simplify: { ...nothing, digits: true } })]],
  ['merged', (s) => [lowerFields(s, { simplify: { ...nothing, merge: true } })]],
  ['hoisted', (s) => [lowerFields(s, { simplify: { ...nothing, digits: true, hoist: true } })]],
  ['forwarded', (s) => [lowerFields(s, { simplify: { ...nothing, merge: true, forward: true } })]],
  ['activated in batches', (s) => [lowerFields(s, { simplify: { ...nothing, batch: true } })]],
  ['with places asked for ahead', (s) => [lowerFields(s, { simplify: { ...nothing, prefetch: true } })]],
  ['simplified and optimised', (s) => [lowerFields(s), defaultPipeline()]],
];

describe('random programs on random layouts do what they do on a map', () => {
  it.each(variants)('%s', (_name, passes) => {
    fc.assert(
      fc.property(cases(), (c) => {
        const { log, wanted, status, store } = both(c, passes);
        expect(log).toEqual(wanted);
        expect(status).toBe(statusOf(store));
      }),
      { numRuns: 20 },
    );
  });

  it('with addresses of 64 bits', () => {
    fc.assert(
      fc.property(cases(), fc.constantFrom(variants[0], variants[1]), (c, [, passes]) => {
        const { log, wanted } = both(c, passes, { change: (s) => ({ ...s, index: 'i64' }) });
        expect(log).toEqual(wanted);
      }),
      { numRuns: 20 },
    );
  });

  it('with every index checked', () => {
    fc.assert(
      fc.property(cases(), (c) => {
        const passes: Passes = (s) => [lowerLoops(s), lowerAccess(s, { checks: true }), lowerSNodes(s)];
        const checked = new CheckedStore(c.shape);
        const { log, wanted, status } = both(c, passes, { store: checked });
        expect(log).toEqual(wanted);
        expect(status).toBe(checked.status);
      }),
      { numRuns: 20 },
    );
  });

  it('and when memory runs out they end, say so, and leave the ambient cells alone', () => {
    fc.assert(
      fc.property(cases({ cells: 2 }), fc.constantFrom(variants[0], variants[1]), (c, [name, passes]) => {
        const { log, status, storage, arena } = both(c, passes);
        const { words } = arena.arena;
        /* Maps have room for everything, so it is compared with ops on fields in an arena. */
        const asWritten = new ArenaStore(storage);
        const wanted = ownBuffers(moduleOf(c.shape, c.program));
        runInArena(moduleOf(c.shape, c.program), asWritten, wanted, 'main', c.args);
        /*
         * What an outermost op deactivates is collected after it, in an arena after the kernel, so lowered code may have room for
         * longer, but not for less.
         */
        if (asWritten.status === STATUS.fine || !givesBack(c.program)) {
          /* Activations in another order may leave other elements without a cell. */
          if (name === variants[0][0]) {
            expect(log).toEqual(logOf(wanted));
            expect(status).toBe(asWritten.status);
          } else expect(status === STATUS.fine).toBe(asWritten.status === STATUS.fine);
        }
        for (const { pool, cellBytes } of storage.nodes)
          if (pool && cellBytes > 0) {
            const cell = words.slice(pool.cells / 4, (pool.cells + cellBytes) / 4);
            expect([...cell]).toEqual([...fresh(storage).slice(pool.cells / 4, (pool.cells + cellBytes) / 4)]);
          }
        expect(orphans(storage, words)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

/** Whether a program deactivates cells. */
const givesBack = (program: Program): boolean =>
  program.some((s) => {
    if (s.is === 'if') return givesBack(s.then) || givesBack(s.otherwise);
    return 'body' in s ? givesBack(s.body) : s.is === 'deactivate' || s.is === 'clear';
  });

/** Active cells of pools whose coordinates are out of bounds, or those of no active cell of the pool around. */
const orphans = ({ layout: shape, nodes }: Storage, words: Int32Array): string[] => {
  const active = new Map<number, Set<string>>();
  const found: string[] = [];
  nodes.forEach(({ pool }, id) => {
    if (!pool) return;
    const around = [...pathTo(shape.nodes, id)].reverse().find((n) => n !== id && nodes[n].pool);
    const own = new Set<string>();
    active.set(id, own);
    for (let cell = RESERVED_CELLS; cell < pool.capacity; cell++) {
      if (words[pool.active / 4 + cell] === 0) continue;
      const at = [...words.slice(pool.coordinates / 4 + cell * pool.axes.length).slice(0, pool.axes.length)];
      own.add(at.join());
      const outside = pool.axes.some((axis, n) => {
        const extents = pathTo(shape.nodes, id).map((x) => shape.nodes[x]);
        const bounded = !extents.some((x) => x.kind === 'hash' && x.axes.includes(axis));
        return bounded && (at[n] < 0 || at[n] >= extents.reduce((e, x) => e * x.extents[axis], 1));
      });
      const parent =
        around === undefined
          ? undefined
          : axesOf(shape, around).map((axis) =>
              Math.floor(at[pool.axes.indexOf(axis)] / elementsBelow(shape, around, id, axis)),
            );
      if (outside || (parent && !active.get(around!)!.has(parent.join()))) found.push(`node ${id}: ${at.join()}`);
    }
  });
  return found;
};

const fresh = (storage: Storage): Int32Array => new ArenaStore(storage).arena.words;

/** Maps that say as well what is out of bounds, or read beyond the end of a list, as a module does that checks it. */
class CheckedStore extends FieldStore {
  private noticed: number = STATUS.fine;

  get status(): number {
    return this.noticed === STATUS.fine ? statusOf(this) : this.noticed;
  }

  override load(field: string, at: Coordinates): Scalar {
    const leaf = this.layout.fields.get(field)!.path.at(-1)!;
    this.check(leaf, at);
    for (const id of pathTo(this.layout.nodes, leaf)) {
      const { kind, axes, parent } = this.layout.nodes[id];
      if (kind !== 'dynamic') continue;
      const own = axesOf(this.layout, leaf);
      const around = axesOf(this.layout, parent).map((a) =>
        Math.floor(at[own.indexOf(a)] / elementsBelow(this.layout, parent, leaf, a)),
      );
      this.note(at[own.indexOf(axes[0])] >= super.length(id, around), STATUS.beyondList);
    }
    return super.load(field, at);
  }

  override store(field: string, at: Coordinates, value: Scalar, activate = true): void {
    this.check(this.layout.fields.get(field)!.path.at(-1)!, at);
    super.store(field, at, value, activate);
  }

  override atomic(field: string, at: Coordinates, kind: AtomicKind, value: Scalar, activate = true): Scalar {
    const { field: f } = this.layout.fields.get(field)!;
    const old = super.load(field, at);
    this.store(field, at, combineBy(f.type, kind)(old, value), activate);
    return old;
  }

  override isActive(node: number, at: Coordinates): boolean {
    this.check(node, at);
    return super.isActive(node, at);
  }

  override activate(node: number, at: Coordinates): void {
    this.check(node, at);
    super.activate(node, at);
  }

  override deactivate(node: number, at: Coordinates): void {
    this.check(node, at);
    super.deactivate(node, at);
  }

  override append(node: number, container: Coordinates): number {
    this.check(this.layout.nodes[node].parent, container);
    return super.append(node, container);
  }

  override length(node: number, container: Coordinates): number {
    this.check(this.layout.nodes[node].parent, container);
    return super.length(node, container);
  }

  override clear(node: number, container: Coordinates): void {
    this.check(this.layout.nodes[node].parent, container);
    super.clear(node, container);
  }

  private check(node: number, at: Coordinates): void {
    const { extents } = pathTowards(storageOf(this.layout, { budget: 1 << 10 }), node);
    this.note(
      extents.some((extent, n) => extent !== undefined && (at[n] < 0 || at[n] >= extent)),
      STATUS.outOfBounds,
    );
  }

  private note(wrong: boolean, what: number): void {
    if (wrong && this.status === STATUS.fine) this.noticed = what;
  }
}

import { opTable, type Dialect, type Op } from '@filigree/ir';
import { arenaName, type Storage } from '../../storage/storage.js';
import { structureName, valueName } from '../field-dialect.js';

/** What an op, its regions included, may do to the structure and the values of a layout. */
export interface Footprint {
  /** Nodes of which cells may become active. */
  readonly activates: ReadonlySet<number>;
  /** Nodes of which cells may no longer be. */
  readonly deactivates: ReadonlySet<number>;
  /** Nodes of which somebody asks whether a cell is active. */
  readonly asks: ReadonlySet<number>;
  /** Fields written, and fields read. */
  readonly writes: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

/** Footprints by the effects that the dialects state, computed once for each op. */
export const footprints = (storage: Storage, dialects: readonly Dialect[]): ((op: Op) => Footprint) => {
  const table = opTable(dialects);
  const { layout } = storage;
  const nodes = layout.nodes.map((n) => n.id);
  const node = new Map(layout.nodes.map((n) => [structureName(n), n.id]));
  /* Fields by what effects call their words. */
  const words = new Map<string, string[]>();
  for (const n of layout.nodes) if (n.field) words.set(valueName(n), [...(words.get(valueName(n)) ?? []), n.name]);
  const everything = { nodes: new Set(nodes), fields: new Set(layout.fields.keys()) };
  const arena = new Set(storage.buffers.map((b) => b.name));
  const structure = arenaName(storage.memory, 'i32');
  const known = new WeakMap<Op, Footprint>();
  /* Loads of one field, and lookups of one node, have the same. */
  const alike = new Map<string, Footprint>();

  const own = (op: Op): Footprint => {
    const def = table.get(op.name);
    if (def?.traits.elementwise === true || def?.traits.constant === true) return nothing;
    const effects = def?.effects(op) ?? [{ kind: 'write' as const }];
    if (effects.length === 0) return nothing;
    let key = op.name;
    for (const { kind, buffer } of effects) key += ` ${kind} ${buffer ?? ''}`;
    const same = alike.get(key);
    if (same) return same;
    const f = mutable();
    alike.set(key, f);
    for (const { kind, buffer } of effects) {
      const changes = kind !== 'read';
      const id = buffer === undefined ? undefined : node.get(buffer);
      const names = buffer === undefined ? undefined : words.get(buffer);
      if (id !== undefined) {
        if (!changes) {
          if (op.name !== 'snode.lookup') f.asks.add(id);
        } else if (growing.has(op.name)) f.activates.add(id);
        else f.deactivates.add(id);
        /* Where a list ends is what an append gives. */
        if (op.name.endsWith('.append')) f.asks.add(id);
      } else if (names !== undefined) {
        for (const name of names) {
          if (kind !== 'read') f.writes.add(name);
          if (kind !== 'write') f.reads.add(name);
        }
      } else if (buffer === undefined || arena.has(buffer)) {
        /* Something works on the arena by address. */
        if (buffer === undefined || buffer === structure) {
          if (changes) addAll(f.deactivates, everything.nodes);
          addAll(f.asks, everything.nodes);
        }
        if (changes) addAll(f.writes, everything.fields);
        addAll(f.reads, everything.fields);
      }
    }
    return f;
  };

  const footprint = (op: Op): Footprint => {
    if (op.regions.length === 0) return own(op);
    const seen = known.get(op);
    if (seen) return seen;
    const f = mutable();
    join(f, own(op));
    for (const region of op.regions)
      for (const inner of region.ops) {
        const part = footprint(inner);
        if (part !== nothing) join(f, part);
      }
    known.set(op, f);
    return f;
  };
  return footprint;
};

const growing = new Set([
  'snode.lookup',
  'snode.lookup_all',
  'snode.append',
  'field.store',
  'field.store_word',
  'field.atomic',
  'field.append',
  'field.activate',
]);

const mutable = () => ({
  activates: new Set<number>(),
  deactivates: new Set<number>(),
  asks: new Set<number>(),
  writes: new Set<string>(),
  reads: new Set<string>(),
});

const nothing: Footprint = mutable();

const addAll = <T>(to: Set<T>, from: ReadonlySet<T>): void => from.forEach((x) => to.add(x));

const join = (to: ReturnType<typeof mutable>, from: Footprint): void => {
  addAll(to.activates, from.activates);
  addAll(to.deactivates, from.deactivates);
  addAll(to.asks, from.asks);
  addAll(to.writes, from.writes);
  addAll(to.reads, from.reads);
};

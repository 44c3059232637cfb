import {
  mapKernels,
  opTable,
  opWith,
  makeOp,
  pass,
  type Module,
  type Op,
  type OpTable,
  type Pass,
  type Region,
  type Value,
} from '@filigree/ir';
import {
  fieldDialects,
  guardedPlace,
  guardsOf,
  nodeOf,
  Places,
  unguarded,
  valueName,
  type Layout,
  type Place,
  type Storage,
} from '@filigree/sparse/fields';

/**
 * Bit struct store fusion (thesis §5.6.1): stores to several fields of one word become one, where the last of them stands. A store moves
 * down past everything that neither reads its field nor writes its word; of two stores to one field the later one stays.
 *
 * Takes micro-accesses before they are lowered, and leaves `snode.store_word` among them.
 */
export const fuseStores = (storage: Storage): Pass<Module> => {
  const { layout } = storage;
  const table = opTable(fieldDialects(layout));
  const arena = new Set(storage.buffers.map((b) => b.name));
  return pass('fuse-stores', (module) =>
    mapKernels(module, (kernel) => {
      const body = fused({ layout, table, arena, places: new Places() }, kernel.body);
      return body === kernel.body ? kernel : { ...kernel, body };
    }),
  );
};

interface Context {
  readonly layout: Layout;
  readonly table: OpTable;
  /** Buffers in which words lie. */
  readonly arena: ReadonlySet<string>;
  readonly places: Places;
}

/** Stores to one word that have still to be made: the last one of each field. */
interface Pending {
  readonly word: string;
  readonly place: Place;
  readonly stores: ReadonlyMap<string, Op>;
}

const fused = (c: Context, region: Region): Region => {
  let pending: readonly Pending[] = [];
  let changed = false;
  const ops: Op[] = [];
  const flush = (isDue: (p: Pending) => boolean): void => {
    ops.push(...pending.filter(isDue).map(({ stores }) => together([...stores.values()])));
    pending = pending.filter((p) => !isDue(p));
  };
  for (const given of region.ops) {
    c.places.note(given);
    const regions = given.regions.map((r) => fused(c, r));
    const isSame = regions.every((r, n) => r === given.regions[n]);
    const op = isSame ? given : opWith(given, { regions });
    changed ||= !isSame;
    const word = storedWord(c, op);
    if (word === undefined) {
      const isTerminator = c.table.get(op.name)?.traits.terminator === true;
      flush((p) => isTerminator || meets(c, op, p));
      ops.push(op);
      continue;
    }
    const place = guardedPlace(op, c.places.of(op.operands[1]));
    const earlier = pending.find((p) => p.word === word && isSamePlace(p.place, place));
    flush((p) => p !== earlier && p.word === word);
    const field = String(op.attrs.node);
    if (earlier) changed = true;
    const stores = new Map(earlier?.stores);
    stores.delete(field);
    pending = [...pending.filter((p) => p !== earlier), { word, place, stores: stores.set(field, op) }];
  }
  return changed ? { params: region.params, ops } : region;
};

/** The word that fields share of which an op stores one, and does nothing else. */
const storedWord = ({ layout, table }: Context, op: Op): string | undefined => {
  const node = nodeOf(layout, op);
  if (!node?.stored?.shared || op.regions.length > 0 || op.results.length > 0) return undefined;
  const effects = table.get(op.name)?.effects(op) ?? [];
  const isStore = effects.length === 1 && effects[0].kind === 'write' && unguarded(op).length === 2;
  return isStore ? valueName(node) : undefined;
};

const isSamePlace = (a: Place, b: Place): boolean => a.base === b.base && a.bytes === b.bytes && a.guards === b.guards;

/** Whether an op, with all that is in it, must find the stores made. A load of another field of the word need not. */
const meets = (c: Context, op: Op, { word, stores }: Pending): boolean => {
  const effects = c.table.get(op.name)?.effects(op) ?? [{ kind: 'write' as const }];
  const field = nodeOf(c.layout, op)?.field?.name;
  const own = effects.some(
    ({ kind, buffer }) =>
      buffer === undefined ||
      c.arena.has(buffer) ||
      (buffer === word && (kind !== 'read' || field === undefined || stores.has(field))),
  );
  return own || op.regions.some((r) => r.ops.some((inner) => meets(c, inner, { word, stores } as Pending)));
};

/** One store for several, or the only one. */
const together = (stores: readonly Op[]): Op => {
  const last = stores[stores.length - 1];
  if (stores.length === 1) return last;
  const { node } = stores[0].attrs;
  const values: readonly Value[] = stores.map((s) => s.operands[0]);
  return makeOp(
    'snode.store_word',
    [...values, stores[0].operands[1], ...guardsOf(last)],
    [],
    {
      node,
      fields: stores.map((s) => String(s.attrs.node)),
      ...(stores.every((s) => s.attrs.alone === true) && { alone: true }),
    },
    [],
    last.loc,
  );
};

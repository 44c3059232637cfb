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
  wordFields,
  type Layout,
  type Place,
  type Storage,
} from '@filigree/sparse/fields';

/**
 * Bit struct store fusion (thesis §5.6.1): stores to several fields of one word become one, where the last of them stands. A store moves
 * down past everything that neither reads its field nor writes its word; of two stores to one field the later one stays. It moves into all
 * ways of a branch where in one of them it meets a store to its word.
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
  readonly stores: ReadonlyMap<string, Store>;
}

/** What is to be stored to a field, and the op that said so. */
interface Store {
  readonly op: Op;
  readonly value: Value;
}

/** @param sunk stores that a branch has still to make in this region */
const fused = (c: Context, region: Region, sunk: readonly Pending[] = []): Region => {
  let pending = sunk;
  let changed = sunk.length > 0;
  const ops: Op[] = [];
  const flush = (isDue: (p: Pending) => boolean): void => {
    ops.push(...pending.filter(isDue).map(({ stores }) => together(stores)));
    pending = pending.filter((p) => !isDue(p));
  };
  for (const given of region.ops) {
    c.places.note(given);
    const into = isBranch(c, given) ? pending.filter((p) => given.regions.some((r) => joins(c, r, p))) : [];
    pending = pending.filter((p) => !into.includes(p));
    const regions = given.regions.map((r) => fused(c, r, into));
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
    const place = placeOf(c, op);
    const found = pending.find((p) => p.word === word && isSamePlace(p.place, place));
    /* Numbers that are encoded together are rounded by what each store knows of the others. */
    const earlier = found && isApart(c, op, found) ? found : undefined;
    flush((p) => p !== earlier && p.word === word);
    if (earlier) changed = true;
    const stores = new Map(earlier?.stores);
    writesOf(op).forEach((field, n) => {
      stores.delete(field);
      stores.set(field, { op, value: op.operands[n] });
    });
    pending = [...pending.filter((p) => p !== earlier), { word, place, stores }];
  }
  return changed ? { params: region.params, ops } : region;
};

/** Whether control takes exactly one region of an op, once. */
const isBranch = ({ table }: Context, op: Op): boolean => {
  const edges = table.get(op.name)?.control?.(op)?.edges ?? [];
  return edges.length > 0 && edges.every(({ from, to }) => (from === 'start') === (to !== 'end'));
};

/** Whether a store that moves down a region can become one with what it meets first. */
const joins = (c: Context, { ops }: Region, pending: Pending): boolean => {
  for (const op of ops) {
    c.places.note(op);
    if (storedWord(c, op) === pending.word)
      return isSamePlace(pending.place, placeOf(c, op)) && isApart(c, op, pending);
    if (meets(c, op, pending)) return isBranch(c, op) && op.regions.some((r) => joins(c, r, pending));
  }
  return false;
};

const placeOf = (c: Context, op: Op): Place => guardedPlace(op, c.places.of(op.operands[writesOf(op).length]));

/** The word that fields share of which an op stores one, and does nothing else. */
const storedWord = ({ layout, table }: Context, op: Op): string | undefined => {
  const node = nodeOf(layout, op);
  if (!node?.stored?.shared || op.regions.length > 0 || op.results.length > 0) return undefined;
  const effects = table.get(op.name)?.effects(op) ?? [];
  const isStore = effects.length === 1 && effects[0].kind === 'write';
  return isStore && unguarded(op).length === writesOf(op).length + 1 ? valueName(node) : undefined;
};

/** The fields that a store writes, by the names of their nodes, in the order of its operands. */
const writesOf = (op: Op): readonly string[] =>
  op.attrs.fields === undefined ? [String(op.attrs.node)] : wordFields(op);

/** Whether no field of a store is encoded together with one that is still to be stored. */
const isApart = ({ layout }: Context, op: Op, { stores }: Pending): boolean => {
  const jointOf = (name: string): string | undefined => layout.named.get(name)?.stored?.joint?.by.name;
  const ours = new Set(writesOf(op).flatMap((name) => jointOf(name) ?? []));
  return [...stores.keys()].every((name) => !ours.has(jointOf(name) ?? ''));
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
      (buffer === word && (kind !== 'read' || field === undefined || isTouched(c, field, stores))),
  );
  return own || op.regions.some((r) => r.ops.some((inner) => meets(c, inner, { word, stores } as Pending)));
};

/** Whether what is loaded of a field depends on stores that are still to be made. */
const isTouched = ({ layout }: Context, field: string, stores: ReadonlyMap<string, Store>): boolean => {
  const { joint, inArray, elements } = layout.named.get(field)?.stored ?? {};
  /* The elements of a bit array and its words are two names of the same bits. */
  if (inArray === true || elements) return true;
  return joint ? joint.members.some((m) => stores.has(m.field.name)) : stores.has(field);
};

/** One store for several, or the only one. */
const together = (stores: ReadonlyMap<string, Store>): Op => {
  const all = [...stores.values()];
  const { op: last } = all[all.length - 1];
  if (all.every(({ op }) => op === last)) return last;
  const { op: first } = all[0];
  return makeOp(
    'snode.store_word',
    [...all.map((s) => s.value), first.operands[writesOf(first).length], ...guardsOf(last)],
    [],
    {
      node: [...stores.keys()][0],
      fields: [...stores.keys()],
      ...(all.every(({ op }) => op.attrs.alone === true) && { alone: true }),
    },
    [],
    last.loc,
  );
};

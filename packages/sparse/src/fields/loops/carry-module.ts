import {
  Builder,
  bufferMap,
  definitions,
  highestId,
  idsFrom,
  mapKernels,
  mapRegions,
  opWith,
  resolve,
  substitute,
  useCounts,
  walk,
  type Module,
  type Op,
  type OpTable,
  type Region,
  type Scalar,
  type Value,
  onceEach,
} from '@filigree/ir';
import { factsOf, rangesOf, tripCount, type Ranges } from '@filigree/opt';
import { fieldDialects } from '../access/dialects.js';
import { isSparse, type Layout } from '../layout/layout.js';
import { fixedIn } from './determines.js';
import { ownedIn } from './own-words.js';
import { placesIn, type Place } from './places.js';
import { runsInTurn } from './runs-in-turn.js';
import { changingIn } from './changing.js';

/** Carries what loops update in place, in a module where some do. */
export const carryModule = (module: Module, layout: Layout, table: OpTable): Module => {
  const buffers = bufferMap(module.buffers);
  return mapKernels(module, (kernel) => {
    let ranges: Ranges | undefined;
    const counts = useCounts(kernel.body);
    const c: Context = {
      layout,
      table,
      ops: definitions(kernel.body),
      b: new Builder(table, buffers, idsFrom(highestId(kernel) + 1)),
      isUsed: (v) => counts.has(v.id),
      rangeOf: (v) => (ranges ??= rangesOf(kernel, buffers, factsOf(fieldDialects(layout)))).of(v),
    };
    const body = within(c, kernel.body, () => true);
    return body === kernel.body ? kernel : { ...kernel, body };
  });
};

interface Context {
  readonly layout: Layout;
  readonly table: OpTable;
  readonly ops: ReadonlyMap<number, Op>;
  readonly b: Builder;
  readonly isUsed: (v: Value) => boolean;
  readonly rangeOf: Ranges['of'];
}

/** @param isOwn whether no other thread writes to a word meanwhile */
const within = (c: Context, region: Region, isOwn: (word: string) => boolean): Region => {
  const ops = region.ops.flatMap((op) =>
    (runsInTurn(op) ? carried(c, op, isOwn) : [op]).map((part) =>
      mapRegions(part, (r) => {
        if (!sharesOut(c, part)) return within(c, r, isOwn);
        const here = ownedIn(c, part, r);
        return within(c, r, (word) => isOwn(word) && here(word));
      }),
    ),
  );
  return ops.length === region.ops.length && ops.every((op, n) => op === region.ops[n])
    ? region
    : { params: region.params, ops };
};

/** Whether iterations of an op are for threads, or for lanes. */
const sharesOut = ({ table }: Context, op: Op): boolean =>
  table.get(op.name)?.control?.(op)?.parallel === true || (op.name === 'scf.for' && !runsInTurn(op));

/** For more elements than these there are no registers. */
const MOST = 16;

/** What reads the elements that a loop updates in place, the loop, which carries them, and what writes them. */
const carried = (c: Context, loop: Op, isOwn: (word: string) => boolean): readonly Op[] => {
  const { b } = c;
  const [region] = loop.regions as [Region];
  const [changing, fixed] = [changingIn(region), fixedIn(region, c.ops)];
  const same = (v: Value): string | undefined => (changing.has(v.id) ? undefined : fixed(v));
  const places = placesIn(c.layout, c.table, loop, c.ops, same).filter((p) => mayWait(c, loop, p) && isOwn(p.word));
  if (places.length === 0 || places.length > MOST) return [loop];
  b.loc = loop.loc;
  const inside = new Set(definitions(region).keys());
  const before = b.collect(() => {
    /* Coordinates that are computed in the loop are so before it, once more. */
    const outside = onceEach((v: Value): Value => {
      const op = inside.has(v.id) ? c.ops.get(v.id)! : undefined;
      return op ? b.op(op.name, op.operands.map(outside), op.attrs, [], [v.type])[0]! : v;
    });
    return places.flatMap(({ element, accesses }) => {
      const index = element.index.map(outside);
      return [b.value('field.load', index, said('field.load', accesses)), ...index];
    });
  });
  let at = 0;
  const starts = places.map(({ element: { index } }) => {
    const [value, ...coordinates] = before.values.slice(at, (at += 1 + index.length)) as [Value, ...Value[]];
    return { value, coordinates };
  });
  const through = carrying(c, places);
  const written = places.flatMap(({ accesses }, n) => (accesses.some(isWrite) ? [n] : []));
  const made = through.loop(
    loop,
    starts.map(({ value }) => value),
    written,
  );
  const ends = made.results.slice(loop.results.length);
  const after = b.collect(() =>
    written.forEach((n, m) => {
      b.op('field.store', [ends[m]!, ...starts[n]!.coordinates], said('field.store', places[n]!.accesses));
    }),
  );
  return [...before.ops, mapRegions(made, (r) => substitute(r, through.renamed)), ...after.ops];
};

const isWrite = ({ name }: Op): boolean => name !== 'field.load';

/** What may be said of an access to an element of which others say the same. */
const said = (name: string, accesses: readonly Op[]): Op['attrs'] => {
  const { field } = accesses[0]!.attrs;
  const all = (attr: string): boolean => accesses.every(({ attrs }) => attrs[attr] === true);
  return {
    field: field!,
    ...(all('inside') && { inside: true }),
    ...(name === 'field.store' && all('known') && { known: true }),
  };
};

/** Whether what a loop does to an element may come behind it. */
const mayWait = (c: Context, loop: Op, { element: { index, placed }, accesses }: Place): boolean => {
  const sparse = placed.path.some((n) => isSparse(c.layout.nodes[n]));
  /* Of what is read alone the loop writes neighbours, or it would have left it by itself. */
  if (!accesses.some(isWrite)) return !sparse && writesBeside(c, loop, accesses[0]!);
  const reads = accesses.some(({ results }) => results.some(c.isUsed));
  if (sparse) {
    /* A cell comes to be by the first write: there must be one. */
    const trips = tripCount(
      c.table.get(loop.name)?.control?.(loop)?.count,
      (v) => c.ops.get(v.id)?.attrs['value'] as Scalar | undefined,
    );
    return !reads && (trips ?? 0n) > 0n && loop.regions[0]!.ops.some((op) => isWrite(op) && accesses.includes(op));
  }
  /* What is written out of bounds is not there when it is read. */
  return (
    !reads ||
    index.every((v, n) => {
      const range = c.rangeOf(v);
      return range !== undefined && range.lo >= 0 && range.hi < placed.extents[n];
    })
  );
};

/** Whether a loop writes the field that an op reads. */
const writesBeside = (c: Context, loop: Op, { attrs }: Op): boolean => {
  let found = false;
  walk(loop.regions[0]!, (op) => {
    found ||=
      op.attrs['field'] === attrs['field'] &&
      c.table
        .get(op.name)!
        .effects(op)
        .some((e) => e.kind !== 'read');
  });
  return found;
};

/** The ops of a loop with elements in values that are handed on from each to the next. */
const carrying = (c: Context, places: readonly Place[]) => {
  const { b } = c;
  const placeOf = new Map(places.flatMap(({ accesses }, n) => accesses.map((op) => [op, n] as const)));
  /** What stands for results of accesses. */
  const renamed = new Map<number, Value>();

  const written = (op: Op): readonly number[] => {
    const found = new Set<number>();
    const visit = (r: Region): void => {
      for (const o of r.ops) {
        const n = placeOf.get(o);
        if (n !== undefined && o.name !== 'field.load') found.add(n);
        o.regions.forEach(visit);
      }
    };
    op.regions.forEach(visit);
    return [...found].sort((x, y) => x - y);
  };

  /** The region, where these places begin as `start` says, yielding in addition what the places `wanted` are at its end. */
  const regionOf = (
    { params, ops }: Region,
    start: readonly Value[],
    wanted: readonly number[],
    more: readonly Value[] = [],
  ): Region => {
    const now = [...start];
    const { ops: inner } = b.collect(() => {
      for (const op of ops.slice(0, -1)) visit(op, now);
      const last = ops.at(-1)!;
      b.append(opWith(last, { operands: [...last.operands, ...wanted.map((n) => now[n]!)] }));
    });
    return { params: [...params, ...more], ops: inner };
  };

  const visit = (op: Op, now: Value[]): void => {
    const n = placeOf.get(op);
    b.loc = op.loc;
    if (n !== undefined) {
      const [given] = op.operands;
      const old = now[n]!;
      const { kind } = op.attrs;
      if (op.name !== 'field.load')
        now[n] =
          op.name === 'field.store' || kind === 'exchange'
            ? resolve(given!, renamed)
            : b.value(`arith.${String(kind)}`, [old, given!]);
      for (const { id } of op.results) renamed.set(id, old);
      return;
    }
    const changed = op.regions.length === 0 ? [] : written(op);
    const made =
      op.name === 'scf.for' && changed.length > 0
        ? loop(op, now, changed)
        : opWith(op, {
            results: [...op.results, ...changed.map((k) => b.newValue(now[k]!.type))],
            regions: op.regions.map((r) => regionOf(r, now, changed)),
          });
    b.append(op.regions.length === 0 ? op : made);
    changed.forEach((k, m) => (now[k] = made.results[op.results.length + m]!));
  };

  /** A loop that carries the places `changed`, from what they are now. */
  const loop = (op: Op, now: readonly Value[], changed: readonly number[]): Op => {
    const params = changed.map((k) => b.newValue(now[k]!.type));
    const start = now.map((v, k) => (changed.includes(k) ? params[changed.indexOf(k)]! : v));
    return opWith(op, {
      operands: [...op.operands, ...changed.map((k) => now[k]!)],
      results: [...op.results, ...changed.map((k) => b.newValue(now[k]!.type))],
      regions: op.regions.map((r) => regionOf(r, start, changed, params)),
    });
  };

  return { renamed, loop };
};

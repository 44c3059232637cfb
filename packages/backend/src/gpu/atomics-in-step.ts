import {
  type AtomicKind,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Region,
  type Value,
  Builder,
  byteSize,
  controlBy,
  freshIds,
  isFloat,
  mapKernels,
  mapRegions,
  opTable,
  opWith,
  pass,
  scalarFromAttr,
  scalarOf,
  walk,
} from '@filigree/ir';
import { type TeamRoom, isTeamLoop, teamOf } from '../c-family/kernel/team.js';
import { scratchNames } from './scratch-names.js';

/**
 * Atomics of parallel loops that threads in step do as one update of all their values, in ops of `gpu`: those of all iterations on one element, at an index
 * from outside of the loop, and those that say that `many` find the same one. Each is told what it would have found had they come one after the other. Of what
 * is in scratch buffers only what a team shares, in its loops.
 */
export const atomicsInStep = (dialects: readonly Dialect[], room: TeamRoom | undefined): Pass<Module> => {
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  return pass('atomics-in-step', (module) => {
    const scratch = scratchNames(module);
    const buffers = new Map(module.buffers.map((b) => [b.name, b]));
    return mapKernels(module, (kernel) => {
      const known = knownOf(kernel);
      const b = new Builder(table, buffers, freshIds(kernel));
      const inLoop = (loop: Op): Op => {
        const shared = teamOf(loop, module, room) !== undefined;
        const varying = new Set<number>();
        const region = (r: Region, divided: boolean): Region => {
          for (const v of r.params) varying.add(v.id);
          return { ...r, ops: r.ops.flatMap((op) => visit(op, divided)) };
        };
        const visit = (op: Op, divided: boolean): readonly Op[] => {
          if (!known.constants.has(op.results[0]?.id ?? -1)) for (const v of op.results) varying.add(v.id);
          const isSeen = !scratch.has(String(op.attrs['buffer'])) || (shared && divided);
          const way =
            op.name === 'mem.atomic' && isSeen ? wayOf(op, !varying.has(op.operands[1]!.id), known) : undefined;
          if (way) return written(b, op, way);
          return [mapRegions(op, (r) => region(r, divided || isTeamLoop(op)))];
        };
        return mapRegions(loop, (r) => region(r, isTeamLoop(loop)));
      };
      const find = (op: Op): Op =>
        controlOf(op)?.parallel === true
          ? inLoop(op)
          : mapRegions(op, (region) => ({ ...region, ops: region.ops.map(find) }));
      return { ...kernel, body: { ...kernel.body, ops: kernel.body.ops.map(find) } };
    });
  });
};

/** How an atomic is done by threads in step: appends it, and gives what each would have found, where anybody asks. */
type Way = (b: Builder, op: Op) => Value | undefined;

/** Of a kernel, the constants and what is used. */
interface Known {
  readonly constants: ReadonlyMap<number, Op>;
  readonly used: ReadonlySet<number>;
}

const knownOf = ({ body }: Kernel): Known => {
  const constants = new Map<number, Op>();
  const used = new Set<number>();
  walk(body, (op) => {
    if (op.name === 'arith.constant') constants.set(op.results[0]!.id, op);
    for (const v of op.operands) used.add(v.id);
  });
  return { constants, used };
};

const wayOf = (op: Op, one: boolean, { constants, used }: Known): Way | undefined => {
  const [value] = op.operands;
  const type = scalarOf(value!.type);
  const { kind, together } = op.attrs;
  if (byteSize(type) < 4) return undefined;
  const counts = kind === 'add' && !isFloat(type) && constants.has(value!.id);
  if (!one) return together === 'many' && counts ? peers(constants.get(value!.id)!) : undefined;
  if (!used.has(op.results[0]!.id)) return kind === 'add' || kind === 'min' || kind === 'max' ? fold : undefined;
  if (kind !== 'add' || isFloat(type)) return undefined;
  return counts ? count(constants.get(value!.id)!) : scan;
};

/** The ops of a way; the last gives the result of the atomic. */
const written = (b: Builder, op: Op, way: Way): readonly Op[] => {
  b.loc = op.loc;
  const { ops, values } = b.collect(() => way(b, op));
  return values.length === 0 ? ops : [...ops.slice(0, -1), opWith(ops.at(-1)!, { results: op.results })];
};

/** The atomic itself, of one thread. */
const update = (b: Builder, { attrs, operands: [, index] }: Op, value: Value): Value => {
  const { buffer, kind } = attrs;
  return b.value('mem.atomic', [value, index!], { buffer: buffer!, kind: kind! });
};

const here = (b: Builder): Value => b.value('gpu.here');
const firstOf = (b: Builder, set: Value): Value => b.value('gpu.first', [set]);
const countOf = (b: Builder, set: Value): Value => b.value('gpu.count', [set]);
const shuffle = (b: Builder, value: Value, set: Value, lane: Value): Value =>
  b.value('gpu.shuffle', [value, set, lane]);
const u64 = (b: Builder, value: number): Value => b.constant(value, 'u64');
/** A set without its first lane. */
const others = (b: Builder, set: Value): Value => b.and(set, b.sub(set, u64(b, 1)));
const isThere = (b: Builder, set: Value): Value => b.cmp('ne', set, u64(b, 0));

const combine = (b: Builder, kind: AtomicKind, x: Value, y: Value): Value =>
  kind === 'min' ? b.min(x, y) : kind === 'max' ? b.max(x, y) : b.add(x, y);

/* By halves where as many as a power of two are there, from the first on; else one after the other. */
const fold: Way = (b, op) => {
  const [value] = op.operands as readonly [Value];
  const kind = op.attrs['kind'] as AtomicKind;
  const set = here(b);
  const lane = b.value('gpu.lane');
  const all = countOf(b, set);
  const [zero, one] = [b.i32(0), b.i32(1)];
  const isFull = b.and(
    b.cmp('eq', b.and(set, b.add(set, u64(b, 1))), u64(b, 0)),
    b.cmp('eq', b.and(all, b.sub(all, one)), zero),
  );
  const [sum] = b.if(
    isFull,
    () =>
      b.while(
        [b.shr(all, one), value],
        ([far, v]) => [b.cmp('gt', far!, zero), far!, v!],
        ([far, v]) => [b.shr(far!, one), combine(b, kind, shuffle(b, v!, set, b.xor(lane, far!)), v!)],
      )[1]!,
    () =>
      b.while(
        [others(b, set), shuffle(b, value, set, firstOf(b, set))],
        ([rest, v]) => [isThere(b, rest!), rest!, v!],
        ([rest, v]) => [others(b, rest!), combine(b, kind, shuffle(b, value, set, firstOf(b, rest!)), v!)],
      )[1]!,
  );
  b.if(b.cmp('eq', lane, firstOf(b, set)), () => void update(b, op, sum!));
  return undefined;
};

const scan: Way = (b, op) => {
  const [value] = op.operands as readonly [Value];
  const type = scalarOf(value.type);
  const set = here(b);
  const lane = b.value('gpu.lane');
  const nothing = b.constant(type === 'i64' || type === 'u64' ? 0n : 0, type);
  const [, before, all] = b.while(
    [set, nothing, nothing],
    ([rest, below, sum]) => [isThere(b, rest!), rest!, below!, sum!],
    ([rest, below, sum]) => {
      const from = firstOf(b, rest!);
      const other = shuffle(b, value, set, from);
      return [others(b, rest!), b.select(b.cmp('lt', from, lane), b.add(below!, other), below!), b.add(sum!, other)];
    },
  );
  return b.add(byFirst(b, op, set, lane, all!), before!);
};

/** What the first of a set found, who does the update for all. */
const byFirst = (b: Builder, op: Op, set: Value, lane: Value, all: Value): Value => {
  const first = firstOf(b, set);
  const [found] = b.if(
    b.cmp('eq', lane, first),
    () => update(b, op, all),
    () => all,
  );
  return shuffle(b, found!, set, first);
};

/** Where all of a set add the same. */
const count =
  (constant: Op, setOf: (b: Builder) => Value = here): Way =>
  (b, op) => {
    const set = setOf(b);
    const type = scalarOf(constant.results[0]!.type);
    const each = b.constant(scalarFromAttr(constant.attrs['value']!, type), type);
    const lane = b.value('gpu.lane');
    const below = b.and(set, b.sub(b.shl(u64(b, 1), b.cast(lane, 'u64')), u64(b, 1)));
    const found = byFirst(b, op, set, lane, b.mul(each, b.cast(countOf(b, set), type)));
    return b.add(found, b.mul(each, b.cast(countOf(b, below), type)));
  };

/* The first that is left says where it is, and those of its set that are there too go with it: no others, who may have come to the same place of the program. */
const peers =
  (constant: Op): Way =>
  (b, op) => {
    const [value, index] = op.operands as readonly [Value, Value];
    return b.while(
      [b.bool(true), value],
      ([left, found]) => [left!, found!],
      ([found]) => {
        const set = here(b);
        const isSame = b.cmp('eq', index, shuffle(b, index, set, firstOf(b, set)));
        const same = b.value('gpu.ballot', [isSame, set]);
        return b.if(
          isSame,
          () => [b.bool(false), count(constant, () => same)(b, op)!],
          () => [b.bool(true), found!],
        );
      },
    )[0];
  };

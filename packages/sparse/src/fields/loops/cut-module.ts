import {
  Builder,
  SCRATCH_BYTES,
  bufferMap,
  byteSize,
  cloneOps,
  declareBuffer,
  definitions,
  highestId,
  idsFrom,
  isFloat,
  isVector,
  mapKernels,
  mapRegions,
  opWith,
  substitute,
  walk,
  type Buffer,
  type IdSource,
  type Module,
  type Op,
  type OpTable,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { uniqueName } from '@filigree/opt';
import type { Layout } from '../layout/layout.js';
import { areIterationsApart } from './apart.js';
import { endsInFunctions, lastLoop } from './ends-in-functions.js';

/** Cuts the loops of a module of which `endsInFunctions` is said, where that changes nothing. */
export const cutModule = (module: Module, layout: Layout, table: OpTable): Module => {
  const made: Buffer[] = [];
  const taken = new Set(module.buffers.map((b) => b.name));
  const there = new Map(bufferMap(module.buffers));
  const cut = mapKernels(module, (kernel) => {
    const ids = idsFrom(highestId(kernel) + 1);
    const c: Context = {
      layout,
      table,
      ids,
      ops: definitions(kernel.body),
      b: new Builder(table, there, ids),
      make: (type, length, role) => {
        const buffer = declareBuffer(uniqueName(`${kernel.name}_cut`, taken), type, length, role);
        made.push(buffer);
        there.set(buffer.name, buffer);
        return buffer.name;
      },
    };
    const body = within(c, kernel.body, false);
    return body === kernel.body ? kernel : { ...kernel, body };
  });
  return made.length === 0 ? module : { ...cut, buffers: [...cut.buffers, ...made] };
};

interface Context {
  readonly layout: Layout;
  readonly table: OpTable;
  readonly ids: IdSource;
  readonly ops: ReadonlyMap<number, Op>;
  readonly b: Builder;
  readonly make: (type: ScalarType, length: number, role: 'scratch' | 'temp') => string;
}

const within = (c: Context, region: Region, inParallel: boolean): Region => {
  const ops = region.ops.flatMap((op) => {
    const parallel = inParallel || op.attrs['parallel'] === true || op.name === 'field.for';
    const inner = mapRegions(op, (r) => within(c, r, parallel));
    return cutLoop(c, inner, inParallel) ?? [inner];
  });
  return ops.length === region.ops.length && ops.every((op, n) => op === region.ops[n])
    ? region
    : { params: region.params, ops };
};

/** So few iterations fill no vectors. */
const FEW = 8;

/** The two loops that one is cut into; nothing where it stays whole. */
const cutLoop = (c: Context, loop: Op, inParallel: boolean): readonly Op[] | undefined => {
  const trips = loop.name === 'scf.for' && loop.attrs['parallel'] !== true ? tripsOf(c, loop) : undefined;
  if (trips === undefined || trips < FEW || loop.results.length > 0) return undefined;
  if (!endsInFunctions(loop)) return undefined;
  const [{ params, ops }] = loop.regions as readonly [Region];
  const behind = lastLoop(ops) + 1;
  const [head, tail, end] = [ops.slice(0, behind), ops.slice(behind, -1), ops.at(-1)!];
  if (tail.some((op) => op.regions.length > 0)) return undefined;
  if (!areIterationsApart(c.layout, c.table, c.ops, loop)) return undefined;
  const { again, kept } = wantedBy(c, tail, head, loop);
  if (kept.some((v) => isVector(v.type) || trips * byteSize(v.type as ScalarType) > SCRATCH_BYTES)) return undefined;

  const buffers = kept.map((v) => c.make(v.type as ScalarType, trips, inParallel ? 'scratch' : 'temp'));
  const [counter] = params as readonly [Value];
  const { b } = c;
  b.loc = loop.loc;
  const stores = b.collect(() => kept.forEach((v, n) => b.store(buffers[n]!, v, counter))).ops;
  const second = b.newValue(counter.type, counter.hint);
  const once = cloneOps(again, c.ids, new Map([[counter.id, second]]));
  const loads = b.collect(() => buffers.map((name) => b.load(name, second)));
  const here = new Map([...once.values, ...kept.map((v, n) => [v.id, loads.values[n]!] as const)]);
  return [
    opWith(loop, { regions: [{ params, ops: [...head, ...stores, end] }] }),
    opWith(loop, {
      regions: [substitute({ params: [second], ops: [...once.ops, ...loads.ops, ...tail, end] }, here)],
    }),
  ];
};

const tripsOf = ({ ops }: Context, { operands }: Op): number | undefined => {
  const [lower, upper, step] = operands.map((v) => ops.get(v.id)?.attrs['value']);
  return lower === 0 && step === 1 && typeof upper === 'number' ? upper : undefined;
};

/** What the end of a loop takes from its beginning: ops that are done once more, and values that are kept. */
const wantedBy = (
  { table }: Context,
  tail: readonly Op[],
  head: readonly Op[],
  loop: Op,
): { readonly again: readonly Op[]; readonly kept: readonly Value[] } => {
  const written = new Set<string | undefined>();
  walk(loop.regions[0]!, (op) => {
    for (const e of table.get(op.name)!.effects(op)) if (e.kind !== 'read') written.add(e.buffer);
  });
  const made = new Map(head.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const again = new Set<Op>();
  const kept = new Map<number, Value>();
  const canDo = (op: Op): boolean =>
    op.regions.length === 0 &&
    (op.name === 'arith.constant' ||
      (op.name.startsWith('arith.') && op.results.every((r) => !isFloat(r.type))) ||
      (isLoad.has(op.name) &&
        table
          .get(op.name)!
          .effects(op)
          .every((e) => e.kind === 'read' && !written.has(e.buffer)))) &&
    op.operands.every((v) => !made.has(v.id) || canDo(made.get(v.id)!));
  const want = (v: Value): void => {
    const op = made.get(v.id);
    if (!op) return;
    if (!canDo(op)) return void kept.set(v.id, v);
    again.add(op);
    op.operands.forEach(want);
  };
  for (const op of tail) op.operands.forEach(want);
  return { again: head.filter((op) => again.has(op)), kept: [...kept.values()] };
};

const isLoad: ReadonlySet<string> = new Set(['field.load', 'mem.load']);

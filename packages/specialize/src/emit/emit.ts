import {
  buildKernel,
  pass,
  type Attrs,
  type Buffer,
  type Builder,
  type Kernel,
  type Module,
  type Pass,
  type Value,
} from '@filigree/ir';
import { defaultOptions, type SpecializeOptions } from '../options.js';
import { COST } from '../decompose/codes.js';
import { POOL } from '../place/pools.js';
import type { Launch, PlacedGroup, PlacedSegment, Placement } from '../place/place.js';
import {
  columnEntry,
  columnStarts,
  emitAddresses,
  linear,
  tileTables,
  type Instance,
  type Tile,
  type TileTables,
} from './address.js';
import { emitExpression } from './expression.js';

/** Below this much work a kernel does not repay waking other threads. */
const PARALLEL_WORK = 1 << 14;

type EmitContext = Pick<SpecializeOptions, 'dtype' | 'decompose' | 'emit'>;

/**
 * Kernel IR from a placement (§4.8): one kernel a launch, an outer parallel loop over tiles, and within a tile one inner
 * vector loop over instances for each group.
 */
export const emit = (options: EmitContext = defaultOptions, name = 'specialized'): Pass<Placement, Module> =>
  pass('emit', (p) => ({
    name,
    buffers: p.buffers,
    kernels: p.launches.map((launch, k) => launchKernel(`launch${k}`, launch, p.buffers, options)),
    attrs: {},
  }));

const launchKernel = (name: string, launch: Launch, buffers: readonly Buffer[], options: EmitContext): Kernel =>
  buildKernel(
    name,
    {},
    (b) => {
      if (launch.tiles === 1) {
        for (const g of launch.groups)
          emitGroup(b, g, { index: undefined, first: undefined, count: b.i32(g.size) }, 1, options);
        return;
      }
      const parallel = options.emit.parallel && launch.groups.reduce((sum, g) => sum + work(g), 0) >= PARALLEL_WORK;
      b.for(b.i32(0), b.i32(launch.tiles), b.i32(1), parallel ? { parallel: true } : {}, [], (index) => {
        for (const g of launch.groups) {
          const first = b.load(POOL[32], linear(b, index, 1, g.tileBase));
          const end = b.load(POOL[32], linear(b, index, 1, g.tileBase + 1));
          emitGroup(b, g, { index, first, count: b.sub(end, first) }, launch.tiles, options);
        }
      });
    },
    buffers,
    { attrs: { groups: launch.groups.length } },
  );

const work = (g: PlacedGroup): number =>
  g.size * (g.columnBuffers.length + (g.template?.graph.length ?? 0)) +
  g.segments.reduce((n, s) => n + s.terms * (s.columnBuffers.length + 1), 0);

/**
 * Whether vector lanes pay: operands come one by one through index tables, so an instance must compute more than it
 * loads. For sums of products they gain nothing, and compilers spend most of their time on them.
 */
const isComputeBound = (g: PlacedGroup): boolean => {
  if (!g.template) return false;
  const { graph } = g.template;
  let flops = 0;
  for (let id = 0; id < graph.length; id++) flops += COST[graph.op[id]];
  const memory = g.columnBuffers.length + g.stores.reduce((n, list) => n + list.length, 0);
  const gathers = g.encoded.addresses.some((a) => a.is === 'table' || (a.is === 'piece' && a.stride > 1));
  return !gathers || flops >= LANES_PAY * memory;
};

/** Operations a memory access from which lanes pay, measured on gathers of f64 into four lanes. */
const LANES_PAY = 2;

/** The instances of one tile of many. Loops say how often they run as a rule: whoever divides the work must know. */
const emitGroup = (b: Builder, g: PlacedGroup, tile: Tile, tiles: number, options: EmitContext): void => {
  const { pieces } = g;
  if (pieces === undefined) return emitInstances(b, g, tile, { step: 1, trips: Math.ceil(g.size / tiles) }, options);
  const ofTile = (k: number): Value => b.load(POOL[32], linear(b, tile.index, 1, pieces.tileBase + k));
  const { first, step } = g.encoded.pieces!;
  const [from, to] = tile.index === undefined ? [b.i32(0), b.i32(first.length)] : [ofTile(0), ofTile(1)];
  b.for(from, to, b.i32(1), { trips: Math.ceil(first.length / tiles) }, [], (index) => {
    const from = b.load(POOL[32], linear(b, index, 1, pieces.firstBase));
    const count = b.load(POOL[32], linear(b, index, 1, pieces.countBase));
    emitInstances(b, g, { index, first: from, count }, { step, trips: Math.ceil(g.size / first.length) }, options);
  });
};

/** Every `step`-th instance from the first of a tile or piece on. */
const emitInstances = (
  b: Builder,
  g: PlacedGroup,
  tile: Tile,
  { step, trips }: { readonly step: number; readonly trips: number },
  options: EmitContext,
): void => {
  const tables = tileTables(b, g.encoded, g.bases, tile);
  const constants = columnStarts(b, tile, g.constantCount, g.bases.constants);
  const rolled = g.segments.length > 0;
  const segments = g.segments.map((s) => wholeSegment(b, s));
  const one = b.i32(1);
  const attrs: Attrs = { ...(options.emit.simd && isComputeBound(g) ? { simd: true } : {}), trips };
  b.for(b.i32(0), tile.count, one, attrs, [], (m) => {
    const j = step === 1 ? m : b.mul(m, b.i32(step));
    const at: Instance = { m, j, i: tile.first === undefined ? j : b.add(tile.first, j) };
    const columns = g.columnBuffers.length;
    const positions = emitAddresses(b, g.encoded, tables, at, 0, columns, []);
    const values = rolled
      ? [segments.reduce((sum, s) => sumOfTerms(b, s, g.size, at.i, one, sum, options), b.constant(0, options.dtype))]
      : expressionValues(b, g, positions, constants, j, options);
    const all = emitAddresses(b, g.encoded, tables, at, columns, g.encoded.addresses.length, positions);
    g.stores.forEach((list, k) => list.forEach(({ buffer, address }) => b.store(buffer, values[k], all[address])));
  });
};

const expressionValues = (
  b: Builder,
  g: Pick<PlacedSegment, 'columnBuffers'> & { readonly template: PlacedGroup['template'] },
  positions: readonly Value[],
  constants: readonly Value[],
  j: Value,
  { dtype, decompose }: EmitContext,
): Value[] => {
  const columns = g.columnBuffers.length;
  const loads = positions.map((p, c) => b.load(g.columnBuffers[c], p));
  const numbers = constants.map((start) => b.load(POOL.constants, columnEntry(b, start, j, constants.length)));
  return emitExpression(b, g.template!, dtype, (k) => (k < columns ? loads[k] : numbers[k - columns]), decompose.local);
};

/** A segment's tables are one tile: its terms are found by their number. */
interface WholeSegment {
  readonly segment: PlacedSegment;
  readonly tables: TileTables;
  readonly constants: readonly Value[];
}

const wholeSegment = (b: Builder, segment: PlacedSegment): WholeSegment => {
  const tile: Tile = { index: undefined, first: undefined, count: b.i32(segment.terms) };
  return {
    segment,
    tables: tileTables(b, segment.encoded, segment.bases, tile),
    constants: columnStarts(b, tile, segment.constantCount, segment.bases.constants),
  };
};

/** A rolled sum: a loop over the terms of instance `i`. */
const sumOfTerms = (
  b: Builder,
  { segment, tables, constants }: WholeSegment,
  instances: number,
  i: Value,
  one: Value,
  start: Value,
  options: EmitContext,
): Value => {
  const from = b.load(POOL[32], linear(b, i, 1, segment.ptrBase));
  const to = b.load(POOL[32], linear(b, i, 1, segment.ptrBase + 1));
  return b.for(from, to, one, { trips: Math.ceil(segment.terms / instances) }, [start], (t, [sum]) => {
    const positions = emitAddresses(
      b,
      segment.encoded,
      tables,
      { m: t, i: t, j: t },
      0,
      segment.columnBuffers.length,
      [],
    );
    const [term] = expressionValues(b, segment, positions, constants, t, options);
    return b.add(sum, term);
  })[0];
};

import {
  buildKernel,
  pass,
  type Buffer,
  type Builder,
  type Kernel,
  type Module,
  type Pass,
  type Value,
  checkOptions,
} from '@filigree/ir';
import { SIDE_BY_SIDE } from '../harvest/light-sums.js';
import type { Template } from '../harvest/template.js';
import { specializeSpec, withDefaults, type SpecializeOptions } from '../options.js';
import { POOL } from '../place/pools.js';
import type { Launch, PlacedGroup, Placement } from '../place/place.js';
import {
  columnStarts,
  emitAddresses,
  inStep,
  linear,
  tileTables,
  type Instance,
  type Tile,
  type TileTables,
} from './address.js';
import { checkTrees } from './expression.js';
import { expressionValues, isComputeBound, PARALLEL_WORK, type EmitContext } from './instance.js';
import { emitPartsOf, goSideBySide, rolledValue, valuesSideBySide, wholeSegment } from './rolled.js';

/**
 * Kernel IR from a placement (§4.8): one kernel a launch, an outer parallel loop over tiles, and within a tile one inner
 * vector loop over instances for each group. The module says by its attribute `arithmetic` what a compiler may change.
 */
export const emit = (given?: Partial<EmitContext>, name = 'specialized'): Pass<Placement, Module> => {
  const options = withDefaults(checkOptions<Partial<SpecializeOptions>>('emit', given, specializeSpec));
  return pass('emit', (p) => {
    if (!options.decompose.local) checkTrees(p.launches.flatMap(({ groups }) => groups.flatMap(templatesOf)));
    return {
      name,
      buffers: p.buffers,
      kernels: p.launches.map((launch, k) => launchKernel(`launch${k}`, launch, p.buffers, options)),
      attrs: { arithmetic: p.arithmetic },
    };
  });
};

const templatesOf = ({ template, segments }: PlacedGroup): Template[] => [
  ...(template ? [template] : []),
  ...segments.map((s) => s.template),
];

const launchKernel = (name: string, launch: Launch, buffers: readonly Buffer[], options: EmitContext): Kernel =>
  buildKernel(
    name,
    {},
    (b) => {
      if (launch.repeated) return emitSteps(b, launch, options);
      const { groups } = launch;
      for (const g of groups) emitPartsOf(b, g, options);
      const { parallel, teams } = options.emit;
      if (launch.tiles === 1) {
        const emitAll = (): void => {
          for (const g of groups)
            emitGroup(b, g, { index: undefined, first: undefined, count: b.i32(g.size) }, 1, options);
        };
        return teams ? void b.for(b.i32(0), b.i32(1), b.i32(1), { parallel: true }, [], emitAll) : emitAll();
      }
      const divided = teams || (parallel && groups.reduce((sum, g) => sum + work(g), 0) >= PARALLEL_WORK);
      b.for(b.i32(0), b.i32(launch.tiles), b.i32(1), divided ? { parallel: true } : {}, [], (index) => {
        for (const g of groups) {
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
  (g.size / g.instances) * g.segments.reduce((n, s) => n + s.terms * (s.columnBuffers.length + 1), 0);

/** A loop over steps; what one level computes is complete before the next begins. */
const emitSteps = (b: Builder, { tiles: steps, groups }: Launch, options: EmitContext): void => {
  const levels = [...new Set(groups.map((g) => g.level))].map((level) => groups.filter((g) => g.level === level));
  const { parallel, teams } = options.emit;
  const isWorth = (level: readonly PlacedGroup[]): boolean =>
    parallel && level.reduce((sum, g) => sum + work(g), 0) >= PARALLEL_WORK * steps;
  const emitAll = (): void =>
    void b.for(b.i32(0), b.i32(steps), b.i32(1), { trips: steps }, [], (step) => {
      for (const level of levels) {
        const tiles = level.map((g) => stepOf(b, g, step));
        level.forEach((g, k) => emitPartsOf(b, g, options, tiles[k]));
        if (!isWorth(level)) {
          level.forEach((g, k) => emitGroup(b, g, tiles[k], steps, options));
          continue;
        }
        b.for(b.i32(0), b.i32(SHARES), b.i32(1), { parallel: true }, [], (share) =>
          level.forEach((g, k) => emitGroup(b, g, tiles[k], steps * SHARES, options, share)),
        );
      }
    });
  /* Short steps are for one team: the host would launch each. Of one instance each they are as quick on one thread. */
  const onTeam = teams && !levels.some(isWorth) && !groups.every((g) => g.oneEach) && !groups.some(hasParts);
  if (onTeam) b.for(b.i32(0), b.i32(1), b.i32(1), { parallel: true }, [], emitAll);
  else emitAll();
};

const hasParts = ({ segments }: PlacedGroup): boolean => segments.some(({ parts }) => parts !== undefined);

/** Shares of a step that threads divide. */
const SHARES = 64;

/** A step of a group of one instance, which is in that of number `onlyIn`. */
const stepOfOne = (b: Builder, onlyIn: number, step: Value): Tile => {
  const hasIt = b.cmp('eq', step, b.i32(onlyIn));
  return { index: undefined, first: b.i32(0), count: b.select(hasIt, b.i32(1), b.i32(0)), hasIt };
};

const stepOf = (b: Builder, g: PlacedGroup, step: Value): Tile => {
  if (g.oneEach) return { index: step, first: step, count: b.i32(1) };
  if (g.onlyIn !== undefined) return stepOfOne(b, g.onlyIn, step);
  const { shared } = g;
  if (shared && 'instances' in shared)
    return { index: undefined, first: undefined, count: b.i32(shared.instances), step };
  const index = shared ? b.load(POOL[32], linear(b, step, 1, shared.likeBase)) : step;
  const first = b.load(POOL[32], linear(b, index, 1, g.tileBase));
  const count = b.sub(b.load(POOL[32], linear(b, index, 1, g.tileBase + 1)), first);
  return { index, first, count, ...(shared && { step }) };
};

/** One of the shares of so many. */
const shareOf = (b: Builder, count: Value, share: Value): { readonly from: Value; readonly to: Value } => {
  const at = (k: Value): Value => b.div(b.mul(count, k), b.i32(SHARES));
  return { from: at(share), to: at(b.add(share, b.i32(1))) };
};

/** The instances of one tile of many, or a share of them. Loops say how often they run as a rule: whoever divides the work must know. */
const emitGroup = (
  b: Builder,
  g: PlacedGroup,
  tile: Tile,
  tiles: number,
  options: EmitContext,
  share?: Value,
): void => {
  const { pieces } = g;
  if (pieces === undefined) {
    const own = share ? shareOfTile(b, tile, share) : tile;
    return emitInstances(b, g, own, { step: 1, trips: Math.ceil(g.size / tiles), team: true }, options);
  }
  const ofTile = (k: number): Value => b.load(POOL[32], linear(b, tile.index, 1, pieces.tileBase + k));
  const { first, step } = g.encoded.pieces!;
  const [begin, end] = tile.index === undefined ? [b.i32(0), b.i32(first.length)] : [ofTile(0), ofTile(1)];
  const own = share && shareOf(b, b.sub(end, begin), share);
  const [from, to] = own ? [b.add(begin, own.from), b.add(begin, own.to)] : [begin, end];
  const [of, within] = [Math.ceil(first.length / tiles), Math.ceil(g.size / first.length)];
  /* Of short pieces each thread of a team takes one. */
  const team = options.emit.teams && of > within;
  b.for(from, to, b.i32(1), { ...(team ? { team } : {}), trips: of }, [], (index) => {
    const from = b.load(POOL[32], linear(b, index, 1, pieces.firstBase));
    const count = b.load(POOL[32], linear(b, index, 1, pieces.countBase));
    const { step: ofLoop } = tile;
    const piece: Tile = { index, first: from, count, ...(ofLoop && { step: ofLoop }) };
    emitInstances(b, g, piece, { step, trips: within, team: !team }, options);
  });
};

const shareOfTile = (b: Builder, { first, count, hasIt: _, ...tile }: Tile, share: Value): Tile => {
  const { from, to } = shareOf(b, count, share);
  return { ...tile, first: first === undefined ? from : b.add(first, from), count: b.sub(to, from) };
};

/** Of fewer instances side by side lanes gain nothing, and compilers take several times as long over them. */
const LEAST_LANES = 4;

const storeCount = (g: PlacedGroup): number => g.stores.reduce((n, list) => n + list.length, 0);

/**
 * What all instances read of a buffer that they also write, by column. It is read before them, since whoever puts them on lanes cannot tell that none of them
 * writes it.
 */
const readBefore = (
  b: Builder,
  { columnBuffers, encoded, stores }: PlacedGroup,
  { shifts }: TileTables,
): readonly (Value | undefined)[] => {
  const written = new Set(stores.flatMap((list) => list.map(({ buffer }) => buffer)));
  return columnBuffers.map((buffer, c) => {
    const a = encoded.addresses[c];
    if (a.is !== 'affine' || a.stride !== 0 || !written.has(buffer)) return undefined;
    const shift = shifts[c];
    return b.load(buffer, shift === undefined ? b.i32(a.base) : b.add(b.i32(a.base), shift));
  });
};

/** Every `step`-th instance from the first of a tile or piece on; where there are teams, `team` divides them among one. */
const emitInstances = (
  b: Builder,
  g: PlacedGroup,
  tile: Tile,
  { step, trips, team }: { readonly step: number; readonly trips: number; readonly team: boolean },
  options: EmitContext,
): void => {
  const tables = tileTables(b, g, tile);
  const constants = columnStarts(b, tile, g.constantCount, g.bases.constants);
  const rolled = g.segments.length > 0;
  const segments = g.segments.map((s) => wholeSegment(b, s, tile.step));
  const simd = options.emit.simd && !rolled && g.most >= LEAST_LANES && isComputeBound(g.template, g, storeCount(g));
  const read = simd && !options.emit.teams ? readBefore(b, g, tables) : undefined;
  const placed = (m: Value): Instance => {
    const j = step === 1 ? m : b.mul(m, b.i32(step));
    return { m, j, i: tile.first === undefined ? j : b.add(tile.first, j) };
  };
  const store = (at: Instance, values: readonly Value[], columns: readonly Value[]): void => {
    const { addresses } = g.encoded;
    const all = inStep(b, g.encoded, tables, emitAddresses(b, g.encoded, tables, at, g.columnBuffers.length, addresses.length, columns)); // prettier-ignore
    g.stores.forEach((list, k) => list.forEach(({ buffer, address }) => b.store(buffer, values[k], all[address])));
  };
  const instance = (m: Value): void => {
    const at = placed(m);
    const columns = emitAddresses(b, g.encoded, tables, at, 0, g.columnBuffers.length, []);
    const values = rolled
      ? [rolledValue(b, g, segments, at.i, options)]
      : expressionValues(b, g, inStep(b, g.encoded, tables, columns), constants, at.j, options, read);
    store(at, values, columns);
  };
  /* One instance is no loop: compilers would put it on lanes. Tiles keep theirs, by which launches of several programs are told to go together. */
  if (g.steps > 1 && g.most === 1 && !g.oneEach && !options.emit.teams && tile.first !== undefined)
    return void b.if(tile.hasIt ?? b.cmp('gt', tile.count, b.i32(0)), () => instance(b.i32(0)));
  if (g.oneEach || (g.size === 1 && tile.first === undefined)) {
    /* A team waits for what one of its threads does. */
    if (options.emit.teams) return void b.for(b.i32(0), b.i32(1), b.i32(1), { team: true }, [], instance);
    return instance(b.i32(0));
  }
  if (options.emit.teams) {
    b.for(b.i32(0), tile.count, b.i32(1), { ...(team ? { team } : {}), trips }, [], instance);
    return;
  }
  if (step === 1 && goSideBySide(g)) {
    const whole = b.and(tile.count, b.i32(-SIDE_BY_SIDE));
    b.for(b.i32(0), whole, b.i32(SIDE_BY_SIDE), { trips: Math.ceil(trips / SIDE_BY_SIDE) }, [], (m) =>
      valuesSideBySide(b, g, segments, placed(m).i, options).forEach((value, k) =>
        store(placed(b.add(m, b.i32(k))), [value], []),
      ),
    );
    return void b.for(whole, tile.count, b.i32(1), { trips: SIDE_BY_SIDE / 2 }, [], instance);
  }
  const lanes = options.emit.simd ? { simd, ...(simd && g.least > 1 ? { least: g.least } : {}) } : {};
  b.for(b.i32(0), tile.count, b.i32(1), { ...lanes, trips }, [], instance);
};

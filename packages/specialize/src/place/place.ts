import { checkOptions, fail, pass, type Arithmetic, type Buffer, type Pass } from '@filigree/ir';
import type { Repetition } from '../group/groups.js';
import { associativeIn } from '../decompose/codes.js';
import { equalColumns } from '../trace/elements/column-from.js';
import type { Template } from '../harvest/template.js';
import { specializeSpec, withDefaults, type PlaceOptions, type SpecializeOptions } from '../options.js';
import type { Ordered } from '../order/order.js';
import { bufferOf, destinationColumns, positionsOf, TEMPORARIES, type Positions } from './columns.js';
import { encode, encodeTerms, interleave, type Encoded } from './encode.js';
import { fused, type PlannedLaunch } from './fuse.js';
import { placeIntermediates } from './intermediates.js';
import { operationsOf, payOnLanes } from './lanes.js';
import type { Movable } from './movable.js';
import { moves } from './moves.js';
import { PART, PART_TERMS, partsOf, type Parts } from './parts.js';
import { Pools, type TableBases } from './pools.js';
import { keptOf, keptPtr, keptStarts, sharedSteps, shiftsOf, type OfSteps, type SharedSteps } from './shared-steps.js';
import { oneEach, stepStarts } from './steps.js';
import { cutTiles, type Tiles } from './tiles.js';
import { termStarts } from '../harvest/harvested.js';

/** A group with every position known; instances in the order they run. */
export interface PlacedGroup {
  readonly size: number;
  /** How many instances tables have: as many, or those of steps whose tables are kept. */
  readonly instances: number;
  readonly level: number;
  /** How often the group runs, a part of its instances each time: more than once where it repeats. */
  readonly steps: number;
  /** Whether it repeats and each step has one instance. */
  readonly oneEach: boolean;
  /** Where steps share tables: how many instances each has, if all have the same, else where it stands in the 32-bit pool which of them, as tiles, a step has. */
  readonly shared: { readonly instances: number } | { readonly likeBase: number } | undefined;
  /** What is added to positions in a step, by address. */
  readonly shifts: readonly Shift[];
  /**
   * First entry, in the 32-bit pool, of the table of tiles, or steps: tile t runs the instances `[base[t], base[t + 1])`.
   * Unused if there is only one tile.
   */
  readonly tileBase: number;
  /**
   * In the same pool, if the group is cut into pieces: the first instance and the length of each piece, and the first
   * piece of each tile.
   */
  readonly pieces: { readonly firstBase: number; readonly countBase: number; readonly tileBase: number } | undefined;
  /** How many instances a tile or piece has at least that has any; 1 where it is not known. */
  readonly least: number;
  /** How many it has at most. */
  readonly most: number;
  /** Of a group that repeats and has one instance: the step that has it. */
  readonly onlyIn: number | undefined;
  /** Absent for rolled sums. */
  readonly template: Template | undefined;
  /** Buffer of each template variable that is a column; its address is the entry of the same number. */
  readonly columnBuffers: readonly string[];
  /** Varying constants: the variables after the columns. */
  readonly constantCount: number;
  /** Columns first, then destinations. */
  readonly encoded: Encoded;
  readonly bases: TableBases;
  /** For each value of an instance, where it is written. */
  readonly stores: readonly (readonly { readonly buffer: string; readonly address: number }[])[];
  readonly segments: readonly PlacedSegment[];
  /** For rolled sums whose segments take turns. */
  readonly turns: PlacedTurns | undefined;
}

/** How much is added to a position in a step: so much for each step that ran before, or what stands for the step in the 32-bit pool from `base` on. */
export type Shift = number | { readonly base: number };

/** Where the segment of each term of a rolled sum stands in the pool of `width`, and where the terms of each instance begin. */
export interface PlacedTurns {
  readonly width: 8 | 32;
  readonly base: number;
  readonly ptrBase: number;
  readonly terms: number;
}

/**
 * One kind of term of a rolled sum: terms of instance i are `ptr[i] .. ptr[i+1])` in the 32-bit pool from `ptrBase`; without a
 * `ptrBase` instance i has one term, term i.
 */
export interface PlacedSegment {
  /** The operation that terms are joined by. */
  readonly operation: number;
  readonly template: Template;
  readonly columnBuffers: readonly string[];
  readonly constantCount: number;
  readonly encoded: Encoded;
  readonly bases: TableBases;
  /** As those of its group. */
  readonly shifts: readonly Shift[];
  readonly ptrBase: number | undefined;
  readonly terms: number;
  readonly parts: PlacedParts | undefined;
}

/**
 * The parts of the terms of a segment, see `Parts`: where their beginnings and the first part of each instance stand in the 32-bit
 * pool, and where the sum of the first part stands among the intermediates.
 */
export interface PlacedParts {
  readonly count: number;
  readonly startBase: number;
  readonly ptrBase: number;
  readonly valueBase: number;
}

/**
 * Groups that do not depend on one another: one launch, tile by tile. Or the groups of levels that repeat, in the order in which
 * they run within a step. On teams also groups of one tile, in the order in which they run.
 */
export interface Launch {
  readonly level: number;
  readonly tiles: number;
  readonly repeated: Repetition | undefined;
  readonly groups: readonly PlacedGroup[];
}

/** A program with every value and every index table in its place. */
export interface Placement {
  readonly launches: readonly Launch[];
  readonly buffers: readonly Buffer[];
  readonly nodes: number;
  readonly indexBytes: number;
  readonly arithmetic: Arithmetic;
  readonly inputs: Ordered['inputs'];
  readonly outputs: Ordered['outputs'];
}

/**
 * Gives every value a position (§4.8): inputs and outputs where the program's arrays have them, intermediates in the
 * order in which their group computes them, so that they are written consecutively; cuts launches into tiles; then
 * encodes the index columns.
 */
export const place = (
  given?: Partial<Pick<SpecializeOptions, 'dtype' | 'place' | 'emit'>>,
): Pass<Ordered, Placement> => {
  const options = withDefaults(checkOptions<Partial<SpecializeOptions>>('place', given, specializeSpec));
  return pass('place', (h) => {
    const all = [...h.harvested, ...h.listed, ...moves(h)].filter((g) => g.units.length > 0);
    const { dtype } = options;
    const planned = plannedLaunches(h, all, options.place, dtype === 'f32' ? 4 : 8);
    const { slot, count } = placeIntermediates(
      h,
      planned.flatMap(({ groups }) => groups),
    );
    const pools = new Pools();
    let temporaries = count;
    const reserve = (n: number): number => (temporaries += n) - n;
    const names = ['', ...h.inputs.map((i) => i.name)];
    const at: PlaceContext = { h, slot, pools, reserve, options: options.place, simd: options.emit.simd, names };
    const each = planned.map((launch) => placeLaunch(at, launch));
    const launches = options.emit.teams ? onOneTeam(each) : each;
    const buffers: Buffer[] = [
      ...h.inputs.map((i): Buffer => ({ name: i.name, type: dtype, length: i.length, role: 'input' })),
      ...h.outputs.map((o): Buffer => ({ name: o.name, type: dtype, length: o.length, role: 'output' })),
      ...(temporaries > 0 ? [{ name: TEMPORARIES, type: dtype, length: temporaries, role: 'temp' } as const] : []),
      ...(temporaries > count ? [{ name: PART, type: dtype, length: PART_TERMS, role: 'scratch' } as const] : []),
      ...pools.buffers(dtype),
    ];
    checkNames(h, buffers);
    return {
      launches,
      buffers,
      nodes: h.graph.length,
      indexBytes: pools.indexBytes,
      arithmetic: h.graph.arithmetic,
      inputs: h.inputs,
      outputs: h.outputs,
    };
  });
};

/** Launches of one tile, as those of small programs are, become one: a team waits for itself between two groups, and the host launches once. */
const onOneTeam = (launches: readonly Launch[]): readonly Launch[] => {
  const together: Launch[] = [];
  for (const launch of launches) {
    const last = together.at(-1);
    if (last && isOneTile(launch) && isOneTile(last))
      together[together.length - 1] = { ...last, groups: [...last.groups, ...launch.groups] };
    else together.push(launch);
  }
  return together;
};

/** Whether a launch is one tile, and nothing is done before. */
const isOneTile = ({ tiles, repeated, groups }: Launch): boolean =>
  tiles === 1 && !repeated && groups.every((g) => g.segments.every(({ parts }) => parts === undefined));

/** Inputs and outputs are called as no buffer is that the program adds. */
const checkNames = ({ inputs, outputs }: Ordered, buffers: readonly Buffer[]): void => {
  const own = buffers.slice(inputs.length + outputs.length);
  const taken = [...inputs, ...outputs].find(({ name }) => own.some((b) => b.name === name));
  if (taken)
    fail('program/name', `the name '${taken.name}' is taken by a buffer of the compiled program`, {
      remedy: 'give the input or output another name',
    });
};

/** Groups by the level at which their launch begins. */
const byLaunch = (groups: readonly Movable[]): Map<number, Movable[]> => {
  const launches = new Map<number, Movable[]>();
  for (const g of groups) {
    const level = g.repeated?.first ?? g.level;
    const known = launches.get(level);
    if (known) known.push(g);
    else launches.set(level, [g]);
  }
  return launches;
};

/** Launches in the order in which they run, cut into tiles or steps. */
const plannedLaunches = (
  h: Ordered,
  all: readonly Movable[],
  options: PlaceOptions,
  scalarBytes: number,
): readonly PlannedLaunch[] => {
  const cut = (groups: readonly Movable[]): Tiles => cutTiles(groups, h.order, scalarBytes, options);
  const launches = [...byLaunch(all)]
    .sort((a, b) => a[0] - b[0])
    .map(([level, groups]): PlannedLaunch => {
      const { repeated } = groups[0];
      const tiles = repeated
        ? { tiles: repeated.steps, starts: groups.map((g) => stepStarts(g.units, h.level, repeated)) }
        : cut(groups);
      return { level, groups, tiles };
    });
  const { tileBytes, tileInstances, fusedBytes } = options;
  return tileBytes > 0 && tileInstances === 0 && fusedBytes > 0
    ? fused(h, launches, scalarBytes, fusedBytes, cut)
    : launches;
};

const placeLaunch = (at: PlaceContext, { level, groups, tiles: { tiles, starts } }: PlannedLaunch): Launch => {
  const { repeated } = groups[0];
  return {
    level,
    tiles,
    repeated,
    groups: groups.map((g, k) =>
      g.segments.length > 0 ? placeRolled(at, g, starts[k]) : placeUnrolled(at, g, starts[k]),
    ),
  };
};

interface PlaceContext extends Positions {
  readonly pools: Pools;
  /** Reserves places behind all intermediates; returns the first. */
  readonly reserve: (n: number) => number;
  readonly options: SpecializeOptions['place'];
  /** Whether instances may fill vector lanes. */
  readonly simd: boolean;
}

const NO_CONSTANTS = new Float64Array(0);

const loopTables = (
  { pools }: PlaceContext,
  { level, repeated }: Movable,
  { pieces }: Encoded,
  starts: Int32Array,
  shared: SharedSteps | undefined,
): Pick<
  PlacedGroup,
  'level' | 'steps' | 'oneEach' | 'shared' | 'tileBase' | 'pieces' | 'least' | 'most' | 'onlyIn'
> => {
  const counts = pieces ? pieces.count : starts.subarray(1).map((end, t) => end - starts[t]);
  const onlyIn = repeated && starts.length > 2 && starts[starts.length - 1] === 1 ? counts.indexOf(1) : undefined;
  return {
    level,
    steps: repeated?.steps ?? 1,
    oneEach: isOneEach(repeated, starts),
    shared: shared && (shared.kept.length > 1 ? { likeBase: pools.append(32, shared.like) } : { instances: starts[1] }),
    tileBase: starts.length > 2 && onlyIn === undefined && !isOneEach(repeated, starts) ? pools.append(32, starts) : 0,
    pieces: pieces && {
      firstBase: pools.append(32, pieces.first),
      countBase: pools.append(32, pieces.count),
      tileBase: starts.length > 2 ? pools.append(32, pieces.ofTile) : 0,
    },
    least: repeated ? 1 : leastOf(counts),
    most: counts.reduce((most, n) => Math.max(most, n), 0),
    onlyIn,
  };
};

const isOneEach = (repeated: Repetition | undefined, starts: Int32Array): boolean =>
  repeated !== undefined && oneEach(starts);

/** The least of these numbers that are not 0. */
const leastOf = (counts: Int32Array): number => {
  let least = Infinity;
  for (const n of counts) if (n > 0) least = Math.min(least, n);
  return Number.isFinite(least) ? least : 1;
};

/** Operations of an instance on lanes beside which the bytes of its tables are little. */
const MANY_ON_LANES = 64;

/** Instances a step from which its columns have minima of their own. */
const MANY_A_STEP = 64;

const encodeTiles = (
  { options: given, simd }: PlaceContext,
  g: Movable,
  columns: readonly Int32Array[],
  starts: Int32Array,
): Encoded => {
  const onLanes = simd && g.body && payOnLanes(g.body.template, columns.length);
  const lanes = onLanes ? operationsOf(g.body.template) : 0;
  /* A compiler fills vectors with what is narrowest: of bytes 64, and each operation on doubles is then eight, with as many values to keep. */
  const options = lanes >= MANY_ON_LANES ? { ...given, narrow: false } : given;
  if (!g.repeated) return encode(columns, starts, options, lanes);
  const steps = starts.length - 1;
  const many = starts[steps] >= MANY_A_STEP * steps;
  return many
    ? encode(columns, starts, options, lanes)
    : encode(columns, Int32Array.of(0, starts[steps]), { ...options, pieces: false });
};

const placeUnrolled = (at: PlaceContext, g: Movable, starts: Int32Array): PlacedGroup => {
  const body = g.body!;
  const columns = body.columns.map((c) => positionsOf(at, c));
  const dest = destinationColumns(at, g, columns.length);
  const of = { starts, positions: [...columns, ...dest.columns], values: body.constants };
  const shared = stepsOf(g, [of]);
  const own = shared ? keptStarts(shared, starts) : starts;
  const kept = <T extends Int32Array | Float64Array>(column: T): T =>
    shared ? keptOf(shared, column, starts) : column;
  const encoded = encodeTiles(at, g, of.positions.map(kept), own);
  return {
    size: g.units.length,
    instances: own[own.length - 1],
    ...loopTables(at, g, encoded, own, shared),
    shifts: placeShifts(at, shared, of),
    template: body.template,
    columnBuffers: body.columns.map((c) => bufferOf(at, c.kind)),
    constantCount: body.constants.length,
    encoded,
    bases: at.pools.add(encoded, interleave(body.constants.map(kept), NO_CONSTANTS)),
    stores: dest.stores,
    segments: [],
    turns: undefined,
  };
};

const placeRolled = (at: PlaceContext, g: Movable, starts: Int32Array): PlacedGroup => {
  const dest = destinationColumns(at, g, 0);
  const of = { starts, positions: dest.columns, values: [] };
  const segments = g.segments.map((s) => ({ s, positions: s.columns.map((c) => positionsOf(at, c)) }));
  /* Where the order counts, terms are joined one after the other. */
  const parts = g.segments.map(({ ptr, operation }) =>
    associativeIn(at.h.graph.arithmetic)[operation] === 1 ? partsOf(ptr) : undefined,
  );
  const termsOf = (ptr: Int32Array): Int32Array => starts.map((i) => ptr[i]);
  const ofTerms = segments.map(({ s, positions }): OfSteps => ({
    starts: termsOf(s.ptr),
    positions,
    values: s.constants,
  }));
  const turnPtr = g.turns && termStarts(g);
  const inTurns = turnPtr && { starts: termsOf(turnPtr), positions: [], values: [g.turns!] };
  const lengths = { starts, positions: g.segments.map(({ ptr }) => ptr), values: [] };
  const shared = parts.every((p) => p === undefined)
    ? stepsOf(g, [of, lengths, ...ofTerms, ...(inTurns ? [inTurns] : [])])
    : undefined;
  const own = shared ? keptStarts(shared, starts) : starts;
  const encoded = encodeTiles(at, g, shared ? dest.columns.map((c) => keptOf(shared, c, starts)) : dest.columns, own);
  return {
    size: g.units.length,
    instances: own[own.length - 1],
    ...loopTables(at, g, encoded, own, shared),
    shifts: placeShifts(at, shared, of),
    template: undefined,
    columnBuffers: [],
    constantCount: 0,
    encoded,
    bases: at.pools.add(encoded, NO_CONSTANTS),
    stores: dest.stores,
    segments: segments.map(({ s, positions }, k): PlacedSegment => {
      const kept = <T extends Int32Array | Float64Array>(column: T): T =>
        shared ? keptOf(shared, column, ofTerms[k].starts) : column;
      const ptr = shared ? keptPtr(shared, s.ptr, starts) : s.ptr;
      const terms = ptr[ptr.length - 1];
      const own = positions.map(kept);
      /* Parts find their terms by the number alone. */
      const table = encodeTerms(own, ptr, parts[k] ? { ...at.options, pieces: false } : at.options);
      return {
        operation: s.operation,
        template: s.template,
        columnBuffers: s.columns.map((c) => bufferOf(at, c.kind)),
        constantCount: s.constants.length,
        encoded: table,
        bases: at.pools.add(table, interleave(s.constants.map(kept), NO_CONSTANTS)),
        shifts: placeShifts(at, shared, ofTerms[k]),
        ptrBase: g.turns === undefined && ptr.every((p, i) => p === i) ? undefined : at.pools.append(32, ptr),
        terms,
        parts: parts[k] && placeParts(at, parts[k]),
      };
    }),
    turns:
      turnPtr &&
      placeTurns(
        at,
        shared ? keptPtr(shared, turnPtr, starts) : turnPtr,
        shared ? keptOf(shared, g.turns!, inTurns!.starts) : g.turns!,
        g.segments.length,
      ),
  };
};

/** Instances a step from which tables of another step and what is added to their positions are less than tables of its own. */
const LEAST_TO_SHARE = 16;

/** Which steps of a group have the tables of others. */
const stepsOf = ({ units, repeated }: Movable, parts: readonly OfSteps[]): SharedSteps | undefined =>
  repeated && units.length >= LEAST_TO_SHARE * repeated.steps ? sharedSteps(repeated.steps, parts) : undefined;

/** Shifts that grow evenly need no table, and equal ones have one together. */
const placeShifts = (
  { pools }: PlaceContext,
  shared: SharedSteps | undefined,
  { positions, starts }: OfSteps,
): readonly Shift[] => {
  if (shared === undefined) return [];
  const placed: { readonly shifts: Int32Array; readonly at: Shift }[] = [];
  return positions.map((column): Shift => {
    const own = shiftsOf(shared, column, starts);
    const known = placed.find((p) => equalColumns(p.shifts, own));
    if (known) return known.at;
    const at = own.every((shift, s) => shift === s * own[1]) ? own[1] : { base: pools.append(32, own) };
    placed.push({ shifts: own, at });
    return at;
  });
};

const placeTurns = ({ pools }: PlaceContext, ptr: Int32Array, turns: Int32Array, segments: number): PlacedTurns => ({
  ...(segments <= 0x100
    ? { width: 8, base: pools.append(8, Uint8Array.from(turns)) }
    : { width: 32, base: pools.append(32, turns) }),
  ptrBase: pools.append(32, ptr),
  terms: turns.length,
});

const placeParts = ({ pools, reserve }: PlaceContext, parts: Parts): PlacedParts => {
  const count = parts.starts.length - 1;
  return {
    count,
    startBase: pools.append(32, parts.starts),
    ptrBase: pools.append(32, parts.ptr),
    valueBase: reserve(count),
  };
};

import { fail, pass, type Buffer, type Pass } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { HarvestedGroup } from '../harvest/harvest.js';
import type { Template } from '../harvest/template.js';
import { defaultOptions, type SpecializeOptions } from '../options.js';
import type { Ordered } from '../order/order.js';
import { encode, interleave, type Encoded } from './encode.js';
import { moves } from './moves.js';
import { Pools, type TableBases } from './pools.js';
import { cutTiles } from './tiles.js';

/** The buffer of intermediate values. */
const TEMPORARIES = 'temp';

/** A group with every position known; instances in the order they run. */
export interface PlacedGroup {
  readonly size: number;
  /**
   * First entry, in the 32-bit pool, of the table of tiles: tile t runs the instances `[base[t], base[t + 1])`. Unused
   * if there is only one tile.
   */
  readonly tileBase: number;
  /**
   * In the same pool, if the group is cut into pieces: the first instance and the length of each piece, and the first
   * piece of each tile.
   */
  readonly pieces: { readonly firstBase: number; readonly countBase: number; readonly tileBase: number } | undefined;
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
}

/** One kind of term of a rolled sum: terms of instance i are `ptr[i] .. ptr[i+1])` in the 32-bit pool from `ptrBase`. */
export interface PlacedSegment {
  readonly template: Template;
  readonly columnBuffers: readonly string[];
  readonly constantCount: number;
  readonly encoded: Encoded;
  readonly bases: TableBases;
  readonly ptrBase: number;
  readonly terms: number;
}

/** Groups that do not depend on one another: one launch, tile by tile. */
export interface Launch {
  readonly level: number;
  readonly tiles: number;
  readonly groups: readonly PlacedGroup[];
}

/** A program with every value and every index table in its place. */
export interface Placement {
  readonly launches: readonly Launch[];
  readonly buffers: readonly Buffer[];
  readonly nodes: number;
  readonly indexBytes: number;
  readonly inputs: Ordered['inputs'];
  readonly outputs: Ordered['outputs'];
}

/**
 * Gives every value a position (§4.8): inputs and outputs where the program's arrays have them, intermediates in the
 * order in which their group computes them, so that they are written consecutively; cuts launches into tiles; then
 * encodes the index columns.
 */
export const place = (options: Pick<SpecializeOptions, 'dtype' | 'place'> = defaultOptions): Pass<Ordered, Placement> =>
  pass('place', (h) => {
    const all = [...h.harvested, ...moves(h)].filter((g) => g.units.length > 0);
    const { slot, count } = placeIntermediates(h, all);
    const pools = new Pools();
    const at: PlaceContext = { h, slot, pools, options: options.place, names: ['', ...h.inputs.map((i) => i.name)] };
    const { dtype } = options;
    const levels = [...new Set(all.map((g) => g.level))].sort((a, b) => a - b);
    const launches = levels.map((level) =>
      placeLaunch(
        at,
        level,
        all.filter((g) => g.level === level),
        dtype === 'f32' ? 4 : 8,
      ),
    );
    const buffers: Buffer[] = [
      ...h.inputs.map((i): Buffer => ({ name: i.name, type: dtype, length: i.length, role: 'input' })),
      ...h.outputs.map((o): Buffer => ({ name: o.name, type: dtype, length: o.nodes.length, role: 'output' })),
      ...(count > 0 ? [{ name: TEMPORARIES, type: dtype, length: count, role: 'temp' } as const] : []),
      ...pools.buffers(dtype),
    ];
    return {
      launches,
      buffers,
      nodes: h.graph.length,
      indexBytes: pools.indexBytes,
      inputs: h.inputs,
      outputs: h.outputs,
    };
  });

const placeLaunch = (at: PlaceContext, level: number, groups: readonly Movable[], scalarBytes: number): Launch => {
  const { tiles, starts } = cutTiles(groups, at.h.order, scalarBytes, at.options.tileBytes);
  return {
    level,
    tiles,
    groups: groups.map((g, k) =>
      g.segments.length > 0 ? placeRolled(at, g, starts[k]) : placeUnrolled(at, g, starts[k]),
    ),
  };
};

interface PlaceContext {
  readonly h: Ordered;
  /** Position of each stored node among the intermediates. */
  readonly slot: Int32Array;
  readonly pools: Pools;
  readonly options: SpecializeOptions['place'];
  readonly names: readonly string[];
}

/** A group of values to compute or move, as harvesting or `moves` left it. */
export interface Movable extends Omit<HarvestedGroup, 'units'> {
  readonly units: Int32Array;
  /** For moves: output and position of each instance, in place of the destinations of its unit. */
  readonly move?: { readonly output: number; readonly positions: Int32Array };
}

/**
 * Positions of intermediates, launch by launch. Values that are read often stand in the order in which
 * units run, where readers that are neighbours find neighbours; values that are read once or twice stand in the order in
 * which their group computes them, so that they are written consecutively without an index table.
 */
const placeIntermediates = (h: Ordered, groups: readonly Movable[]): { slot: Int32Array; count: number } => {
  const { order, level, ptr, roots } = h;
  const { read } = h.destinations;
  const levels = slotsOfLevels(h);
  const count = levels.reduce((n, l) => n + l.values, 0);
  if (count > MAX_POSITIONS)
    fail('place/too-large', `${count} intermediate values do not fit 32-bit positions`, {
      remedy: 'split the program',
    });
  if (count === 0) return { slot: NO_SLOTS, count };
  const slot = new Int32Array(h.graph.length);
  const often = Uint8Array.from(levels, (l) => (l.often ? 1 : 0));
  /* The next position of each level. */
  const next = Int32Array.from(levels, (l) => l.at);
  for (let i = 0; i < order.length; i++) {
    const u = order[i];
    const l = level[u];
    if (often[l] === 1) for (let r = ptr[u]; r < ptr[u + 1]; r++) if (read[r] === 1) slot[roots[r]] = next[l]++;
  }
  for (const g of groups) {
    if (g.move || levels[g.level].often) continue;
    const { units } = g;
    const values = ptr[units[0] + 1] - ptr[units[0]];
    let at = next[g.level];
    for (let k = 0; k < values; k++)
      for (let i = 0; i < units.length; i++) {
        const r = ptr[units[i]] + k;
        if (read[r] === 1) slot[roots[r]] = at++;
      }
    next[g.level] = at;
  }
  return { slot, count };
};

const NO_SLOTS = new Int32Array(0);

/** Reads a value from which the order of reads matters more than the order of writes. */
const OFTEN = 2.5;

interface LevelSlots {
  /** Position of the level's first value. */
  readonly at: number;
  readonly values: number;
  /** Whether the level's values are read often. */
  readonly often: boolean;
}

const slotsOfLevels = (h: Ordered): LevelSlots[] => {
  const { ptr, level } = h;
  const { read } = h.destinations;
  const values = new Int32Array(h.readsOfLevel.length);
  for (let u = 0; u + 1 < ptr.length; u++) for (let r = ptr[u]; r < ptr[u + 1]; r++) values[level[u]] += read[r];
  let at = 0;
  return Array.from(values, (n, l) => {
    const slots = { at, values: n, often: h.readsOfLevel[l] >= OFTEN * n };
    at += n;
    return slots;
  });
};

const MAX_POSITIONS = 2 ** 31 - 1;

const positionsOf = (at: PlaceContext, column: { kind: number; nodes: Int32Array }): Int32Array => {
  const { nodes, kind } = column;
  if (kind === INTERMEDIATE) return gather(at.slot, nodes);
  const first = at.h.inputs[kind - 1].firstNode;
  const out = new Int32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) out[i] = nodes[i] - first;
  return out;
};

const bufferOf = (at: PlaceContext, kind: number): string => (kind === INTERMEDIATE ? TEMPORARIES : at.names[kind]);

/** Position columns of a group's destinations, and which value goes to which. */
const destinationColumns = (
  at: PlaceContext,
  g: Movable,
  firstAddress: number,
): { columns: Int32Array[]; stores: { buffer: string; address: number }[][] } => {
  const { h, slot } = at;
  const columns: Int32Array[] = [];
  const stores: { buffer: string; address: number }[][] = [];
  const add = (list: { buffer: string; address: number }[], buffer: string, column: Int32Array): void => {
    list.push({ buffer, address: firstAddress + columns.length });
    columns.push(column);
  };
  if (g.move) {
    stores.push([]);
    add(stores[0], h.outputs[g.move.output].name, g.move.positions);
    return { columns, stores };
  }
  const { units } = g;
  const first = h.ptr[units[0]];
  const { ptr, output, position } = h.destinations;
  for (let k = 0; k < h.ptr[units[0] + 1] - first; k++) {
    const list: { buffer: string; address: number }[] = [];
    const column = (positionOf: (root: number) => number): Int32Array => {
      const out = new Int32Array(units.length);
      for (let i = 0; i < out.length; i++) out[i] = positionOf(h.ptr[units[i]] + k);
      return out;
    };
    if (h.destinations.read[first + k] === 1)
      add(
        list,
        TEMPORARIES,
        column((r) => slot[h.roots[r]]),
      );
    const written = ptr[first + k];
    for (let o = 0; o < ptr[first + k + 1] - written; o++)
      add(
        list,
        h.outputs[output[written + o]].name,
        column((r) => position[ptr[r] + o]),
      );
    stores.push(list);
  }
  return { columns, stores };
};

/** values[at[i]] */
const gather = (values: Int32Array, at: Int32Array): Int32Array => {
  const out = new Int32Array(at.length);
  for (let i = 0; i < at.length; i++) out[i] = values[at[i]];
  return out;
};

const NO_CONSTANTS = new Float64Array(0);

const loopTables = (
  { pools }: PlaceContext,
  { pieces }: Encoded,
  starts: Int32Array,
): Pick<PlacedGroup, 'tileBase' | 'pieces'> => ({
  tileBase: starts.length > 2 ? pools.append(32, starts) : 0,
  pieces: pieces && {
    firstBase: pools.append(32, pieces.first),
    countBase: pools.append(32, pieces.count),
    tileBase: starts.length > 2 ? pools.append(32, pieces.ofTile) : 0,
  },
});

const placeUnrolled = (at: PlaceContext, g: Movable, starts: Int32Array): PlacedGroup => {
  const body = g.body!;
  const columns = body.columns.map((c) => positionsOf(at, c));
  const dest = destinationColumns(at, g, columns.length);
  const encoded = encode([...columns, ...dest.columns], starts, at.options);
  return {
    size: g.units.length,
    ...loopTables(at, encoded, starts),
    template: body.template,
    columnBuffers: body.columns.map((c) => bufferOf(at, c.kind)),
    constantCount: body.constants.length,
    encoded,
    bases: at.pools.add(encoded, interleave(body.constants, NO_CONSTANTS)),
    stores: dest.stores,
    segments: [],
  };
};

const placeRolled = (at: PlaceContext, g: Movable, starts: Int32Array): PlacedGroup => {
  const dest = destinationColumns(at, g, 0);
  const encoded = encode(dest.columns, starts, at.options);
  return {
    size: g.units.length,
    ...loopTables(at, encoded, starts),
    template: undefined,
    columnBuffers: [],
    constantCount: 0,
    encoded,
    bases: at.pools.add(encoded, NO_CONSTANTS),
    stores: dest.stores,
    segments: g.segments.map((s) => {
      const columns = s.columns.map((c) => positionsOf(at, c));
      const whole = Int32Array.of(0, s.ptr[s.ptr.length - 1]);
      const table = encode(columns, whole, { ...at.options, pieces: false });
      return {
        template: s.template,
        columnBuffers: s.columns.map((c) => bufferOf(at, c.kind)),
        constantCount: s.constants.length,
        encoded: table,
        bases: at.pools.add(table, interleave(s.constants, NO_CONSTANTS)),
        ptrBase: at.pools.append(32, s.ptr),
        terms: s.ptr[s.ptr.length - 1],
      };
    }),
  };
};

import { pass, type Buffer, type Pass } from '@filigree/ir';
import type { Template } from '../harvest/template.js';
import { defaultOptions, type SpecializeOptions } from '../options.js';
import type { Ordered } from '../order/order.js';
import { bufferOf, destinationColumns, positionsOf, TEMPORARIES, type Positions } from './columns.js';
import { encode, interleave, type Encoded } from './encode.js';
import { placeIntermediates } from './intermediates.js';
import type { Movable } from './movable.js';
import { moves } from './moves.js';
import { Pools, type TableBases } from './pools.js';
import { cutTiles } from './tiles.js';

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

interface PlaceContext extends Positions {
  readonly pools: Pools;
  readonly options: SpecializeOptions['place'];
}

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

import {
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Region,
  type Value,
  controlBy,
  coreDialects,
  declareBuffer,
  definitions,
  mapKernels,
  opTable,
  pass,
  rewriteOps,
  checkOptions,
  option,
} from '@filigree/ir';
import { timesRun } from '@filigree/opt';
import { PARALLEL_WORK } from '../parallel-work.js';
import { gemmSpecOf } from '../gemm-attrs.js';
import { gemmBuffers, gemmOperands, linalg } from '../linalg.js';
import { type GemmBlock, type Run, blocksOf } from './blocks.js';
import { type EntryTables, entryTables } from './entry-tables.js';
import { emitDeepTile } from './deep-tile.js';
import type { TileShape } from './factors.js';
import type { GemmSpec, GemmTarget, MatrixView, Strides } from '../gemm-spec.js';
import { executedFlops } from './gemm-flops.js';
import { emitLoopedColumns } from './looped-columns.js';
import { emitLoopedEntries } from './looped-entries.js';
import { type TilePlaces, emitPanel, emitTile } from './micro-kernel.js';
import { type Place, moved, shifted } from './place.js';
import { planProducts } from './plan-products.js';
import type { TileRun } from './tiles.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * Lowers every `linalg.gemm` to core ops: loops over blocks of C that are computed in registers, made for a target. Adds
 * scratch buffers where vectors of A have to be assembled.
 *
 * @param options.dialects what else the module may use
 * @param options.keep which products stay as they are, for a backend's plugin
 * @param options.divides whether threads divide the tiles of large products; default false
 */
export const lowerGemm = (
  target: GemmTarget,
  options?: { readonly dialects?: readonly Dialect[]; readonly keep?: (op: Op) => boolean; readonly divides?: boolean },
): Pass<Module> => {
  const {
    dialects = coreDialects,
    keep = () => false,
    divides = false,
  } = checkOptions<NonNullable<typeof options>>('lowerGemm', options, {
    dialects: option.array('a list of dialects'),
    keep: option.callback,
    divides: option.truth,
  });
  return pass('lower-gemm', (module: Module) => {
    const plans = plansIn(module, target, keep);
    const all = [...plans.values()].flat(2).map(({ plan }) => plan);
    if (all.length === 0) return module;
    const panels = panelsFor(module, all);
    const tables = entryTables(module, all);
    const buffers = [...module.buffers, ...panels.values(), ...tables.buffers];
    const known = [...new Set([...dialects, linalg])];
    const lowered = mapKernels(module, (kernel) => {
      const next = plans.get(kernel)!.values();
      const inside = new Set(productsInParallel(kernel.body, false).map((op) => op.attrs));
      return rewriteOps(
        kernel,
        known,
        (op, ctx) => {
          if (op.name !== 'linalg.gemm' || keep(op)) return undefined;
          const blocks = next.next().value as readonly PlannedBlock[];
          const divided = divides && !inside.has(op.attrs);
          return ctx.build((b) =>
            blocks.forEach((block) => {
              const { plan } = block;
              const parallel = divided && executedFlops(plan) >= PARALLEL_WORK;
              const additions = { panel: panels.get(plan.spec.type)?.name, tables, parallel };
              overBlock(b, op, block, (places) => emitGemm(b, op, plan, places, target, additions));
            }),
          );
        },
        buffers,
      );
    });
    return { ...lowered, buffers };
  });
};

/** Part of a product, and how it is computed. */
interface PlannedBlock extends GemmBlock {
  readonly plan: GemmPlan;
}

/** The plans of each kernel's products, in the order in which they stand, block by block. */
const plansIn = (
  module: Module,
  target: GemmTarget,
  keep: (op: Op) => boolean,
): ReadonlyMap<Kernel, readonly (readonly PlannedBlock[])[]> => {
  /* Equal specs are one object, for which plans are made once. */
  const specs = new Map<string, GemmSpec>();
  const specOf = (op: Op): GemmSpec => {
    const spec = gemmSpecOf(op);
    const key = JSON.stringify(spec, (_, v: unknown) => (v instanceof Int32Array ? [...v] : v));
    specs.set(key, specs.get(key) ?? spec);
    return specs.get(key)!;
  };
  return new Map(
    module.kernels.map((kernel) => {
      const defining = definitions(kernel.body);
      const products: { readonly blocks: readonly GemmBlock[]; readonly runs: number }[] = [];
      /* Elements, of which nobody knows how many there are, all take the same. */
      const loops = { control, constantOf: (v: Value) => numberOf(defining.get(v.id)), unknown: 1 };
      timesRun(kernel.body, loops, (op, runs) => {
        if (op.name === 'linalg.gemm' && !keep(op))
          products.push({ blocks: blocksOf(specOf(op), target), runs: Math.max(1, runs) });
      });
      const plans = planProducts(
        products.flatMap(({ blocks, runs }) =>
          blocks.map(({ spec, columns, depth }) => ({ spec, runs: runs * columns.count * depth.count })),
        ),
        target,
      ).values();
      const planned = products.map(({ blocks }) =>
        blocks.map((block) => ({ ...block, plan: plans.next().value as GemmPlan })),
      );
      return [kernel, planned];
    }),
  );
};

/** Those that threads do already, each for itself. */
const productsInParallel = ({ ops }: Region, inside: boolean): readonly Op[] =>
  ops.flatMap((op) => [
    ...(inside && op.name === 'linalg.gemm' ? [op] : []),
    ...op.regions.flatMap((r) => productsInParallel(r, inside || op.attrs['parallel'] === true)),
  ]);

const control = controlBy(opTable(coreDialects));

const numberOf = (op: Op | undefined): number | undefined =>
  op?.name === 'arith.constant' ? Number(op.attrs.value) : undefined;

/** One scratch buffer a type, for the largest panel. */
const panelsFor = (module: Module, plans: readonly GemmPlan[]): ReadonlyMap<string, Buffer> => {
  const taken = new Set(module.buffers.map((b) => b.name));
  const panels = new Map<string, Buffer>();
  for (const type of ['f32', 'f64'] as const) {
    const sizes = plans.filter((p) => p.panel && p.spec.type === type).map(panelSize);
    if (sizes.length === 0) continue;
    let name = `gemm_panel_${type}`;
    while (taken.has(name)) name += '_';
    panels.set(type, declareBuffer(name, type, Math.max(...sizes), 'scratch'));
  }
  return panels;
};

const panelSize = (plan: GemmPlan): number =>
  Math.max(...plan.rows.map((r) => r.members.length)) * plan.pieces.lanes * plan.spec.k;

/** Buffers besides those of the matrices. */
interface Additions {
  readonly panel: string | undefined;
  readonly tables: EntryTables;
  /** Whether threads divide the outer loop: its tiles of C lie apart, and panels are scratch, of which each thread has its own. */
  readonly parallel: boolean;
}

/** Goes over the products of a block, each with where its parts of the matrices begin. */
const overBlock = (
  b: Builder,
  op: Op,
  { spec, columns, depth }: GemmBlock,
  body: (places: TilePlaces) => void,
): void => {
  const [names, at] = [gemmBuffers(op), gemmOperands(op)];
  const place = (buffer: string, base: Value): Place => ({ buffer, base, offset: 0 });
  const prefetch = at.prefetchAt && { prefetch: place(String(op.attrs.prefetch).slice(1), at.prefetchAt) };
  const all = { a: place(names.a, at.aAt), b: place(names.b, at.bAt), c: place(names.c, at.cAt), ...prefetch };
  overParts(b, columns, spec.n, (go) => {
    const slice: TilePlaces = {
      ...all,
      b: go(all.b, stridesOf(spec.b).columnStride),
      c: go(all.c, spec.c.columnStride),
      ...(all.prefetch && { prefetch: go(all.prefetch, spec.c.columnStride) }),
    };
    overParts(b, depth, spec.k, (go) =>
      body({
        ...slice,
        a: go(slice.a, stridesOf(spec.a).columnStride),
        b: go(slice.b, stridesOf(spec.b).rowStride),
      }),
    );
  });
};

type Go = (place: Place, stride: number) => Place;

/** Goes over parts of one size, in a loop where there are several. */
const overParts = (b: Builder, { at, count }: Run, size: number, body: (go: Go) => void): void => {
  if (count === 1) return body((place, stride) => shifted(place, at * stride));
  b.for(b.i32(at), b.i32(at + count * size), b.i32(size), {}, [], (k) =>
    body((place, stride) => (stride === 0 ? place : moved(b, place, k, stride))),
  );
};

/** Of a sparse matrix, which is one part, none. */
const stridesOf = (view: MatrixView): Strides => (view.kind === 'dense' ? view : { rowStride: 0, columnStride: 0 });

const emitGemm = (
  b: Builder,
  op: Op,
  plan: GemmPlan,
  places: TilePlaces,
  { registers }: GemmTarget,
  { panel: panelName, tables, parallel }: Additions,
): void => {
  const { spec, swapped, pieces } = plan;
  const all: TilePlaces = swapped ? { ...places, a: places.b, b: places.a } : places;
  const factor =
    spec.alpha === 1 || spec.alpha === -1
      ? undefined
      : (gemmOperands(op).alpha ?? b.constant(spec.alpha as number, spec.type));
  const alpha = factor && pieces.lanes > 1 ? b.splat(factor, pieces.lanes) : factor;
  const panel: Place | undefined =
    plan.panel && panelName !== undefined ? { buffer: panelName, base: b.i32(0), offset: 0 } : undefined;
  const single =
    plan.rows.length === 1 && plan.columns.length === 1 && plan.rows[0].count * plan.columns[0].count === 1;

  const shapeOf = (rows: TileRun, columns: TileRun): TileShape => ({
    row: rows.at,
    rows: rows.members,
    column: columns.at,
    columns: columns.members,
  });
  const tile = (rows: TileRun, columns: TileRun, places: TilePlaces): void => {
    /* Registers are for this tile alone, unless all of a matrix has place in them. */
    if (!single || pieces.starts.length * spec.k > registers) reload(b, (places.panel ?? places.a).buffer);
    if (!single || spec.k * spec.n > registers) reload(b, places.b.buffer);
    if (plan.deep) emitDeepTile(b, plan, plan.deep, shapeOf(rows, columns), places, alpha);
    else emitTile(b, plan, shapeOf(rows, columns), places, alpha);
  };
  const outer: LoopAttrs = parallel ? { parallel: true } : {};
  const overRows = (places: TilePlaces, attrs: LoopAttrs, body: (run: TileRun, places: TilePlaces) => void): void =>
    plan.rows.forEach((run) => overRun(b, run, places, plan, 'row', attrs, (p) => body(run, p)));
  const overColumns = (places: TilePlaces, attrs: LoopAttrs, body: (run: TileRun, places: TilePlaces) => void): void =>
    plan.columns.forEach((run) => overRun(b, run, places, plan, 'column', attrs, (p) => body(run, p)));

  if (plan.looped === 'entries') emitLoopedEntries(b, plan, all, tables.products(plan), factor);
  else if (plan.looped) {
    const list = tables.columns(plan);
    overRows(all, outer, (rows, places) =>
      emitLoopedColumns(b, plan, shapeOf(rows, plan.columns[0]), places, list, alpha),
    );
  } else if (plan.columnsInside)
    overRows(all, outer, (rows, places) => {
      if (panel) {
        reload(b, places.a.buffer);
        emitPanel(b, plan, { ...shapeOf(rows, rows), column: 0, columns: [] }, places.a, panel);
      }
      overColumns(panel ? { ...places, panel } : places, {}, (columns, p) => tile(rows, columns, p));
    });
  else overColumns(all, outer, (columns, places) => overRows(places, {}, (rows, p) => tile(rows, columns, p)));
};

type LoopAttrs = { readonly parallel?: true };

/** Goes over the tiles of a run, in a loop where there are several. */
const overRun = (
  b: Builder,
  run: TileRun,
  places: TilePlaces,
  { spec }: GemmPlan,
  along: 'row' | 'column',
  attrs: LoopAttrs,
  body: (places: TilePlaces) => void,
): void => {
  const row = along === 'row';
  const strideOf = (view: MatrixView): number =>
    view.kind === 'sparse' ? 0 : row ? view.rowStride : view.columnStride;
  const strideC = row ? spec.c.rowStride : spec.c.columnStride;
  const move = (go: (place: Place, stride: number) => Place): TilePlaces => ({
    ...places,
    ...(row ? { a: go(places.a, strideOf(spec.a)) } : { b: go(places.b, strideOf(spec.b)) }),
    c: go(places.c, strideC),
    ...(places.prefetch ? { prefetch: go(places.prefetch, strideC) } : {}),
  });
  if (run.count === 1) return body(move((place, stride) => shifted(place, run.at * stride)));
  b.for(b.i32(run.at), b.i32(run.at + run.count * run.step), b.i32(run.step), attrs, [], (i) =>
    body(move((place, stride) => (stride === 0 ? place : moved(b, place, i, stride)))),
  );
};

const reload = (b: Builder, buffer: string): void => void b.op('mem.reload', [], { buffer: `@${buffer}` });

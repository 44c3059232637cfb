import {
  coreDialects,
  fail,
  mapKernels,
  pass,
  rewriteOps,
  walk,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { axesOf, nodeText, type Layout } from '../layout/layout.js';
import type { Storage } from '../storage/storage.js';
import { fieldDialect } from './field-dialect.js';
import { buildCell, buildCellPath, buildContainer, extentAlong, operandsOf } from './path.js';
import { SiteTable, sitesOf, withSites } from './sites.js';
import { snodeDialect } from './snode-dialect.js';

/** How accesses to fields are lowered. */
export interface AccessOptions {
  /**
   * Reports every index that is out of bounds at run time, with its place; otherwise it is clamped silently.
   * `lowerFields` then also checks arithmetic and promises, see `debugChecks`. Default false.
   */
  readonly checks?: boolean;
}

/**
 * Breaks every access to a field into a chain of micro-accesses, from root to leaf (thesis §5.1). What several chains begin
 * with is made once as far as nothing can change it; lookups of sparse nodes are left to `simplifyAccess`. Indices are
 * clamped to their bounds, so that none leads outside. Places that can fail at run time are numbered in the module's
 * `sites`.
 *
 * Takes what `lowerLoops` leaves. Errors: `access/order` for a struct-for that is still there, `access/deactivate-list`
 * for deactivating a single cell of a list.
 */
export const lowerAccess = (storage: Storage, options: AccessOptions = {}): Pass<Module> => {
  const { layout } = storage;
  const dialects = [...coreDialects, fieldDialect(layout), snodeDialect(layout)];
  return pass('lower-access', (module) => {
    const sites = new SiteTable(sitesOf(module).length);
    const lowered = mapKernels(module, (kernel) => {
      checkOrder(kernel);
      return rewriteOps(
        kernel,
        dialects,
        (op, ctx) => lowerings[op.name]?.(op, ctx, { layout, sites, checks: options.checks === true }),
        module.buffers,
        { share: true },
      );
    });
    return withSites(lowered, sites.sites);
  });
};

interface Context {
  readonly layout: Layout;
  readonly sites: SiteTable;
  readonly checks: boolean;
}

type Lowering = (op: Op, ctx: RewriteContext, c: Context) => Replacement | undefined;

const checkOrder = (kernel: Kernel): void =>
  walk(kernel.body, (op) => {
    if (early.has(op.name))
      fail('access/order', `kernel @${kernel.name}: ${op.name} is to be lowered before accesses`, {
        loc: op.loc,
        remedy: 'run lowerLoops before lowerAccess',
      });
  });

const early = new Set(['field.for', 'field.clear_all']);

/** An access to an element: down to the cell with its value. */
const element =
  (values: number, use: (b: Builder, op: Op, place: Value, node: number) => Value | void): Lowering =>
  (op, ctx, c) => {
    const { path } = c.layout.fields.get(String(op.attrs.field))!;
    const node = path[path.length - 1];
    const site = c.sites.number(op, node);
    const indices = op.operands.slice(values);
    return ctx.build((b) => {
      check(b, c, node, indices, site);
      const cell = buildCell(b, c.layout, path[path.length - 2] ?? 0, indices, { activate: values > 0, site }, node);
      return use(b, op, b.value('snode.child', [cell], { node }), node);
    });
  };

const onNode =
  (build: (b: Builder, op: Op, node: number, site: number, layout: Layout) => Value | void, list = false): Lowering =>
  (op, ctx, c) => {
    const node = Number(op.attrs.node);
    const site = c.sites.number(op, node);
    return ctx.build((b) => {
      check(b, c, list ? c.layout.nodes[node].parent : node, op.operands, site);
      return build(b, op, node, site, c.layout);
    });
  };

const check = (b: Builder, c: Context, node: number, indices: readonly Value[], site: number): void => {
  if (!c.checks) return;
  const extents = axesOf(c.layout, node).map((axis) => extentAlong(c.layout, node, axis) ?? 0);
  if (extents.some((n) => n > 0)) b.op('snode.check', indices, { extents, site });
};

/** For each bounded index whether it is within bounds: outside of them nothing is active. */
const inside = (b: Builder, layout: Layout, node: number, indices: readonly Value[]): readonly Value[] =>
  axesOf(layout, node).flatMap((axis, n) => {
    const extent = extentAlong(layout, node, axis);
    return extent === undefined ? [] : [b.cmp('eq', b.value('snode.clamp', [indices[n]], { extent }), indices[n])];
  });

/** Runs `body` where all indices are within bounds. */
const whereInside = (b: Builder, layout: Layout, node: number, indices: readonly Value[], body: () => void): void => {
  const tests = inside(b, layout, node, indices);
  if (tests.length === 0) body();
  else b.if(tests.reduce(b.and), body);
};

const lowerings: Readonly<Record<string, Lowering>> = {
  'field.load': element(0, (b, _op, place, node) => b.value('snode.load', [place], { node })),
  'field.store': element(1, (b, op, place, node) => void b.op('snode.store', [op.operands[0], place], { node })),
  'field.atomic': element(1, (b, op, place, node) =>
    b.value('snode.atomic', [op.operands[0], place], { node, kind: op.attrs.kind }),
  ),
  'field.is_active': onNode((b, op, node, _site, layout) => {
    const path = operandsOf(buildCellPath(b, layout, node, op.operands, {}));
    return inside(b, layout, node, op.operands).reduce(b.and, b.value('snode.is_active', path, { node }));
  }),
  'field.activate': onNode((b, op, node, site, layout) => {
    buildCell(b, layout, node, op.operands, { activate: true, site });
  }),
  'field.deactivate': onNode((b, op, node, _site, layout) => {
    if (layout.nodes[node].kind === 'dynamic')
      fail('access/deactivate-list', `single cells of ${nodeText(layout.nodes[node])} cannot become inactive`, {
        loc: op.loc,
        remedy: 'empty the list, or deactivate a cell around it',
      });
    const path = operandsOf(buildCellPath(b, layout, node, op.operands, {}));
    whereInside(b, layout, node, op.operands, () => b.op('snode.deactivate', path, { node }));
  }),
  'field.clear': onNode((b, op, node, _site, layout) => {
    const container = buildContainer(b, layout, node, op.operands, {});
    whereInside(b, layout, layout.nodes[node].parent, op.operands, () => b.op('snode.clear', [container], { node }));
  }, true),
  'field.append': onNode((b, op, node, site, layout) => {
    const container = buildContainer(b, layout, node, op.operands, { activate: true, site });
    return b.value('snode.append', [container, ...op.operands], { node, site });
  }, true),
  'field.length': onNode(
    (b, op, node, _site, layout) =>
      b.value('snode.length', [buildContainer(b, layout, node, op.operands, {})], { node }),
    true,
  ),
  'snode.assume_active': (op, ctx, c) =>
    ctx.build((b) => {
      b.append(op);
      buildCell(b, c.layout, Number(op.attrs.node), op.operands, { known: true, inRange: true });
    }),
  'field.assume_in_range': (op) => ({ ops: [], values: [op.operands[0]] }),
};

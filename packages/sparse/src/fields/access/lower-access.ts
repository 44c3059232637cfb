import {
  fail,
  mapKernels,
  pass,
  rewriteOps,
  useCounts,
  walk,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Replacement,
  type RewriteContext,
  type Value,
  type Attrs,
  checkOptions,
  option,
} from '@filigree/ir';
import { fieldDialects } from './dialects.js';
import { activates, findsActive, writtenBy } from './field-dialect.js';
import { axesAbove, axesOf, isSparse, nodeOf, nodeText, pathTo, type Layout, type SNode } from '../layout/layout.js';
import { ambientOf } from '../layout/ambient.js';
import { elementsBelow, type Storage } from '../storage/storage.js';
import { cellOf, cellPathOf, containerOf, extentAlong, operandsOf, type Reached } from './path.js';
import { SiteTable, sitesOf, withSites } from './sites.js';
import { wordFields } from './word-fields.js';

/** How accesses to fields are lowered. */
export interface AccessOptions {
  /**
   * Reports every index that is out of bounds at run time, with its place; otherwise there is silently nothing there.
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
export const lowerAccess = (storage: Storage, options?: AccessOptions): Pass<Module> => {
  const { checks = false } = checkOptions<AccessOptions>('lowerAccess', options, { checks: option.truth });
  const { layout } = storage;
  const dialects = fieldDialects(layout);
  return pass('lower-access', (module) => {
    const sites = new SiteTable(sitesOf(module).length);
    const lowered = mapKernels(module, (kernel) => {
      checkOrder(kernel);
      const context = { layout, sites, checks, uses: useCounts(kernel.body) };
      return rewriteOps(kernel, dialects, (op, ctx) => lowerings[op.name]?.(op, ctx, context), module.buffers, {
        share: true,
      });
    });
    return withSites(lowered, sites.sites);
  });
};

interface Context {
  readonly layout: Layout;
  readonly sites: SiteTable;
  readonly checks: boolean;
  /** Values of the kernel that something uses. */
  readonly uses: ReadonlyMap<number, number>;
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
  (use: (b: Builder, op: Op, at: Reached, node: string, c: Context) => Value | void): Lowering =>
  (op, ctx, c) => {
    const values = writtenBy(op);
    const { path } = c.layout.fields.get(String(op.attrs.field))!;
    const node = path[path.length - 1];
    const site = c.sites.number(op, node);
    const indices = op.operands.slice(values);
    const access = (b: Builder): Value | void => {
      const inRange = op.attrs.inside === true;
      const isWild = (v: Value): boolean => !countsOn(v, ctx);
      const options = { activate: values > 0, known: findsActive(op), inRange, site, isWild };
      const cell = cellOf(b, c.layout, path[path.length - 2] ?? 0, indices, options, node);
      const { name } = c.layout.nodes[node];
      return use(b, op, { ...cell, place: b.value('snode.child', [cell.place], { node: name }) }, name, c);
    };
    return ctx.build((b) => {
      check(b, c, node, indices, site);
      if (values > 0 && !activates(op) && !findsActive(op)) return whereActive(b, c, op, indices, access);
      if (values === 0) checkLists(b, c, node, indices, site);
      return access(b);
    });
  };

/**
 * Does something to an element where it is active. It is then looked up as one that is to become active, which it is: what comes
 * after knows of one kind of write only. Elsewhere the result, if there is one, is the ambient value.
 */
const whereActive = (
  b: Builder,
  { layout }: Context,
  op: Op,
  indices: readonly Value[],
  act: (b: Builder) => Value | void,
): Value | void => {
  const { field, path } = layout.fields.get(String(op.attrs.field))!;
  const leaf = path[path.length - 1];
  const innermost = path.findLast((n) => isSparse(layout.nodes[n]));
  if (innermost === undefined) return act(b);
  const axes = axesOf(layout, leaf);
  const cell = axesOf(layout, innermost).map((axis) => {
    const index = indices[axes.indexOf(axis)];
    const below = elementsBelow(layout, innermost, leaf, axis);
    return below === 1 ? index : b.value('snode.extract', [index], { below, extent: 0, signed: true });
  });
  const around = cellPathOf(b, layout, innermost, cell, {});
  const there = around.guards.reduce(
    b.and,
    b.value('snode.is_active', operandsOf(around), { node: layout.nodes[innermost].name }),
  );
  const some = (value: Value | void): readonly Value[] => (value ? [value] : []);
  return b.if(
    there,
    () => some(act(b)),
    () => op.results.map(() => b.constant(ambientOf(layout, field.name), field.type)),
  )[0];
};

/** Whether a value is a parameter of a region or of the kernel, or a sum of such. */
const countsOn = (v: Value, ctx: RewriteContext): boolean => {
  const op = ctx.definition(v);
  return op === undefined || (sums.has(op.name) && op.operands.some((o) => countsOn(o, ctx)));
};

const sums = new Set(['arith.add', 'arith.sub', 'arith.mul', 'arith.shl', 'snode.index', 'field.assume_in_range']);

const onNode =
  (build: (b: Builder, op: Op, node: SNode, site: number, layout: Layout) => Value | void, list = false): Lowering =>
  (op, ctx, c) => {
    const node = nodeOf(c.layout, op)!;
    const site = c.sites.number(op, node.id);
    return ctx.build((b) => {
      check(b, c, list ? node.parent : node.id, op.operands, site);
      return build(b, op, node, site, c.layout);
    });
  };

/** Reports what is read beyond the end of a list. */
const checkLists = (b: Builder, c: Context, leaf: number, indices: readonly Value[], site: number): void => {
  if (!c.checks) return;
  const { layout } = c;
  const axes = axesOf(layout, leaf);
  for (const { id, name, kind, axes: own, extents } of pathTo(layout.nodes, leaf).map((n) => layout.nodes[n])) {
    if (kind !== 'dynamic') continue;
    const around = axesAbove(layout, id).map((axis) => {
      const index = indices[axes.indexOf(axis)];
      const below = elementsBelow(layout, id, leaf, axis);
      return below === 1 ? index : b.value('snode.extract', [index], { below, extent: 0, signed: true });
    });
    const { place, guards } = containerOf(b, layout, id, around, {});
    const length = b.value('snode.length', [place, ...guards], { node: name, most: extents[own[0]] });
    b.op('snode.check_list', [indices[axes.indexOf(own[0])], length, ...indices], { site });
  }
};

const check = (b: Builder, c: Context, node: number, indices: readonly Value[], site: number): void => {
  if (!c.checks) return;
  const extents = axesOf(c.layout, node).map((axis) => extentAlong(c.layout, node, axis) ?? 0);
  if (extents.some((n) => n > 0)) b.op('snode.check', indices, { extents, site });
};

/** The promise that no other thread writes the word meanwhile. */
const alone = ({ attrs }: Op): Attrs => (attrs.alone === true ? { alone: true } : {});

const whereAll = (b: Builder, guards: readonly Value[], body: () => void): void => {
  if (guards.length === 0) body();
  else b.if(guards.reduce(b.and), body);
};

const lowerings: Readonly<Record<string, Lowering>> = {
  'field.load': element((b, _op, { place, guards }, node) => b.value('snode.load', [place, ...guards], { node })),
  'field.store': element(
    (b, op, { place, guards }, node) =>
      void b.op('snode.store', [op.operands[0], place, ...guards], { node, ...alone(op) }),
  ),
  'field.store_word': element((b, op, { place, guards }, node) => {
    const fields = wordFields(op);
    const values = op.operands.slice(0, fields.length);
    b.op('snode.store_word', [...values, place, ...guards], { node, fields, ...alone(op) });
  }),
  'field.atomic': element((b, op, { place, guards }, node, { uses }) => {
    const attrs = { node, kind: op.attrs.kind, ...alone(op), ...(uses.has(op.results[0].id) ? { asked: true } : {}) };
    return b.value('snode.atomic', [op.operands[0], place, ...guards], attrs);
  }),
  'field.is_active': onNode((b, op, node, _site, layout) => {
    const path = cellPathOf(b, layout, node.id, op.operands, {});
    return path.guards.reduce(b.and, b.value('snode.is_active', operandsOf(path), { node: node.name }));
  }),
  'field.activate': onNode((b, op, node, site, layout) => {
    cellOf(b, layout, node.id, op.operands, { activate: true, site });
  }),
  'field.deactivate': onNode((b, op, node, _site, layout) => {
    if (node.kind === 'dynamic')
      fail('access/deactivate-list', `single cells of ${nodeText(node)} cannot become inactive`, {
        loc: op.loc,
        remedy: 'empty the list, or deactivate a cell around it',
      });
    const path = cellPathOf(b, layout, node.id, op.operands, {});
    whereAll(b, path.guards, () => b.op('snode.deactivate', operandsOf(path), { node: node.name }));
  }),
  'field.clear': onNode((b, op, node, _site, layout) => {
    const { place, guards } = containerOf(b, layout, node.id, op.operands, {});
    whereAll(b, guards, () => b.op('snode.clear', [place], { node: node.name }));
  }, true),
  'field.append': onNode((b, op, node, site, layout) => {
    const { place, guards } = containerOf(b, layout, node.id, op.operands, { activate: true, site });
    return b.value('snode.append', [place, ...op.operands, ...guards], { node: node.name, site });
  }, true),
  'field.length': onNode((b, op, node, _site, layout) => {
    const { place, guards } = containerOf(b, layout, node.id, op.operands, {});
    const { name, axes, extents } = node;
    return b.value('snode.length', [place, ...guards], { node: name, most: extents[axes[0]] });
  }, true),
  'snode.assume_active': (op, ctx, c) =>
    ctx.build((b) => {
      b.append(op);
      cellOf(b, c.layout, nodeOf(c.layout, op)!.id, op.operands, { known: true, inRange: true });
    }),
  'field.assume_in_range': (op) => ({ ops: [], values: [op.operands[0]] }),
};

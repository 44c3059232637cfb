import {
  coreDialects,
  fail,
  mapKernels,
  pass,
  rewriteOps,
  substitute,
  type Attrs,
  type Builder,
  type Module,
  type Op,
  type Pass,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { fieldDialect } from '../access/field-dialect.js';
import { snodeDialect } from '../access/snode-dialect.js';
import type { Emit } from '../access/lower/address.js';
import { isSparse, pathTo } from '../layout/layout.js';
import type { Storage } from '../storage/storage.js';
import { ordered, type Coordinates } from './cells.js';
import { changesOf, type Changes } from './changes.js';
import { overElements } from './nest.js';
import { planOf, type Plan } from './plan.js';
import { overTasks } from './tasks.js';

/**
 * Makes loops over active elements out of `field.for` (thesis §4.3): lists of active cells where they are needed, a parallel
 * loop with a task a leaf block, and plain loops within the task.
 *
 * Errors: `loops/nested` for a loop over active elements inside another parallel loop.
 */
export const lowerLoops = (storage: Storage): Pass<Module> => {
  const dialects = [...coreDialects, fieldDialect(storage.layout), snodeDialect(storage.layout)];
  return pass('lower-loops', (module) => {
    const declared = new Set(module.buffers.map((b) => b.name));
    const buffers = [...module.buffers, ...storage.buffers.filter((b) => !declared.has(b.name))];
    const lowered = mapKernels(module, (kernel) =>
      rewriteOps(kernel, dialects, (op, ctx) => lowerings[op.name]?.(op, ctx, storage), buffers),
    );
    return lowered === module ? module : { ...lowered, buffers };
  });
};

type Lowering = (op: Op, ctx: RewriteContext, storage: Storage) => ReturnType<RewriteContext['build']> | undefined;

const structFor: Lowering = (op, ctx, storage) => {
  if (ctx.parents.some(isParallel))
    fail('loops/nested', 'a loop over active elements stands inside a parallel loop', {
      loc: op.loc,
      remedy: 'make it an outermost loop',
    });
  return ctx.build((b) => emitStructFor({ b, storage }, op));
};

const emitStructFor = (e: Emit, op: Op): void => {
  const { storage } = e;
  const node = Number(op.attrs.node);
  const [region] = op.regions;
  const plan = planOf(storage, node, { block: numberAttr(op, 'block') });
  const changes = changesOf(storage.layout, region, node);
  const known = knownActive(storage, node, changes);
  overTasks(e, plan, { changing: changes.nodes.has(plan.source), attrs: taskAttrs(op, plan, storage) }, (place) => {
    if (known.includes(plan.source)) promise(e, plan.source, place.source);
    overElements(e, plan, place, { simd: true }, (coordinates) => {
      if (known.includes(node) && node !== plan.source) promise(e, node, coordinates);
      inline(e.b, region, ordered(storage, node, coordinates));
    });
  });
};

/** Sparse nodes around an element that stay active for as long as its iteration runs. */
const knownActive = (storage: Storage, node: number, { lost }: Changes): readonly number[] => {
  const path = pathTo(storage.layout.nodes, node);
  const first = path.findIndex((n) => lost.has(n));
  return (first < 0 ? path : path.slice(0, first)).filter((n) => isSparse(storage.layout.nodes[n]));
};

const promise = ({ b, storage }: Emit, node: number, coordinates: Coordinates): void => {
  b.op('snode.assume_active', ordered(storage, node, coordinates), { node });
};

/** The ops of a region in place, its parameters replaced. */
const inline = (b: Builder, region: Region, values: readonly Value[]): void => {
  const { ops } = substitute(region, new Map(region.params.map((p, n) => [p.id, values[n]])));
  for (const op of ops) if (op.name !== 'scf.yield') b.append(op);
};

const numberAttr = (op: Op, name: string): number | undefined => {
  const value = op.attrs[name];
  return typeof value === 'number' ? value : undefined;
};

const taskAttrs = (op: Op, plan: Plan, storage: Storage): Attrs => {
  const { mask, length } = storage.nodes[plan.node];
  const uneven = plan.split < plan.loops.length && (mask !== undefined || length !== undefined);
  const threads = numberAttr(op, 'threads');
  return { ...(uneven ? { schedule: 'dynamic' } : {}), ...(threads === undefined ? {} : { threads }) };
};

const isParallel = (op: Op): boolean => op.name === 'field.for' || op.attrs.parallel === true;

const lowerings: Readonly<Record<string, Lowering>> = { 'field.for': structFor };

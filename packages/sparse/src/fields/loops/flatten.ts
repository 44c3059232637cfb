import {
  makeOp,
  mapKernels,
  mayTrap,
  opTable,
  pass,
  rewriteOps,
  scalarOps,
  opWith,
  type Builder,
  type Module,
  type Op,
  type OpTable,
  type Pass,
  type Region,
  type Value,
} from '@filigree/ir';
import { fieldDialects } from '../access/dialects.js';
import { nodeOf, type Layout } from '../layout/layout.js';
import { hasOwnElements, isAtOwnElement } from './own.js';

/**
 * Flattens branches in loops over active elements where that removes all of them, so that a row of elements can run on
 * vector lanes: both sides are computed and the result is selected. A write to the iteration's own element becomes an
 * unconditional write, of its old value if the branch is not taken; that is safe because no other iteration writes this
 * element. Reads of fields are clamped to their bounds, so reading more than was asked for does no harm.
 */
export const flattenBranches = (layout: Layout): Pass<Module> => {
  const dialects = fieldDialects(layout);
  const table = opTable(dialects);
  return pass('flatten-branches', (module) =>
    mapKernels(module, (kernel) =>
      rewriteOps(
        kernel,
        dialects,
        (op, ctx) => {
          if (op.name !== 'field.for' || !canFlatten(op, layout, table)) return undefined;
          return ctx.build((b) => {
            const [region] = op.regions;
            const { ops } = b.collect(() => flatten(region, undefined, b));
            b.append(
              opWith(op, { regions: [{ params: region.params, ops: [...ops, region.ops[region.ops.length - 1]] }] }),
            );
            return [];
          });
        },
        module.buffers,
      ),
    ),
  );
};

/** Cycles that all branches together may take. */
const MAX_COST = 400;

/** And each of them for itself, since perhaps it is hardly ever taken. */
const MAX_BRANCH = 64;

const canFlatten = (loop: Op, layout: Layout, table: OpTable): boolean => {
  if (Array.isArray(loop.attrs.cache) && loop.attrs.cache.length > 0) return false;
  const [region] = loop.regions;
  const own = nodeOf(layout, loop)!.id;
  const last = region.ops[region.ops.length - 1];
  if (!region.ops.some((op) => op.name === 'scf.if') || last?.name !== 'scf.yield') return false;
  let total = 0;
  const cost = (inner: Region): number => inner.ops.reduce((sum, op) => sum + costOf(op), 0);
  const costOf = (op: Op): number => {
    if (op.name === 'scf.yield') return 0;
    if (op.name === 'scf.if') {
      const own = op.regions.reduce((sum, r) => sum + cost(r), op.results.length);
      return own <= MAX_BRANCH ? own : Infinity;
    }
    if (op.name === 'field.store' || op.name === 'field.load' || op.name === 'field.is_active') return accessCost(op);
    const def = table.get(op.name);
    const safe = def && op.regions.length === 0 && def.effects(op).length === 0 && !mayTrap(def, op);
    return safe && !op.results.some((r) => typeof r.type !== 'string') ? (costs.get(op.name) ?? 1) : Infinity;
  };
  const accessCost = (op: Op): number => {
    if (op.name === 'field.is_active') return 2 * LOAD;
    const field = String(op.attrs.field);
    if (op.attrs.inside === true) return Infinity;
    if (op.name === 'field.load') return layout.fields.get(field)!.unbounded ? HASH : LOAD;
    return isAtOwnElement(layout, op, region, own) && hasOwnElements(layout, field, own) ? 2 * LOAD : Infinity;
  };
  /* Outside of branches anything may stand that can be done on lanes; what is written in one is written nowhere else. */
  const inBranches = new Set<string>();
  const elsewhere = new Set<string>();
  let lanes = true;
  const visit = (r: Region, branch: boolean): void => {
    for (const op of r.ops) {
      const ours = op.name === 'field.store' && isAtOwnElement(layout, op, region, own);
      if (op.name === 'scf.if') {
        if (!branch) total += costOf(op);
        op.regions.forEach((inner) => visit(inner, true));
      } else if (op.name === 'field.store') {
        if (!ours) elsewhere.add(String(op.attrs.field));
        else if (branch) inBranches.add(String(op.attrs.field));
      } else if (op.regions.length > 0 || (op.name.startsWith('field.') && !reading.has(op.name))) lanes = false;
    }
  };
  visit(region, false);
  return lanes && total <= MAX_COST && ![...inBranches].some((f) => elsewhere.has(f));
};

const LOAD = 2;

const HASH = 32;

const reading = new Set(['field.load', 'field.is_active', 'field.length', 'field.assume_in_range']);

const costs: ReadonlyMap<string, number> = new Map(
  scalarOps
    .filter((o) => o.arity > 0 || o.name === 'constant')
    .map((o) => [o.kernelOp, o.name === 'arms' ? 1 : o.cost]),
);

/** Appends the ops of a region without its terminator, for where `taken` is true. */
const flatten = (region: Region, taken: Value | undefined, b: Builder): void => {
  for (const op of region.ops) {
    b.loc = op.loc;
    if (op.name === 'scf.yield') continue;
    if (op.name === 'scf.if') flattenIf(op, taken, b);
    else if (op.name === 'field.store' && taken) {
      const [value, ...indices] = op.operands;
      const old = b.value('field.load', indices, { field: op.attrs.field });
      b.append(opWith(op, { operands: [b.select(taken, value, old), ...indices] }));
    } else b.append(op);
  }
};

const flattenIf = (op: Op, taken: Value | undefined, b: Builder): void => {
  const [condition] = op.operands;
  const [yes, no] = op.regions;
  const both = (c: Value): Value => (taken ? b.and(taken, c) : c);
  flatten(yes, stores(yes) ? both(condition) : undefined, b);
  flatten(no, stores(no) ? both(b.op('arith.not', [condition])[0]) : undefined, b);
  const [x, y] = op.regions.map((r) => r.ops[r.ops.length - 1].operands);
  op.results.forEach((result, n) => {
    b.append(makeOp('arith.select', [condition, x[n], y[n]], [result], {}, [], undefined));
  });
};

const stores = (region: Region): boolean =>
  region.ops.some((op) => op.name === 'field.store' || op.regions.some(stores));

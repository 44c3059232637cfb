import {
  definitions,
  opTable,
  rewriteOps,
  opWith,
  type Buffer,
  type Dialect,
  type Kernel,
  type Op,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { nodeOf } from '../../layout/layout.js';
import { nodeStorage, type Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';
import { within } from '../snode-ranges.js';
import { rangesOf, type Ranges } from './ranges.js';
import { withoutPromise } from './slice.js';
import { numberOf } from './number-of.js';

/**
 * Hoists micro-accesses out of loops in which they do not change, inner loops first, and out of branches in these
 * loops: a lookup that does not activate does no harm when it was not needed. One that activates is hoisted only if it
 * is certain to be reached and nothing in the loop asks whether the cell is active.
 */
export const hoistAccesses = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const table = opTable(dialects);
  let found: ReadonlyMap<number, Op> | undefined;
  const defined = (v: Value): Op | undefined => (found ??= definitions(kernel.body)).get(v.id);
  const isSafe = safety(kernel, storage, dialects, defined);
  const movable = (op: Op, loop: Footprint, certain: boolean): boolean => {
    if (op.name === 'snode.lookup') {
      const { id } = nodeOf(storage.layout, op)!;
      if (op.attrs.activate === true) return certain && !loop.asks.has(id) && !loop.deactivates.has(id);
      if (!storage.nodes[id].pool) return true;
      const lasts = !loop.deactivates.has(id) && !loop.activates.has(id);
      return lasts && (certain || isSafe(op));
    }
    const def = table.get(op.name);
    if (op.name === 'snode.inside') return true;
    if (!def || op.results.length !== 1 || op.results[0].type !== 'i32' || op.regions.length > 0) return false;
    return (
      def.effects(op).length === 0 && (!def.traits.mayTrap || dividesByNumber(op, defined)) && !def.traits.terminator
    );
  };
  return rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      if (op.name !== 'scf.for' && op.name !== 'scf.while') return undefined;
      const body = footprint(op);
      const outside = definedInside(op);
      const moved: Op[] = [];
      const runs = op.name === 'scf.while' || certainlyRuns(op, ctx);
      const take = (region: Region, certain: boolean): Region => {
        let same = true;
        const ops = region.ops.flatMap((inner) => {
          const ready = inner.operands.every((v) => !outside.has(v.id));
          if (ready && movable(inner, body, certain)) {
            moved.push(withoutPromise(inner));
            inner.results.forEach((r) => outside.delete(r.id));
            same = false;
            return [];
          }
          if (inner.name !== 'scf.if') return [inner];
          const regions = inner.regions.map((r) => take(r, false));
          if (regions.every((r, n) => r === inner.regions[n])) return [inner];
          same = false;
          return [opWith(inner, { regions })];
        });
        return same ? region : { params: region.params, ops };
      };
      const regions = op.regions.map((r, n) => take(r, runs && n === 0));
      return moved.length === 0 ? undefined : { ops: [...moved, opWith(op, { regions })], values: op.results };
    },
    buffers,
  );
};

/** Whether an op is a division that never traps. */
const dividesByNumber = (op: Op, defined: (v: Value) => Op | undefined): boolean => {
  if (op.name !== 'arith.div' && op.name !== 'arith.rem') return false;
  const by = defined(op.operands[1]);
  return by?.name === 'arith.constant' && Number(by.attrs.value) > 0;
};

/** Whether a lookup reads inside of its container even where it was not meant to be reached. */
const safety = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  defined: (v: Value) => Op | undefined,
): ((lookup: Op) => boolean) => {
  let ranges: Ranges | undefined;
  return (lookup) => {
    const { node, border } = nodeStorage(storage, lookup);
    if (node.kind === 'hash') return true;
    const number = defined(lookup.operands[1]);
    const known = (ranges ??= rangesOf(kernel, dialects));
    return (
      number?.name === 'snode.linearize' &&
      node.axes.every((axis, n) =>
        within(known.of(number.operands[n]), node.extents[axis] + (border || node.kind === 'dynamic' ? 1 : 0)),
      )
    );
  };
};

const definedInside = (op: Op): Set<number> => {
  const ids = new Set<number>();
  const visit = (region: Region): void => {
    for (const p of region.params) ids.add(p.id);
    for (const inner of region.ops) {
      for (const r of inner.results) ids.add(r.id);
      inner.regions.forEach(visit);
    }
  };
  op.regions.forEach(visit);
  return ids;
};

/** Whether a loop with these bounds runs at least once. */
const certainlyRuns = (op: Op, ctx: RewriteContext): boolean => {
  const [from, to] = op.operands.map((v) => numberOf(ctx.definition(v)));
  return from !== undefined && to !== undefined && from < to;
};

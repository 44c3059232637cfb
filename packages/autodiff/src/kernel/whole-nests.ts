import { makeValue, opWith, type IdSource, type Op, type OpTable, type Value } from '@filigree/ir';
import { runsInAnyOrder } from './any-order.js';

/** Loops within one another, and what is in the innermost of them. */
export interface Nest {
  readonly loops: readonly Op[];
  /** What is in them all, as if it were in the innermost. */
  readonly ops: readonly Op[];
}

/** The nest that a loop is; nothing where there is more in it than one loop, whose iterations may run in any order, and what this needs. */
export const nestOf = (loop: Op, table: OpTable): Nest | undefined => {
  const [{ ops }] = loop.regions;
  const at = ops.findIndex((op) => op.regions.length > 0);
  if (at < 0) return { loops: [loop], ops };
  const before = ops.slice(0, at);
  if (at !== ops.length - 2 || !runsInAnyOrder(ops[at])) return undefined;
  if (before.some((op) => table.get(op.name)!.effects(op).length > 0)) return undefined;
  const inner = nestOf(ops[at], table);
  return inner && { loops: [loop, ...inner.loops], ops: [...before, ...inner.ops] };
};

/** Appends an op once more, of what stands for its operands. */
export const clone = (op: Op, moved: Map<number, Value>, into: Op[], ids: IdSource): void => {
  const results = op.results.map((r) => makeValue(ids.next(), r.type, r.hint));
  into.push(opWith(op, { operands: op.operands.map((v) => moved.get(v.id) ?? v), results }));
  op.results.forEach((r, n) => moved.set(r.id, results[n]));
};

/** What an element is given once is computed by so many ops at most, else summing by atomics is cheaper. */
export const MOST_OPS = 40;

import { makeValue, opWith } from '../build/make-op.js';
import type { IdSource } from '../build/ids.js';
import type { Op, Region, Value } from '../kernel/op.js';
import { mapRegions, mapShared } from './walk.js';

/** New values for old ones, by id. Chains (a for b, b for c) are followed. */
export type Substitution = ReadonlyMap<number, Value>;

/** The value that stands for this one in the end. */
export const resolve = (value: Value, substitution: Substitution): Value => {
  let v = value;
  for (let next = substitution.get(v.id); next !== undefined && next !== v; next = substitution.get(v.id)) v = next;
  return v;
};

/** The op with its own operands replaced; its regions are left alone. */
export const substituteOperands = (op: Op, substitution: Substitution): Op => {
  /* Asked of every op by most passes, and most ops stay as they are. */
  if (substitution.size === 0 || !op.operands.some((v) => substitution.has(v.id))) return op;
  const operands = mapShared(op.operands, (v) => resolve(v, substitution));
  return operands === op.operands ? op : opWith(op, { operands });
};

/** The region with every use replaced, at every depth; definitions stay. Unchanged parts are shared. */
export const substitute = (region: Region, substitution: Substitution): Region => {
  if (substitution.size === 0) return region;
  const ops = mapShared(region.ops, (op) =>
    mapRegions(substituteOperands(op, substitution), (inner) => substitute(inner, substitution)),
  );
  return ops === region.ops ? region : { params: region.params, ops };
};

/**
 * A copy of ops whose definitions all have fresh ids, so that it may stand in the same kernel as the original.
 * `initial` says what values from outside become, for example a loop's induction value in one unrolled iteration.
 * The second result maps every old definition to its copy.
 */
export const cloneOps = (
  ops: readonly Op[],
  ids: IdSource,
  initial: Substitution = new Map(),
): { readonly ops: readonly Op[]; readonly values: Substitution } => {
  const values = new Map(initial);
  const define = (v: Value): Value => {
    const copy = makeValue(ids.next(), v.type, v.hint);
    values.set(v.id, copy);
    return copy;
  };
  /* One step, not `resolve`: a copy's fresh id never names an original, but an `initial` value may be an original itself. */
  const use = (v: Value): Value => values.get(v.id) ?? v;
  const copyRegion = (r: Region): Region => {
    const params = r.params.map(define);
    return { params, ops: r.ops.map(copy) };
  };
  const copy = (op: Op): Op => {
    const operands = op.operands.map(use);
    const regions = op.regions.map(copyRegion);
    return opWith(op, { operands, regions, results: op.results.map(define) });
  };
  return { ops: ops.map(copy), values };
};

/** A copy of a region, parameters included, with fresh ids throughout. */
export const cloneRegion = (region: Region, ids: IdSource, initial: Substitution = new Map()): Region => {
  const values = new Map(initial);
  const params = region.params.map((p) => {
    const copy = makeValue(ids.next(), p.type, p.hint);
    values.set(p.id, copy);
    return copy;
  });
  return { params, ops: cloneOps(region.ops, ids, values).ops };
};

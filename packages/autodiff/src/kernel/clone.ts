import { makeValue, opWith, type IdSource, type Op, type Region, type Value } from '@filigree/ir';

/** Appends an op once more, of what stands for its operands. */
export const clone = (op: Op, moved: Map<number, Value>, into: Op[], ids: IdSource): void => {
  const results = op.results.map((r) => makeValue(ids.next(), r.type, r.hint));
  const within = (region: Region): Region => {
    const params = region.params.map((p) => makeValue(ids.next(), p.type, p.hint));
    region.params.forEach((p, n) => moved.set(p.id, params[n]));
    const ops: Op[] = [];
    for (const inner of region.ops) clone(inner, moved, ops, ids);
    return { params, ops };
  };
  const regions = op.regions.map(within);
  into.push(opWith(op, { operands: op.operands.map((v) => moved.get(v.id) ?? v), regions, results }));
  op.results.forEach((r, n) => moved.set(r.id, results[n]));
};

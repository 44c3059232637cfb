import { fail, opWith, partsOfGiven, type Builder, type Op, type ScalarType, type Value } from '@filigree/ir';
import { takenAt } from '../values/is-given.js';
import { setTangent, tangentOf, valueOf, type Forward } from './forward.js';

/**
 * An op that says what the derivative of values is, by a region from the adjoints of its results to those of its inputs: a matrix, transposed. A row of it
 * is what the region makes of one adjoint of 1 and others of 0, and the tangent of that result is the row times the inputs' tangents.
 */
export const forwardGiven = (f: Forward, b: Builder, op: Op): void => {
  const { results, regions } = op;
  const { values, inputs: by } = partsOfGiven(op);
  const at = takenAt(op, f.matters);
  const now = f.keepsGiven ? givenAgain(f, b, op, at) : at.map((v) => valueOf(f, v));
  results.forEach((r, n) => {
    f.values.set(r.id, now[n]);
    f.tangents.delete(r.id);
  });
  const inputs = by.flatMap((v, n) => {
    const tangent = tangentOf(f, v);
    return tangent ? [{ n, tangent }] : [];
  });
  if (inputs.length === 0) return;
  const [region] = regions;
  const rowTimes = (at: Builder, seeds: readonly Value[]): Value => {
    const within = new Map(f.values);
    /* Of a result that the region uses it knows the derivative that was given, too. */
    if (f.keepsGiven) values.forEach((v, n) => within.set(v.id, now[n]));
    region.params.forEach((p, n) => within.set(p.id, seeds[n]));
    f.again.region(at, region, within);
    const row = region.ops[region.ops.length - 1].operands;
    return inputs
      .map(({ n, tangent }) => as(at, at.mul(f.again.value(within, row[n]), tangent), seeds[0]))
      .reduce((sum, term) => at.add(sum, term));
  };
  if (results.length === 1) return setTangent(f, results[0], rowTimes(b, [b.constant(1, results[0].type)]));
  const zeros = results.map((r) => b.constant(0, r.type));
  const tangents = b.for(b.i32(0), b.i32(results.length), b.i32(1), {}, zeros, (k, found) => {
    const isRow = results.map((_, n) => b.cmp('eq', k, b.i32(n)));
    const seeds = results.map((r, n) => b.select(isRow[n], b.constant(1, r.type), zeros[n]));
    const product = rowTimes(b, seeds);
    return found.map((v, n) => b.select(isRow[n], as(b, product, v), v));
  });
  results.forEach((r, n) => setTangent(f, r, tangents[n]));
};

/** The op on values as they are now. Error: `tangent/moved`, where its derivative is taken elsewhere: what is moved has no second one. */
const givenAgain = (f: Forward, b: Builder, op: Op, at: readonly Value[]): readonly Value[] => {
  const [region] = op.regions;
  const { values } = partsOfGiven(op);
  if (values.some((v, n) => v.id !== at[n].id))
    fail('tangent/moved', 'the derivative of singular vectors, or of what else is moved for it, has none itself', {
      ...(op.loc && { loc: op.loc }),
      remedy: 'compute what is differentiated twice from values that are not moved, or by polar2 or polar3',
    });
  const params = region.params.map((p) => b.newValue(p.type, p.hint));
  const within = new Map(f.values);
  region.params.forEach((p, n) => within.set(p.id, params[n]));
  const { ops } = b.collect(() => {
    f.again.region(b, region, within);
    const end = region.ops[region.ops.length - 1];
    b.append(opWith(end, { operands: end.operands.map((v) => f.again.value(within, v)) }));
  });
  const results = op.results.map((r) => b.newValue(r.type, r.hint));
  b.append(opWith(op, { operands: op.operands.map((v) => valueOf(f, v)), regions: [{ params, ops }], results }));
  return results;
};

const as = (b: Builder, v: Value, like: Value): Value =>
  v.type === like.type ? v : b.cast(v, like.type as ScalarType);

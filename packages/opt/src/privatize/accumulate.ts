import { makeValue, type IdSource, type Op, type Region, type Value, opWith } from '@filigree/ir';
import { withTerminator } from '../support/slots.js';
import { terminatorOf } from '../support/values.js';
import type { Reduction } from './reduction.js';

/** Ops that combine values into accumulators instead of memory, and the accumulators after them. */
interface Accumulated {
  readonly ops: readonly Op[];
  readonly values: readonly Value[];
}

/**
 * The loop with one more carried value for each reduction, starting from `inits`; the additional results at the end are
 * their totals.
 */
export const carryReductions = (
  loop: Op,
  reductions: readonly Reduction[],
  inits: readonly Value[],
  ids: IdSource,
): Op => {
  const fresh = (): readonly Value[] => reductions.map((r) => makeValue(ids.next(), r.type, undefined));
  const regions = loop.regions.map((region): Region => {
    const params = fresh();
    const { ops, values } = accumulate(region.ops.slice(0, -1), reductions, params, ids);
    const last = terminatorOf(region);
    return {
      params: [...region.params, ...params],
      ops: [...ops, opWith(last, { operands: [...last.operands, ...values] })],
    };
  });
  return opWith(loop, { operands: [...loop.operands, ...inits], results: [...loop.results, ...fresh()], regions });
};

const accumulate = (
  ops: readonly Op[],
  reductions: readonly Reduction[],
  start: readonly Value[],
  ids: IdSource,
): Accumulated => {
  const values = [...start];
  const out = ops.map((op): Op => {
    const k = reductions.findIndex((r) => r.atomics.has(op));
    if (k >= 0) {
      const result = makeValue(ids.next(), reductions[k]!.type, undefined);
      const operands = [values[k]!, op.operands[0]!];
      values[k] = result;
      return opWith(op, { name: `arith.${reductions[k]!.kind}`, operands, results: [result], attrs: {} });
    }
    if (op.name !== 'scf.if') return op;
    const arms = op.regions.map((r) => accumulate(r.ops.slice(0, -1), reductions, values, ids));
    const changed = reductions.flatMap((_, n) => (arms.some((a) => a.values[n] !== values[n]) ? [n] : []));
    if (changed.length === 0) return op;
    const results = changed.map((n) => makeValue(ids.next(), reductions[n]!.type, undefined));
    const regions = op.regions.map((r, i) => {
      const last = terminatorOf(r);
      const region = { params: r.params, ops: [...arms[i]!.ops, last] };
      return withTerminator(region, [...last.operands, ...changed.map((n) => arms[i]!.values[n]!)]);
    });
    changed.forEach((n, i) => (values[n] = results[i]!));
    return opWith(op, { results: [...op.results, ...results], regions });
  });
  return { ops: out, values };
};

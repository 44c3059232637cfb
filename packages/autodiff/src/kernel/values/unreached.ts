import { isLoop, type ControlOf, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import { tripCount } from '@filigree/opt';
import type { DerivativeTable } from '../../table/derivative.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import { rowOf } from './rule.js';
import { steepValues } from './steep.js';

/**
 * Values that may be computed for nothing, and whose rule may then multiply an adjoint of 0 by what is infinite or no number: they are used only in
 * arms that may not be taken, in loops that may have no iterations, as what may be no extremum, or for values of which this holds.
 */
export const unreachedValues = (
  { body, params }: Kernel,
  { constantOf }: LoopFacts,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
  rows: DerivativeTable,
): ReadonlySet<number> => {
  /** How many ops that may not run their regions lie around the definition of a value. */
  const depths = new Map<number, number>(params.map((p) => [p.id, 0]));
  const steep = steepValues({ body, params }, rows, { constantOf });
  const reached = new Set<number>();
  const found = new Set<number>();

  const isExtremum = (op: Op): boolean =>
    elementOf(op)?.does === 'atomic' && (op.attrs.kind === 'min' || op.attrs.kind === 'max');
  const mayPass = (op: Op): boolean => {
    const control = controlOf(op);
    if (!control) return false;
    return !isLoop(control) || (tripCount(control.count, constantOf) ?? 0n) === 0n;
  };

  const define = ({ params, ops }: Region, depth: number): void => {
    for (const p of params) depths.set(p.id, depth);
    for (const op of ops) {
      for (const r of op.results) depths.set(r.id, depth);
      for (const region of op.regions) define(region, depth + (mayPass(op) ? 1 : 0));
    }
  };

  const use = (v: Value, depth: number): void => {
    if (depths.get(v.id) === depth) reached.add(v.id);
  };

  /* Users come before what they use. */
  const visit = ({ ops }: Region, depth: number, around?: Op): void => {
    for (const op of ops.toReversed()) {
      const isEnd = around !== undefined && op === ops[ops.length - 1];
      for (const region of op.regions) visit(region, depth + (mayPass(op) ? 1 : 0), op);
      const row = rowOf(rows, op);
      const arms = row?.is === 'rule' ? row.choice?.arms : undefined;
      const whole = isEnd ? around.results.length !== op.operands.length : op.results.length === 0;
      /* An extremum leaves nothing to those that it is not. */
      const all = !isExtremum(op) && (whole || elementOf(op)?.value !== undefined);
      op.operands.forEach((v, n) => {
        const needed = isEnd ? reached.has(around.results[n]?.id) : op.results.some((r) => reached.has(r.id));
        if (all || (needed && !arms?.includes(n))) use(v, depth);
      });
      for (const r of op.results) if (steep.has(r.id) && !reached.has(r.id)) found.add(r.id);
    }
  };

  define(body, 0);
  visit(body, 0);
  return found;
};

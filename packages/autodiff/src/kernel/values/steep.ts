import { isFloat, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import { rowOf } from './rule.js';

/**
 * Results, by id, of ops whose partial derivatives may be infinite or no number, where an adjoint of 0 would not stay 0: those of ops like `sqrt`, and
 * of what multiplies by such results.
 *
 * @param isGiven ops whose results are taken for numbers, as then are the arguments of the kernel; by default nobody knows what is given
 */
export const steepValues = (
  { body, params }: Pick<Kernel, 'body' | 'params'>,
  rows: DerivativeTable,
  { constantOf }: Pick<LoopFacts, 'constantOf'>,
  isGiven?: (op: Op) => boolean,
): ReadonlySet<number> => {
  /** Values that may be infinite or no number. */
  const singular = new Set<number>(params.flatMap((p) => (isFloat(p.type) && !isGiven ? [p.id] : [])));
  const steep = new Set<number>();
  const known = (v: Value): number | undefined => {
    const constant = constantOf(v);
    return constant === undefined ? undefined : Number(constant);
  };
  const isTame = (op: Op): boolean => {
    const row = rowOf(rows, op);
    if (row?.is !== 'rule' && row?.is !== 'zero') return false;
    return typeof row.tame === 'function' ? row.tame(...op.operands.map(known)) : row.tame === true;
  };
  const isSteady = (op: Op): boolean => {
    const row = rowOf(rows, op);
    return row?.is === 'rule' && row.steady === true;
  };
  const visit = ({ params, ops }: Region): void => {
    for (const p of params) if (isFloat(p.type)) singular.add(p.id);
    for (const op of ops) {
      const fine = isGiven?.(op) === true || (isTame(op) && op.operands.every((v) => !singular.has(v.id)));
      for (const r of op.results) {
        if (!isFloat(r.type) || fine) continue;
        singular.add(r.id);
        if (!isSteady(op)) steep.add(r.id);
      }
      op.regions.forEach(visit);
    }
  };
  visit(body);
  return steep;
};

import type { Op, Region, Value } from '@filigree/ir';
import { terminatorOf } from '../support/values.js';

/** A comparison that is known to hold. */
export interface Condition {
  readonly value: Value;
  readonly predicate: string;
  readonly compared: Value;
}

/** The comparisons that hold in a region of an op: of a branch, of a loop, or behind the test of a `while`. */
export const conditionsOf = (
  op: Op,
  region: Region,
  definition: (v: Value) => Op | undefined,
): readonly Condition[] => {
  const out: Condition[] = [];
  const hold = (v: Value, truth: boolean): void => {
    const def = definition(v);
    if (def?.name === 'arith.not') hold(def.operands[0]!, !truth);
    else if (def?.name === (truth ? 'arith.and' : 'arith.or')) def.operands.forEach((o) => hold(o, truth));
    else if (def?.name === 'arith.cmp' && typeof def.operands[0]!.type === 'string') {
      const [a, b] = [def.operands[0]!, def.operands[1]!];
      const p = String(def.attrs['predicate']);
      const predicate = truth ? p : inverse[p]!;
      out.push({ value: a, predicate, compared: b }, { value: b, predicate: mirrored[predicate]!, compared: a });
    }
  };
  if (op.name === 'scf.if') hold(op.operands[0]!, region === op.regions[0]);
  if (op.name !== 'scf.while' || region !== op.regions[1]) return out;
  const [condition, ...handed] = terminatorOf(op.regions[0]!).operands;
  hold(condition!, true);
  /* Behind the test the values go by other names. */
  const renamed = (v: Value): Value => region.params[handed.findIndex((h) => h.id === v.id)] ?? v;
  return [...out, ...out.map((c) => ({ ...c, value: renamed(c.value), compared: renamed(c.compared) }))];
};

const inverse: Readonly<Record<string, string>> = { lt: 'ge', ge: 'lt', le: 'gt', gt: 'le', eq: 'ne', ne: 'eq' };
const mirrored: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le', eq: 'eq', ne: 'ne' };

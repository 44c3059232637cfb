import {
  inversePredicate,
  mirroredPredicate,
  handedOn,
  receivedBy,
  type Control,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { impliedTruths } from '../support/implied-truths.js';

/** A comparison that is known to hold. */
export interface Condition {
  readonly value: Value;
  readonly predicate: string;
  readonly compared: Value;
  /** Whether it is the comparison that holds, and not that its opposite does not: of floats only one that holds tells that there is no NaN. */
  readonly holds: boolean;
}

/** The comparisons that hold in a region of an op, because control takes a way there only where they do. */
export const conditionsOf = (
  op: Op,
  region: Region,
  control: Control | undefined,
  definition: (v: Value) => Op | undefined,
): readonly Condition[] => {
  const [edge, ...others] = (control?.edges ?? []).filter(({ to }) => to === op.regions.indexOf(region));
  if (!edge?.when || others.length > 0) return [];
  const { operand, is } = edge.when;
  const out = impliedBy(handedOn(op, { ...edge, first: 0 })[operand]!, is, definition);
  if (edge.from === 'start') return out;
  /* Behind a test at the end of another region the values go by other names. */
  const [handed, received] = [handedOn(op, edge), receivedBy(op, edge)];
  const renamed = (v: Value): Value => received[handed.findIndex((h) => h.id === v.id)] ?? v;
  return [...out, ...out.map((c) => ({ ...c, value: renamed(c.value), compared: renamed(c.compared) }))];
};

/** The comparisons that hold where a truth value is what is said. */
export const impliedBy = (
  condition: Value,
  is: boolean,
  definition: (v: Value) => Op | undefined,
): readonly Condition[] =>
  impliedTruths(condition, is, definition).flatMap(({ value, holds }) => {
    const made = definition(value);
    if (made?.name !== 'arith.cmp' || typeof made.operands[0]!.type !== 'string') return [];
    const [a, b] = [made.operands[0]!, made.operands[1]!];
    const p = String(made.attrs['predicate']);
    const predicate = holds ? p : inversePredicate[p]!;
    return [
      { value: a, predicate, compared: b, holds },
      { value: b, predicate: mirroredPredicate[predicate]!, compared: a, holds },
    ];
  });

import { handedOn, receivedBy, type Control, type Op, type Region, type Value } from '@filigree/ir';

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
): readonly Condition[] => {
  const out: Condition[] = [];
  const hold = (v: Value, truth: boolean): void => {
    const def = definition(v);
    if (def?.name === 'arith.not') hold(def.operands[0]!, !truth);
    else if (def?.name === (truth ? 'arith.and' : 'arith.or')) def.operands.forEach((o) => hold(o, truth));
    else if (def?.name === 'arith.select') {
      /* Where one side is not what it came to, it was the other. */
      const [choice, ...sides] = def.operands as [Value, Value, Value];
      const excluded = sides.findIndex((side) => definition(side)?.attrs['value'] === !truth);
      if (excluded < 0) return;
      hold(choice, excluded === 1);
      hold(sides[1 - excluded]!, truth);
    } else if (def?.name === 'scf.if') {
      /* The same of what a branch hands on, which may be its own condition: `i >= 0 && x[i] > y`. */
      const condition = def.operands[0]!;
      const sides = def.regions.map(
        (r) => r.ops.at(-1)!.operands[def.results.findIndex((result) => result.id === v.id)]!,
      );
      const isExcluded = (side: Value, n: number): boolean =>
        side.id === condition.id ? (n === 0) !== truth : definition(side)?.attrs['value'] === !truth;
      const excluded = sides.findIndex(isExcluded);
      if (excluded < 0) return;
      hold(condition, excluded === 1);
      hold(sides[1 - excluded]!, truth);
    } else if (def?.name === 'arith.cmp' && typeof def.operands[0]!.type === 'string') {
      const [a, b] = [def.operands[0]!, def.operands[1]!];
      const p = String(def.attrs['predicate']);
      const predicate = truth ? p : inverse[p]!;
      out.push(
        { value: a, predicate, compared: b, holds: truth },
        { value: b, predicate: mirrored[predicate]!, compared: a, holds: truth },
      );
    }
  };
  hold(condition, is);
  return out;
};

const inverse: Readonly<Record<string, string>> = { lt: 'ge', ge: 'lt', le: 'gt', gt: 'le', eq: 'ne', ne: 'eq' };
const mirrored: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le', eq: 'eq', ne: 'ne' };

import type { Op, Region, Value } from '@filigree/ir';

/** What a condition says: ops that hold, or do not, where it is as said. */
export interface Said {
  readonly facts: readonly Fact[];
  /** Whether it is as said wherever all of these are. */
  readonly isAll: boolean;
}

export interface Fact {
  readonly op: Op;
  readonly holds: boolean;
}

/**
 * What holds where a condition does, or where it does not: the parts of `a && b` and `!(a || b)`, however they are written.
 *
 * @param madeBy the op that a value is the result of
 */
export const saidBy = (condition: Value, holds: boolean, madeBy: (v: Value) => Op | undefined): Said => {
  const op = madeBy(condition);
  if (!op) return { facts: [], isAll: false };
  if (op.name === (holds ? 'arith.and' : 'arith.or')) return joined(op.operands.map((v) => saidBy(v, holds, madeBy)));
  if (op.name === 'arith.not') return saidBy(op.operands[0], !holds, madeBy);
  if (op.name === 'scf.if') return saidByArms(op, condition, holds, madeBy);
  return { facts: [{ op, holds }], isAll: true };
};

const joined = (parts: readonly Said[]): Said => ({
  facts: parts.flatMap((p) => p.facts),
  isAll: parts.every((p) => p.isAll),
});

/** As `a && b`, which asks `b` in an arm alone: where the other arm denies what holds, this one was taken. */
const saidByArms = (op: Op, condition: Value, holds: boolean, madeBy: (v: Value) => Op | undefined): Said => {
  const n = op.results.findIndex((r) => r.id === condition.id);
  const [asked] = op.operands;
  const given = op.regions.map(({ ops }) => ops[ops.length - 1].operands[n]);
  const denies = given.map((v, arm) => (v.id === asked.id ? arm === 0 : madeBy(v)?.attrs.value) === !holds);
  const taken = denies.indexOf(false);
  if (!denies.includes(true) || taken < 0) return { facts: [], isAll: false };
  return joined([saidBy(asked, taken === 0, madeBy), saidBy(given[taken], holds, madeBy)]);
};

/** By op, what the branches of a region say that it lies in. */
export const guardsIn = (region: Region, madeBy: (v: Value) => Op | undefined): ReadonlyMap<Op, readonly Fact[]> => {
  const guards = new Map<Op, readonly Fact[]>();
  const visit = ({ ops }: Region, here: readonly Fact[]): void => {
    for (const op of ops) {
      guards.set(op, here);
      op.regions.forEach((inner, n) =>
        visit(inner, op.name === 'scf.if' ? [...here, ...saidBy(op.operands[0], n === 0, madeBy).facts] : here),
      );
    }
  };
  visit(region, []);
  return guards;
};

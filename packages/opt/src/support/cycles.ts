import { isFloat, scalarOps, type Op } from '@filigree/ir';

/** Cycles of one op: the row of the scalar table; for integers, division is as slow and all else is cheap. */
export const cycles = (op: Op): number => {
  const row = costs.get(op.name) ?? 1;
  return op.results.every((v) => isFloat(v.type)) || row >= 8 ? row : Math.min(row, 1);
};

/** Whether an op is an instruction, and no call: at most as slow as a division or a root. */
export const isQuick = (op: Op): boolean => cycles(op) <= 8;

/** Whether an op is a function of floats that is a call, such as the sine. */
export const isFunction = (op: Op): boolean =>
  op.name.startsWith('math.') && !isQuick(op) && op.results.every((v) => isFloat(v.type));

const costs: ReadonlyMap<string, number> = new Map(
  scalarOps
    .filter((o) => o.arity > 0 || o.name === 'constant')
    .map((o) => [o.kernelOp, o.name === 'arms' ? 1 : o.cost]),
);

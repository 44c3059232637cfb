import { handedOn, receivedBy, type ControlEdge, type Op, type Value } from '@filigree/ir';

/**
 * The truth values that are known, by id, where control takes a way on a condition: that condition, and those of which it is made. Behind a test at the end of another region, as a loop has that goes on while it
 * holds, they go by the names under which they are handed on.
 */
export const truthsBehind = (
  op: Op,
  way: ControlEdge,
  definition: (v: Value) => Op | undefined,
): ReadonlyMap<number, boolean> => {
  const truths = new Map<number, boolean>();
  const hold = (v: Value, truth: boolean): void => {
    truths.set(v.id, truth);
    const made = definition(v);
    if (made?.name === 'arith.not') hold(made.operands[0]!, !truth);
    else if (made?.name === (truth ? 'arith.and' : 'arith.or')) made.operands.forEach((o) => hold(o, truth));
  };
  const { operand, is } = way.when!;
  const condition = handedOn(op, { ...way, first: 0 })[operand]!;
  if (condition.type === 'i1') hold(condition, is);
  if (way.from === 'start') return truths;
  const received = receivedBy(op, way);
  return new Map(
    handedOn(op, way).flatMap((v, k): [number, boolean][] => {
      const truth = truths.get(v.id);
      return truth === undefined ? [] : [[received[k]!.id, truth]];
    }),
  );
};

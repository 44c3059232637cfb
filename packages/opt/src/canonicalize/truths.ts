import { handedOn, receivedBy, type ControlEdge, type Op, type Value } from '@filigree/ir';
import { impliedTruths } from '../support/implied-truths.js';

/**
 * The truth values that are known, by id, where control takes a way on a condition: that condition, and those of which it is made. Behind a test at the end of another region, as a loop has that goes on while it
 * holds, they go by the names under which they are handed on.
 */
export const truthsBehind = (
  op: Op,
  way: ControlEdge,
  definition: (v: Value) => Op | undefined,
): ReadonlyMap<number, boolean> => {
  const { operand, is } = way.when!;
  const condition = handedOn(op, { ...way, first: 0 })[operand]!;
  const truths = new Map(
    condition.type === 'i1'
      ? impliedTruths(condition, is, definition).map(({ value, holds }) => [value.id, holds])
      : [],
  );
  if (way.from === 'start') return truths;
  const received = receivedBy(op, way);
  return new Map(
    handedOn(op, way).flatMap((v, k): [number, boolean][] => {
      const truth = truths.get(v.id);
      return truth === undefined ? [] : [[received[k]!.id, truth]];
    }),
  );
};

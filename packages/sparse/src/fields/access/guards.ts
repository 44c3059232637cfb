import type { Op, Value } from '@filigree/ir';

/** Whether a lookup is for what is written, or activated: then out of bounds it finds a sink, else what is ambient. */
export const isWritten = ({ attrs }: Op): boolean => attrs.activate === true || attrs.written === true;

/** What an op's place depends on, beside the indices within bounds: of what is out of bounds, where it is and whether that is written. */
export const outsideKey = (op: Op): string => {
  const guards = guardsOf(op).map((g) => g.id);
  if (guards.length === 0 && op.attrs.past !== true) return '';
  return `${guards.join()} ${isWritten(op) ? 'written' : 'read'}`;
};

/** The operands of an op before its guards. */
export const unguarded = (op: Op): readonly Value[] => op.operands.slice(0, op.operands.length - guardsOf(op).length);

/** The guards at the end of the operands of a lookup, or of what is done at a place. */
export const guardsOf = (op: Op): readonly Value[] =>
  op.operands.slice(op.operands.findLastIndex((v) => v.type !== 'i1') + 1);

/** The lookups that an op stands for: the operands of each, its guards behind the others. */
export const splitOperands = (op: Op): readonly (readonly Value[])[] => {
  const each = op.operands.filter((v) => v.type !== 'i1').length / Number(op.attrs.count);
  const lists: Value[][] = [];
  let places = 0;
  for (const v of op.operands) {
    if (v.type === 'i1') lists[lists.length - 1].push(v);
    else if (places++ % each === 0) lists.push([v]);
    else lists[lists.length - 1].push(v);
  }
  return lists;
};

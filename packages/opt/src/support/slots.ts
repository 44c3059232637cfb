import { type Op, type Region, type Value, opWith } from '@filigree/ir';
import { terminatorOf } from './values.js';

/** An `scf.for` with these of its carried values only, by position. */
export const keepForSlots = (op: Op, kept: readonly number[]): Op => {
  const region = op.regions[0]!;
  return opWith(op, {
    operands: [...op.operands.slice(0, 3), ...pick(op.operands, kept, 3)],
    results: pick(op.results, kept),
    regions: [keepYielded({ ...region, params: [region.params[0]!, ...pick(region.params, kept, 1)] }, kept)],
  });
};

/** An `scf.if` with these of its results only. */
export const keepIfSlots = (op: Op, kept: readonly number[]): Op =>
  opWith(op, { results: pick(op.results, kept), regions: op.regions.map((r) => keepYielded(r, kept)) });

/** An `scf.while` with these of its carried values, and these of the values that its condition hands on. */
export const keepWhileSlots = (op: Op, carried: readonly number[], handed: readonly number[]): Op => {
  const [before, after] = [op.regions[0]!, op.regions[1]!];
  const condition = terminatorOf(before);
  return opWith(op, {
    operands: pick(op.operands, carried),
    results: pick(op.results, handed),
    regions: [
      withTerminator({ ...before, params: pick(before.params, carried) }, [
        condition.operands[0]!,
        ...pick(condition.operands, handed, 1),
      ]),
      keepYielded({ ...after, params: pick(after.params, handed) }, carried),
    ],
  });
};

/** The region ending in the same terminator with other operands. */
export const withTerminator = (region: Region, operands: readonly Value[]): Region => ({
  params: region.params,
  ops: [...region.ops.slice(0, -1), opWith(terminatorOf(region), { operands })],
});

const keepYielded = (region: Region, kept: readonly number[]): Region =>
  withTerminator(region, pick(terminatorOf(region).operands, kept));

const pick = (values: readonly Value[], kept: readonly number[], offset = 0): readonly Value[] =>
  kept.map((i) => values[i + offset]!);

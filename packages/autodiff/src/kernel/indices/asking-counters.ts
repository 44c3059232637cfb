import { isInteger, isSigned, type Op, type Value } from '@filigree/ir';
import { saidBy } from './conjuncts.js';

/** Between which numbers values of a loop that asks before each iteration lie. */
export interface Between {
  readonly values: readonly Value[];
  readonly least: number;
  readonly most: number;
}

/**
 * The counters of a loop that asks: what begins between numbers, only grows or only falls, by numbers, and is asked for a bound, `while (k < 6 && …) k++`.
 *
 * @param madeBy the op that a value is the result of
 * @param numberOf what a value is, where that is known before the loop
 * @param liesIn what a value that is there before the loop lies between
 */
export const askingCounters = (
  op: Op,
  madeBy: (v: Value) => Op | undefined,
  numberOf: (v: Value) => number | undefined,
  liesIn: (v: Value) => readonly [least: number, most: number],
): readonly Between[] => {
  if (op.name !== 'scf.while') return [];
  const [asks, does] = op.regions;
  const [condition, ...handed] = asks.ops[asks.ops.length - 1].operands;
  const next = does.ops[does.ops.length - 1].operands;
  const { facts } = saidBy(condition, true, madeBy);
  return asks.params.flatMap((asked, n): readonly Between[] => {
    const [inside, result] = [does.params[n], op.results[n]];
    if (!isInteger(asked.type) || handed[n]?.id !== asked.id || !inside) return [];
    const step = stepOf(next[n], inside, madeBy, numberOf);
    if (!step || (step[0] < 0 && step[1] > 0)) return [];
    const grows = step[1] > 0;
    const bounds = facts.flatMap(({ op: { name, attrs, operands }, holds }) => {
      const at = operands.findIndex((v) => v.id === asked.id);
      const number = at < 0 || name !== 'arith.cmp' ? undefined : numberOf(operands[1 - at]);
      const found = number === undefined ? undefined : boundOf(String(attrs.predicate), at === 1, holds, number);
      return found && found.isMost === grows ? [found.bound] : [];
    });
    if (bounds.length === 0) return [];
    const begins = liesIn(op.operands[n]);
    const [least, most] = grows ? [begins[0], Math.min(...bounds)] : [Math.max(...bounds), begins[1]];
    const [lowest, highest] = [Math.min(begins[0], least + step[0]), Math.max(begins[1], most + step[1])];
    /* None of these goes round. */
    if (!(lowest >= (isSigned(asked.type) ? -(2 ** 31) : 0) && highest < 2 ** 31)) return [];
    return [
      { values: [asked, result], least: lowest, most: highest },
      { values: [inside], least, most },
    ];
  });
};

/** By how much a value is more than another one, at least and at most. */
const stepOf = (
  v: Value,
  from: Value,
  madeBy: (v: Value) => Op | undefined,
  numberOf: (v: Value) => number | undefined,
): readonly [number, number] | undefined => {
  if (v.id === from.id) return [0, 0];
  const op = madeBy(v);
  if (op?.name === 'scf.if') {
    const n = op.results.findIndex((r) => r.id === v.id);
    const arms = op.regions.map(({ ops }) => stepOf(ops[ops.length - 1].operands[n], from, madeBy, numberOf));
    if (!arms.every((a) => a !== undefined)) return undefined;
    return [Math.min(...arms.map(([least]) => least)), Math.max(...arms.map(([, most]) => most))];
  }
  if (op?.name !== 'arith.add' && op?.name !== 'arith.sub') return undefined;
  const by = numberOf(op.operands[1]);
  const before = stepOf(op.operands[0], from, madeBy, numberOf);
  if (by === undefined || !before) return undefined;
  const more = op.name === 'arith.add' ? by : -by;
  return [before[0] + more, before[1] + more];
};

/** What a comparison with a number says of its other operand: the most that it is, or the least. */
const boundOf = (
  predicate: string,
  turned: boolean,
  holds: boolean,
  number: number,
): { readonly isMost: boolean; readonly bound: number } | undefined => {
  const strict = predicate === 'lt' || predicate === 'gt';
  if (!strict && predicate !== 'le' && predicate !== 'ge') return undefined;
  const isLess = (predicate === 'lt' || predicate === 'le') !== turned;
  const isMost = isLess === holds;
  const off = strict === holds ? 1 : 0;
  return { isMost, bound: isMost ? number - off : number + off };
};

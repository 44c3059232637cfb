import { walk, type Op, type Region, type Value } from '@filigree/ir';
import { bodyOf, terminatorOf } from '../support/values.js';

/**
 * The gathers in loops on vectors that go on as long as one lane does, each with how many elsewhere it costs as much as. Most follow from what was read and computed before: one by one, they wait for each other, and no processor foresees when the loop
 * ends. Elements that lie in a row, `x[k++]`, wait for nothing, so that lanes which have ended are a loss.
 *
 * @param definition of a value of the region
 */
export const gathersApart = (region: Region, definition: (v: Value) => Op | undefined): ReadonlyMap<Op, number> => {
  const found = new Map<Op, number>();
  walk(region, (op) => {
    if (!endsApart(op)) return;
    const steady = steadyIn(op, definition);
    for (const inner of op.regions)
      walk(inner, (read) => {
        if (read.name === 'mem.gather') found.set(read, steady.has(read.operands[0]!.id) ? IN_A_ROW : SEARCH);
      });
  });
  return found;
};

const SEARCH = 1 / 4;
const IN_A_ROW = 2;

const endsApart = (op: Op): boolean => {
  if (op.name !== 'scf.while') return false;
  const [before] = op.regions as readonly [Region];
  const [goesOn] = terminatorOf(before).operands;
  return before.ops.some(({ name, results }) => name === 'arith.reduce' && results[0]!.id === goesOn!.id);
};

/** The ids of vectors in a loop that grow by the same from each of its iterations to the next, on lanes that go on. */
const steadyIn = (loop: Op, definition: (v: Value) => Op | undefined): ReadonlySet<number> => {
  const [before, after] = loop.regions as readonly [Region, Region];
  const isSame = (v: Value): boolean => definition(v)?.name === 'arith.splat';
  const steady = new Set<number>();
  terminatorOf(after).operands.forEach((next, k) => {
    const kept = definition(next);
    const step = kept?.name === 'arith.select' ? definition(kept.operands[1]!) : undefined;
    const own = kept?.operands[2];
    if (step?.name !== 'arith.add' || !own || !step.operands.some((v) => v.id === own.id)) return;
    if (!step.operands.some((v) => v.id !== own.id && isSame(v))) return;
    steady.add(own.id).add(before.params[k]!.id);
  });
  for (const region of [before, after])
    for (const op of bodyOf(region)) {
      /* Lanes that have ended read the first element. */
      const numbers = op.name === 'arith.select' ? op.operands.slice(1) : op.operands;
      if (STEADY.has(op.name) && numbers.every((v) => steady.has(v.id) || isSame(v))) steady.add(op.results[0]!.id);
    }
  return steady;
};

/** Of numbers that grow alike, and what keeps an index within bounds. */
const STEADY: ReadonlySet<string> = new Set(
  ['add', 'sub', 'mul', 'shl', 'cast', 'select', 'min', 'max'].map((name) => `arith.${name}`),
);

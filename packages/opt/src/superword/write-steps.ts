import { type Op, type Scalar, type Type, type Value, opWith, scalarOf } from '@filigree/ir';
import { simpleOp, type Fresh } from '../support/values.js';
import type { Block } from './block.js';
import { firstLanes, isNumber, laneKey, lanesKey, members, type LaneValue, type Pack } from './pack.js';
import { usedByScalars } from './profit.js';
import type { Step } from './schedule.js';

/** The ops of a block with vectors for packs. Lanes that scalars use are extracted under their old names. */
export const writeSteps = (
  block: Block,
  steps: readonly Step[],
  packs: readonly Pack[],
  constants: ReadonlyMap<number, Scalar>,
  fresh: Fresh,
): readonly Op[] => {
  const ops: Op[] = [];
  const vectors = new Map<string, Value>();
  const given = new Set(packs.flatMap((p) => firstLanes(p).map(lanesKey)));
  const packed = new Set(packs.flatMap(members));
  const inGathers = new Set<number>();
  for (const p of packs)
    for (const lanes of p.operands)
      if (!given.has(lanesKey(lanes))) for (const x of lanes) if (!isNumber(x)) inGathers.add(x.id);

  const emit = (name: string, operands: readonly Value[], attrs: Op['attrs'], type: Type, like: Op): Value => {
    const result = fresh(type);
    ops.push(simpleOp(name, operands, attrs, result, like.loc));
    return result;
  };
  /** The vector of some lanes; what is missing at the end does not matter. */
  const vector = (lanes: readonly LaneValue[], { type: made, width }: Pack, like: Op): Value => {
    const value = lanes.find((x): x is Value => !isNumber(x));
    const type = value ? scalarOf(value.type) : made;
    const key = lanesKey(lanes);
    const known = vectors.get(`${width} ${key}`);
    if (known) return known;
    const number = (x: LaneValue): Scalar | undefined => (isNumber(x) ? x : constants.get(x.id));
    const scalar = (x: LaneValue): Value => (isNumber(x) ? emit('arith.constant', [], { value: x }, type, like) : x);
    const first = lanes[0]!;
    const wide = { lanes: width, of: type };
    const given = number(first);
    let whole =
      given !== undefined
        ? emit('arith.constant', [], { value: given as number }, wide, like)
        : emit('arith.splat', [scalar(first)], { lanes: width }, wide, like);
    lanes.forEach((x, lane) => {
      if (laneKey(x) !== laneKey(first)) whole = emit('arith.insert', [whole, scalar(x)], { lane }, wide, like);
    });
    vectors.set(`${width} ${key}`, whole);
    return whole;
  };

  for (const step of steps) {
    if (typeof step === 'number') {
      ops.push(block.ops[step]!);
      continue;
    }
    const first = block.ops[members(step)[0]!]!;
    const operands = step.operands.map((lanes) => vector(lanes, step, first));
    const wide = { lanes: step.width, of: step.type };
    if (step.name === 'mem.store') {
      ops.push(opWith(first, { operands: [operands[0]!, first.operands[1]!] }));
      continue;
    }
    const result =
      step.name === 'mem.load'
        ? emit('mem.load', first.operands, { ...first.attrs, lanes: step.width }, wide, first)
        : emit(step.name, operands, first.attrs, wide, first);
    for (const lanes of firstLanes(step)) vectors.set(`${step.width} ${lanesKey(lanes)}`, result);
    step.ops.forEach((at, lane) => {
      const old = at === undefined ? undefined : block.ops[at]!.results[0]!;
      if (old && (inGathers.has(old.id) || usedByScalars(block, old, packed)))
        ops.push(simpleOp('arith.extract', [result], { lane }, old, block.ops[at!]!.loc));
    });
  }
  return ops;
};

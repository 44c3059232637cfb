import type { Value } from '@filigree/ir';
import type { Block } from './block.js';
import { isNumber, laneKey, lanesKey, members, type LaneValue, type Pack } from './pack.js';

/**
 * The packs that pay. A pack saves all its ops but one, and costs what it takes to put its operands together from scalars
 * and to take out lanes that scalars use. First packs go that cost more than they save where they are, then groups of
 * packs that are connected, unless they save something as a whole.
 */
export const profitable = (
  block: Block,
  packs: readonly Pack[],
  isConstant: (v: Value) => boolean,
): readonly Pack[] => {
  const cost = costModel(block, packs, isConstant);
  const kept = new Set(packs);
  let now = cost(kept);
  for (let round = 0, before = Infinity; round < mostRounds && kept.size < before; round++) {
    before = kept.size;
    for (const p of packs) {
      if (!kept.delete(p)) continue;
      const then = cost(kept);
      if (then <= now) now = then;
      else kept.add(p);
    }
  }
  return components([...kept])
    .filter((group) => cost(new Set(group)) < 0)
    .flat();
};

const mostRounds = 4;

/** What an operand needs. */
interface Need {
  readonly key: string;
  readonly lanes: readonly LaneValue[];
  readonly price: number;
}

/** Ops that a set of packs costs, less those that it saves. */
const costModel = (
  block: Block,
  packs: readonly Pack[],
  isConstant: (v: Value) => boolean,
): ((kept: ReadonlySet<Pack>) => number) => {
  const needs = new Map(packs.map((p) => [p, p.operands.map((lanes) => needOf(lanes, isConstant))]));
  const keys = new Map(packs.map((p) => [p, lanesKey(p.results)]));
  return (kept) => {
    const given = new Set<string>();
    const packed = new Set<number>();
    let sum = 0;
    for (const p of kept) {
      given.add(keys.get(p)!);
      for (const at of members(p)) packed.add(at);
      sum += 1 - members(p).length;
    }
    const gathered = new Map<string, Need>();
    for (const p of kept) for (const need of needs.get(p)!) if (!given.has(need.key)) gathered.set(need.key, need);
    const inGathers = new Set<number>();
    for (const { lanes, price } of gathered.values()) {
      sum += price;
      for (const x of lanes) if (!isNumber(x)) inGathers.add(x.id);
    }
    for (const at of packed)
      for (const v of block.ops[at]!.results) if (inGathers.has(v.id) || usedByScalars(block, v, packed)) sum++;
    return sum;
  };
};

/** Whether an op outside of all packs, or one beyond the block, uses a value. An index of a packed access is a scalar too. */
export const usedByScalars = (block: Block, v: Value, packed: ReadonlySet<number>): boolean =>
  block.escapes(v) || block.uses(v).some((u) => !packed.has(u.op) || isIndex(block.ops[u.op]!.name, u.operand));

const isIndex = (name: string, operand: number): boolean =>
  (name === 'mem.load' && operand === 0) || (name === 'mem.store' && operand === 1);

/** One op copies the first lane into all, unless it is a constant, and one more for each lane that differs. */
const needOf = (lanes: readonly LaneValue[], isConstant: (v: Value) => boolean): Need => {
  const first = lanes[0]!;
  const others = lanes.filter((x) => laneKey(x) !== laneKey(first)).length;
  return { key: lanesKey(lanes), lanes, price: others + (isNumber(first) || isConstant(first) ? 0 : 1) };
};

/** Packs that give each other operands. */
const components = (packs: readonly Pack[]): readonly (readonly Pack[])[] => {
  const group = new Map<Pack, Pack>(packs.map((p) => [p, p]));
  const find = (p: Pack): Pack => {
    let root = p;
    while (group.get(root) !== root) root = group.get(root)!;
    for (let q = p; q !== root;) {
      const next = group.get(q)!;
      group.set(q, root);
      q = next;
    }
    return root;
  };
  const giver = new Map(packs.filter((p) => p.results.length > 0).map((p) => [lanesKey(p.results), p]));
  for (const p of packs)
    for (const lanes of p.operands) {
      const from = giver.get(lanesKey(lanes));
      if (from) group.set(find(from), find(p));
    }
  const groups = new Map<Pack, Pack[]>();
  for (const p of packs) groups.set(find(p), [...(groups.get(find(p)) ?? []), p]);
  return [...groups.values()];
};

import { isFloat, type Op, type Value } from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import type { Block } from './block.js';
import { firstLanes, isNumber, laneKey, lanesKey, members, type LaneValue, type Pack } from './pack.js';

/**
 * The packs that pay. A pack saves all its ops but one, and costs what it takes to assemble its operands from scalars
 * and to extract lanes that scalars use. First, packs that cost more than they save are dropped one by one; then groups
 * of connected packs, unless the group saves something as a whole.
 */
export const profitable = (
  block: Block,
  packs: readonly Pack[],
  isConstant: (v: Value) => boolean,
): readonly Pack[] => {
  const cost = (some: readonly Pack[]): number => {
    const bill = new Bill(block, isConstant);
    for (const p of some) bill.add(p);
    return bill.total;
  };
  const bill = new Bill(block, isConstant);
  const kept = new Set(packs);
  for (const p of packs) bill.add(p);
  for (let round = 0, before = Infinity; round < mostRounds && kept.size < before; round++) {
    before = kept.size;
    for (const p of packs) {
      if (!kept.has(p)) continue;
      const now = bill.total;
      bill.remove(p);
      if (bill.total <= now) kept.delete(p);
      else bill.add(p);
    }
  }
  return components([...kept])
    .filter((group) => cost(group) < 0)
    .flat();
};

const mostRounds = 4;

/** More than any block can save. */
const NEVER = 2 ** 30;

/** What an operand needs. */
interface Need {
  readonly key: string;
  readonly lanes: readonly LaneValue[];
  readonly price: number;
}

/** Ops that a set of packs costs, less those that it saves, kept up to date as packs come and go. */
class Bill {
  total = 0;
  /** How often something is there: results of packs and operands of packs by their lanes, ops in packs. */
  private readonly given = new Counts<string>();
  private readonly needed = new Counts<string>();
  private readonly packed = new Counts<number>();
  /** Values that are put into vectors one by one. */
  private readonly gathered = new Counts<number>();
  private readonly prepared = new Map<Pack, Prepared>();

  constructor(
    private readonly block: Block,
    private readonly isConstant: (v: Value) => boolean,
  ) {}

  add(p: Pack): void {
    this.change(p, 1);
  }

  remove(p: Pack): void {
    this.change(p, -1);
  }

  private change(p: Pack, by: 1 | -1): void {
    const { gives, needs, members, near, saves } = this.prepare(p);
    const touched = unique([...gives, ...needs]);
    this.total -= by * saves + this.takenOut(near);
    for (const n of touched) this.total -= this.gather(n, -1);
    for (const n of gives) this.given.add(n.key, by);
    for (const n of needs) this.needed.add(n.key, by);
    for (const n of touched) this.total += this.gather(n, 1);
    for (const at of members) this.packed.add(at, by);
    this.total += this.takenOut(near);
  }

  /** The cost of assembling an operand, if it is needed; its scalars are added to the count, or removed. */
  private gather({ key, lanes, price }: Need, by: 1 | -1): number {
    if (!this.needed.has(key) || this.given.has(key)) return 0;
    for (const x of lanes) if (!isNumber(x)) this.gathered.add(x.id, by);
    return price;
  }

  /** Lanes that scalars use, of these values. */
  private takenOut(values: readonly Value[]): number {
    let sum = 0;
    for (const v of values) {
      const at = this.block.definition(v);
      if (at !== undefined && this.packed.has(at))
        if (this.gathered.has(v.id) || usedByScalars(this.block, v, this.packed)) sum += priceOf(v);
    }
    return sum;
  }

  private prepare(p: Pack): Prepared {
    const known = this.prepared.get(p);
    if (known) return known;
    const { block, isConstant } = this;
    const [gives, needs] = [firstLanes(p), p.operands].map((all) => unique(all.map((x) => needOf(x, isConstant))));
    const ops = members(p);
    const values = [
      ...ops.flatMap((at) => [...block.ops[at]!.results, ...block.ops[at]!.operands]),
      ...[...gives!, ...needs!].flatMap((n) => n.lanes.flatMap((x) => (isNumber(x) ? [] : [x]))),
    ];
    const near = [...new Map(values.map((v) => [v.id, v])).values()];
    const saves = isByLane(block, p, isConstant) ? 0 : ops.length - 1;
    const made = { gives: gives!, needs: needs!, members: ops, near, saves };
    this.prepared.set(p, made);
    return made;
  }
}

/** What there is to know of a pack. */
interface Prepared {
  /** Ops that the pack saves by itself. */
  readonly saves: number;
  /** Vectors that it makes. */
  readonly gives: readonly Need[];
  readonly needs: readonly Need[];
  readonly members: readonly number[];
  /** The values that may be taken out of vectors, or not, because of the pack. */
  readonly near: readonly Value[];
}

/** Whether some targets do it lane by lane: they shift all lanes alike. */
const isByLane = (block: Block, p: Pack, isConstant: (v: Value) => boolean): boolean => {
  if (p.name !== 'arith.shl' && p.name !== 'arith.shr') return false;
  const amounts = members(p).map((at) => block.ops[at]!.operands[1]!);
  return !amounts.every(isConstant) || new Set(amounts.map((v) => v.id)).size > 1;
};

const unique = (needs: readonly Need[]): readonly Need[] => [...new Map(needs.map((n) => [n.key, n])).values()];

class Counts<K> {
  private readonly counts = new Map<K, number>();

  has(key: K): boolean {
    return this.counts.has(key);
  }

  add(key: K, by: 1 | -1): void {
    const count = (this.counts.get(key) ?? 0) + by;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}

/** Whether an op outside of all packs, or one beyond the block, uses a value. An index of a packed access is a scalar too. */
export const usedByScalars = (block: Block, v: Value, packed: { readonly has: (op: number) => boolean }): boolean =>
  block.escapes(v) || block.uses(v).some((u) => !packed.has(u.op) || isIndex(block.ops[u.op]!, u.operand));

const isIndex = (op: Op, operand: number): boolean =>
  loadStoreOf(op) !== undefined && operand === op.operands.length - 1;

/** One op copies the first lane into all, unless it is a constant, and one more for each lane that differs. Truth values are never put together. */
const needOf = (lanes: readonly LaneValue[], isConstant: (v: Value) => boolean): Need => {
  const first = lanes[0];
  if (first === undefined) return { key: '', lanes, price: 0 };
  if (lanes.some((x) => !isNumber(x) && x.type === 'i1')) return { key: lanesKey(lanes), lanes, price: NEVER };
  const others = lanes.reduce<number>((sum, x) => sum + (laneKey(x) === laneKey(first) ? 0 : priceOf(x)), 0);
  return { key: lanesKey(lanes), lanes, price: others + (isNumber(first) || isConstant(first) ? 0 : 1) };
};

/** What it takes to bring a lane to a vector, or from it: integers are in registers of another kind, and truth values are told from words. */
const priceOf = (x: LaneValue): number => (isNumber(x) || isFloat(x.type) ? 1 : x.type === 'i1' ? 3 : 2);

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
  const giver = new Map(packs.flatMap((p) => firstLanes(p).map((lanes) => [lanesKey(lanes), p])));
  for (const p of packs)
    for (const lanes of p.operands) {
      const from = giver.get(lanesKey(lanes));
      if (from) group.set(find(from), find(p));
    }
  const groups = new Map<Pack, Pack[]>();
  for (const p of packs) groups.set(find(p), [...(groups.get(find(p)) ?? []), p]);
  return [...groups.values()];
};

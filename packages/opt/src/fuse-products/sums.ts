import { isFloat, type Kernel, type Op, type Region, type Value } from '@filigree/ir';

/** What a sum of floats is made of. */
export interface Term {
  readonly negative: boolean;
  /** A value as it is, or two that are multiplied. */
  readonly of: readonly [Value] | readonly [Value, Value];
}

/** Sums of floats in which there are products that other sums of a kernel use too. */
export interface SharedSums {
  /** Sums that are to be written anew, with their terms. */
  readonly terms: ReadonlyMap<Op, readonly Term[]>;
  /** Products and sums that are among the terms of such sums, and used nowhere else. */
  readonly parts: ReadonlySet<Op>;
}

/**
 * Finds sums that share products. A product is a part of sums if sums of its own region use it and nothing else does:
 * each of them then multiplies and adds in one op, which takes as long as an addition. A sum of such products can
 * itself be a part of others, if repeating it in each of n takes no more ops than computing its p products once and
 * adding it: n p ≤ p + n, that is with one use, or with two products and two uses. So there are no more ops than
 * before, except for the first product of a sum that consists of nothing else. A sum that is added to a carried value
 * of a loop stays separate, so that an iteration waits for the previous one no longer than an addition takes.
 *
 * @param most shared parts that a region can keep: regions with no more of them stay as they are
 */
export const sharedSums = (kernel: Kernel, most: number): SharedSums => {
  const { definitions, uses, params, regions } = scan(kernel);
  const usersOf = (op: Op): readonly Placed[] => uses.get(op.results[0]!.id) ?? [];
  const products = new Map<Op, number>();

  const partOf = (v: Value): Op | undefined => {
    const op = definitions.get(v.id)?.op;
    return op && productsIn(op) !== Infinity ? op : undefined;
  };
  /** Products that an op adds up if it may be a part of sums, else infinitely many. */
  const productsIn = (op: Op): number => {
    const known = products.get(op);
    if (known !== undefined) return known;
    const count = isProduct(op) ? 1 : isSum(op) ? op.operands.reduce((all, v) => all + countOf(v), 0) : Infinity;
    const n = usersOf(op).length;
    const part = n > 0 && count <= LONGEST && n * count <= count + n && isOnlyAdded(op);
    const result = part ? count : Infinity;
    products.set(op, result);
    return result;
  };
  const countOf = (v: Value): number => {
    const op = definitions.get(v.id)?.op;
    return op ? productsIn(op) : Infinity;
  };
  const isOnlyAdded = (op: Op): boolean => {
    const home = definitions.get(op.results[0]!.id)!.region;
    return usersOf(op).every((u) => isSum(u.op) && u.region === home && !u.op.operands.some((v) => params.has(v.id)));
  };

  const gather = (op: Op, negative: boolean, found: Term[], parts: Set<Op>): void =>
    op.operands.forEach((v, k) => {
      const sign = op.name === 'arith.sub' && k === 1 ? !negative : negative;
      const part = partOf(v);
      if (!part) return void found.push({ negative: sign, of: [v] });
      parts.add(part);
      if (isProduct(part)) found.push({ negative: sign, of: [part.operands[0]!, part.operands[1]!] });
      else gather(part, sign, found, parts);
    });
  const isShared = (part: Op): boolean => usersOf(part).length > 1;
  const inRegion = (region: Region): SharedSums => {
    const terms = new Map<Op, readonly Term[]>();
    const parts = new Set<Op>();
    for (const sum of region.ops) {
      if (!isSum(sum) || productsIn(sum) !== Infinity) continue;
      const [found, within] = [[] as Term[], new Set<Op>()];
      gather(sum, false, found, within);
      if (![...within].some(isShared)) continue;
      terms.set(sum, found);
      for (const part of within) parts.add(part);
    }
    return [...parts].filter(isShared).length > most ? { terms, parts } : { terms: new Map(), parts: new Set() };
  };
  const all = regions.map(inRegion);
  return {
    terms: new Map(all.flatMap(({ terms }) => [...terms])),
    parts: new Set(all.flatMap(({ parts }) => [...parts])),
  };
};

/** Products of a part, which are gathered by recursion. A longer sum goes on from the one before. */
const LONGEST = 64;

const isSum = (op: Op): boolean => (op.name === 'arith.add' || op.name === 'arith.sub') && isFloat(op.results[0]!.type);

const isProduct = (op: Op): boolean => op.name === 'arith.mul' && isFloat(op.results[0]!.type);

interface Placed {
  readonly op: Op;
  readonly region: Region;
}

interface Scan {
  readonly definitions: ReadonlyMap<number, Placed>;
  readonly uses: ReadonlyMap<number, readonly Placed[]>;
  readonly params: ReadonlySet<number>;
  readonly regions: readonly Region[];
}

const scan = (kernel: Kernel): Scan => {
  const definitions = new Map<number, Placed>();
  const uses = new Map<number, Placed[]>();
  const params = new Set<number>();
  const regions: Region[] = [];
  const visit = (region: Region): void => {
    regions.push(region);
    for (const p of region.params) params.add(p.id);
    for (const op of region.ops) {
      const placed = { op, region };
      for (const v of op.operands) {
        const users = uses.get(v.id);
        if (users) users.push(placed);
        else uses.set(v.id, [placed]);
      }
      for (const r of op.results) definitions.set(r.id, placed);
      op.regions.forEach(visit);
    }
  };
  visit(kernel.body);
  return { definitions, uses, params, regions };
};

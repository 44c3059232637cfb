import type { Op, Region, Value } from '@filigree/ir';

/** How a loop accumulates each of its carried values, in order: `add`, `min` …; undefined where it does more with one. */
export const accumulations = (loop: Op, uses: (id: number) => number): readonly string[] | undefined => {
  const body = loop.regions[0]!;
  const definitions = new Map<number, readonly [op: Op, result: number]>();
  const walk = (r: Region): void => {
    for (const op of r.ops) {
      op.results.forEach((v, k) => definitions.set(v.id, [op, k]));
      op.regions.forEach(walk);
    }
  };
  walk(body);
  const kinds = body.params.slice(1).map((param, k) => kindOf(param, body.ops.at(-1)!.operands[k]!, definitions, uses));
  return kinds.every((kind) => kind !== undefined) ? kinds : undefined;
};

const combining = new Set(['arith.add', 'arith.mul', 'arith.min', 'arith.max', 'arith.and', 'arith.or', 'arith.xor']);

/** The one op by which `next` comes from `param`, where every use of `param` is on the way there. */
const kindOf = (
  param: Value,
  next: Value,
  definitions: ReadonlyMap<number, readonly [op: Op, result: number]>,
  uses: (id: number) => number,
): string | undefined => {
  const kinds = new Set<string>();
  let seen = 0;
  /** Whether the value is `param` with something combined into it; what is on the way must have no other use. */
  const follow = (v: Value): boolean => {
    if (v.id === param.id) return ++seen > 0;
    const [op, result] = definitions.get(v.id) ?? [];
    if (op === undefined || result === undefined || uses(v.id) !== 1) return false;
    if (op.name === 'scf.if') return op.regions.map((r) => follow(r.ops.at(-1)!.operands[result]!)).every(Boolean);
    if (op.name === 'arith.select') return op.operands.slice(1).map(follow).every(Boolean);
    if (!combining.has(op.name)) return false;
    kinds.add(op.name.slice('arith.'.length));
    const before = seen;
    return op.operands.some((o) => {
      if (follow(o)) return true;
      seen = before;
      return false;
    });
  };
  return follow(next) && seen === uses(param.id) && kinds.size === 1 ? [...kinds][0] : undefined;
};

import type { Op, Region, Value } from '@filigree/ir';
import { accessesOf } from './core-ops.js';

/**
 * Buffers in which a loop writes elements that are a few places from elements that it reads. The iterations of a loop for
 * lanes are independent, but some compilers that see such a distance take it for a dependence, whatever they are told.
 *
 * @param outside the sums before the loop, by their results: a distance may have been added there
 */
export const nearBuffers = (
  loop: Op,
  constantOf: (v: Value) => number | undefined,
  outside: ReadonlyMap<number, Op>,
): ReadonlySet<string> => {
  const within = new Map<number, Op>();
  const added = (v: Value): Op | undefined => within.get(v.id) ?? outside.get(v.id);
  const places = { read: new Map<string, number[]>(), written: new Map<string, number[]>() };
  const near = new Set<string>();
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      if (isSum(op)) within.set(op.results[0]!.id, op);
      op.regions.forEach(visit);
      const access = accessesOf(op)?.[0];
      const which = access?.kind === 'read' ? places.read : access?.kind === 'write' ? places.written : undefined;
      if (!access || !which) continue;
      const { values, plus } = sumOf(access.index[0]!, added, constantOf);
      const key = `${access.place} ${values.sort((a, b) => a - b).join()}`;
      which.set(key, [...(which.get(key) ?? []), plus]);
    }
  };
  loop.regions.forEach(visit);
  for (const [key, written] of places.written)
    for (const r of places.read.get(key) ?? [])
      if (written.some((p) => p !== r && Math.abs(p - r) < FAR)) near.add(key.slice(0, key.indexOf(' ')));
  return near;
};

/** Whether an op adds two numbers. */
export const isSum = (op: Op): boolean => op.name === 'arith.add';

/** More elements than lanes hold. */
const FAR = 128;

/** An index as values and a number that are added. */
export const sumOf = (
  v: Value,
  added: (v: Value) => Op | undefined,
  constantOf: (v: Value) => number | undefined,
): { readonly values: number[]; readonly plus: number } => {
  const number = constantOf(v);
  if (number !== undefined) return { values: [], plus: number };
  const op = added(v);
  if (!op) return { values: [v.id], plus: 0 };
  const [x, y] = op.operands.map((o) => sumOf(o, added, constantOf));
  return { values: [...x!.values, ...y!.values], plus: x!.plus + y!.plus };
};

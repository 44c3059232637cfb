import type { Op, Region, Value } from '@filigree/ir';
import { accessesOf } from './core-ops.js';

/**
 * Buffers in which a loop writes elements that are a few places from elements that it reads. The iterations of a loop for
 * lanes are independent, but some compilers that see such a distance take it for a dependence, whatever they are told.
 */
export const nearBuffers = (loop: Op, constantOf: (v: Value) => number | undefined): ReadonlySet<string> => {
  const definitions = new Map<number, Op>();
  const places = { read: new Map<string, number[]>(), written: new Map<string, number[]>() };
  const near = new Set<string>();
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      for (const r of op.results) definitions.set(r.id, op);
      op.regions.forEach(visit);
      const access = accessesOf(op)?.[0];
      const which = access?.kind === 'read' ? places.read : access?.kind === 'write' ? places.written : undefined;
      if (!access || !which) continue;
      const { values, plus } = sum(access.index[0]!, definitions, constantOf);
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

/** More elements than lanes hold. */
const FAR = 128;

/** An index as values and a number that are added. */
const sum = (
  v: Value,
  definitions: ReadonlyMap<number, Op>,
  constantOf: (v: Value) => number | undefined,
): { readonly values: number[]; readonly plus: number } => {
  const number = constantOf(v);
  if (number !== undefined) return { values: [], plus: number };
  const op = definitions.get(v.id);
  if (op?.name !== 'arith.add') return { values: [v.id], plus: 0 };
  const [x, y] = op.operands.map((o) => sum(o, definitions, constantOf));
  return { values: [...x!.values, ...y!.values], plus: x!.plus + y!.plus };
};

import { type Op, type Value, walk } from '@filigree/ir';
import { accessesOf } from '../core-ops.js';
import type { Writer } from '../writer.js';
import { constantNumber } from './variables.js';

/** How far an index moves on from one iteration of a loop to the next, in elements; undefined where that is not told. */
export const strideIn = (w: Writer, { regions: [body] }: Op): ((index: Value) => number | undefined) => {
  const [counter] = body!.params as [Value];
  const made = new Map<number, Op>();
  walk(body!, (op) => {
    for (const r of op.results) made.set(r.id, op);
  });
  const number = (v: Value): number | undefined => {
    const op = made.get(v.id);
    return op?.name === 'arith.constant' ? Number(op.attrs['value']) : constantNumber(w, v);
  };
  const known = new Map<number, number | undefined>([[counter.id, 1]]);
  const stride = (v: Value): number | undefined => {
    if (!known.has(v.id)) known.set(v.id, strideOf(v));
    return known.get(v.id);
  };
  const strideOf = (v: Value): number | undefined => {
    const op = made.get(v.id);
    if (!op) return 0;
    if (op.regions.length > 0 || accessesOf(op)?.length) return undefined;
    const moves = op.operands.map(stride);
    const [a, b] = moves;
    if (moves.every((m) => m === 0)) return 0;
    if (op.name === 'arith.cast') return a;
    if (a === undefined || b === undefined) return undefined;
    if (op.name === 'arith.add') return a + b;
    if (op.name === 'arith.sub') return a - b;
    if (op.name !== 'arith.mul' || (a !== 0 && b !== 0)) return undefined;
    const [moving, factor] = a === 0 ? [b, number(op.operands[0]!)] : [a, number(op.operands[1]!)];
    return factor === undefined ? undefined : moving * factor;
  };
  return stride;
};

/**
 * Indices of reads of which iterations of a loop take few elements of many, as the first two of each 512. gcc loads all that is between them into lanes and sorts out what is read: for 512 these are 36 kB of
 * instructions, which take it half a second, and run ten times as long as loads one by one do.
 */
export const sparseReads = (w: Writer, loop: Op): ReadonlySet<number> => {
  const stride = strideIn(w, loop);
  const found = new Map<string, Set<number>>();
  const apart = new Map<string, number>();
  walk(loop.regions[0]!, (op) => {
    for (const { place, index, kind } of accessesOf(op) ?? []) {
      const distance = kind === 'read' && index[0] ? stride(index[0]) : undefined;
      if (!distance) continue;
      const key = `${place} ${distance}`;
      apart.set(key, Math.abs(distance));
      found.set(key, (found.get(key) ?? new Set()).add(index[0]!.id));
    }
  });
  return new Set(
    [...found].flatMap(([key, of]) => (of.size > 1 && apart.get(key)! >= SPARSE * of.size ? [...of] : [])),
  );
};

/** Elements from one iteration to the next, for each that is read, from which loads one by one are faster: 8 for two, measured. */
const SPARSE = 4;

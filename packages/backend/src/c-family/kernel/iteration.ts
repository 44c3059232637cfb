import type { Op, Value } from '@filigree/ir';
import { type Writer, scalarName } from '../writer.js';
import { atom, constantNumber } from './variables.js';

/** The index of a loop in its iteration `trip`, counted from 0 on. */
export const indexAt = (w: Writer, op: Op, trip: string): string => {
  const { i32, u32 } = w.shared.dialect.scalar;
  const [lb, , step] = op.operands as [Value, Value, Value];
  const type = scalarName(w.shared, op.regions[0]!.params[0]!);
  const isUnit = constantNumber(w, step) === 1;
  const [from, stride] = [atom(w, lb), atom(w, step)];
  if (type === i32 && !spanFits(w, op))
    return `(${type})((${u32})${from} + (${u32})${trip}${isUnit ? '' : ` * (${u32})${stride}`})`;
  const start = constantNumber(w, lb) === 0 ? '' : `${from} + `;
  return `${start}(${type})${trip}${isUnit ? '' : ` * ${stride}`}`;
};

/** Declares the index of a loop in its iteration `trip`; nothing where nothing asks for it, of which compilers warn. */
export const indexLines = (w: Writer, op: Op, name: () => string, trip: string): readonly string[] => {
  const iv = op.regions[0]!.params[0]!;
  return w.shared.usage.count(iv.id) === 0
    ? []
    : [`const ${scalarName(w.shared, iv)} ${name()} = ${indexAt(w, op, trip)};`];
};

/**
 * Whether the way from a loop's first index to its last is known to fit an index. Where it may not, an index is computed on bits: C leaves signed overflow undefined, and
 * compilers then take a loop for one that never ends.
 */
const spanFits = (w: Writer, op: Op): boolean => {
  const [from, to] = [op.operands[0]!, op.operands[1]!].map((v) => constantNumber(w, v));
  if (from !== undefined && to !== undefined) return to - from <= 2 ** 31 - 1;
  return (from !== undefined && from >= 0) || (to !== undefined && to <= 0);
};

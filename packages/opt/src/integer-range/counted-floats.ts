import { handedOn, hasRealRange, receivedBy, walk, type Kernel, type Op, type Value } from '@filigree/ir';
import type { Facts } from '../support/facts.js';

/**
 * The floats of a kernel that integers are made of, those that these follow from, and those that they are compared with, by id. Of no others anybody asks for a range; most kernels have none.
 */
export const countedFloats = (kernel: Kernel, facts: Facts): Set<number> => {
  const found = new Set<number>();
  const sources = new Map<number, Value[]>();
  const from = (to: Value, value: Value): void => {
    const known = sources.get(to.id);
    if (known) known.push(value);
    else sources.set(to.id, [value]);
  };
  const casts: Op[] = [];
  walk(kernel.body, (op) => {
    if (op.name === 'arith.cast' && hasRealRange(op.operands[0]!.type) && !hasRealRange(op.results[0]!.type))
      casts.push(op);
  });
  if (casts.length === 0) return found;
  walk(kernel.body, (op) => {
    if (op.regions.length === 0) {
      for (const r of op.results) if (hasRealRange(r.type)) op.operands.forEach((v) => from(r, v));
      if (op.name === 'arith.cmp') op.operands.forEach((v, n) => from(v, op.operands[1 - n]!));
      return;
    }
    for (const edge of facts.control(op)?.edges ?? []) {
      const received = receivedBy(op, edge);
      handedOn(op, edge).forEach((v, k) => from(received[k]!, v));
    }
  });
  const pending = casts.map((op) => op.operands[0]!);
  for (let v = pending.pop(); v; v = pending.pop()) {
    if (!hasRealRange(v.type) || found.has(v.id)) continue;
    found.add(v.id);
    pending.push(...(sources.get(v.id) ?? []));
  }
  return found;
};

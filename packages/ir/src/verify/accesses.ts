import type { Access } from '../kernel/access.js';
import type { Effect } from '../kernel/dialect.js';
import type { Op, Value } from '../kernel/op.js';

/** What contradicts the op, or its effects, in what its definition says of the elements that it touches; undefined where nothing does. */
export const accessProblem = (op: Op, accesses: readonly Access[], effects: readonly Effect[]): string | undefined => {
  const has = (values: readonly Value[], v: Value | undefined): boolean => values.some((o) => o.id === v?.id);
  for (const { kind, place, index, value } of accesses) {
    if (index.some((v) => !has(op.operands, v))) return `an index of its access to ${place} is no operand of it`;
    if (value && !has(kind === 'read' ? op.results : op.operands, value))
      return `what it is said to ${kind} at ${place} is no ${kind === 'read' ? 'result' : 'operand'} of it`;
    const stated = effects.some((e) => e.kind === kind && (e.buffer === undefined || e.buffer === place));
    if (kind !== 'hint' && !stated) return `it is said to ${verb[kind]} ${place}, but has no such effect`;
  }
  return undefined;
};

const verb = { read: 'read', write: 'write', atomic: 'update' } as const;

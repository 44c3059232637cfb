import { shrink, sizeOf, smaller, without } from '../shrink.js';
import type { TraceCode } from './code.js';
import { printTrace } from './print.js';

/** The smallest program found that still fails. */
export const shrinkTrace = (
  trace: TraceCode,
  fails: (t: TraceCode) => Promise<boolean>,
  most: number,
): Promise<TraceCode> => shrink(trace, candidates, fails, most);

function* candidates(t: TraceCode): Generator<TraceCode> {
  for (const body of smaller(
    t.body,
    (part) => part as TraceCode['body'],
    () => undefined,
  )) {
    const kept = new Set(body.map((s) => s.name));
    const outputs = t.outputs.filter((o) => kept.has(o));
    if (outputs.length > 0) yield { ...t, body, outputs };
  }
  for (const outputs of without(t.outputs)) if (outputs.length > 0) yield { ...t, outputs };
  const text = printTrace(t);
  const uses = (name: string): boolean => text.split(name).length > 2;
  const tidy = {
    ...t,
    inputs: t.inputs.filter((x) => uses(x.name)),
    matrices: t.matrices.filter((x) => uses(x.name)),
    tables: t.tables.filter((x) => text.includes(x.name)),
  };
  if (sizeOf(tidy) < sizeOf(t)) yield tidy;
  for (const [n, x] of t.inputs.entries())
    for (const [k, value] of x.values.entries())
      if (value !== 1) yield { ...t, inputs: t.inputs.with(n, { ...x, values: x.values.with(k, 1) }) };
}

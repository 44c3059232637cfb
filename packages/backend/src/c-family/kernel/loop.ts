import type { Op, Value } from '@filigree/ir';
import { type Writer, line, loopBlock, named, scalarName, valueOf, wideName } from '../writer.js';
import { indexLines } from './iteration.js';
import { hints, onLanes, outerHints, scalarHints } from './lanes.js';
import { emitRegion } from './region.js';
import { sumsInRows } from './sums-in-rows.js';
import { assign, atom, constantNumber, declare, tripCount } from './variables.js';

/** A loop in this function. Carried values are variables, which its results then name. */
export const emitLoop = (w: Writer, op: Op): void => {
  const body = op.regions[0]!;
  const [iv, ...carried] = body.params;
  const variables = op.operands
    .slice(3)
    .map((init, k) => declare(w, carried[k]!, op.results[k]!, valueOf(w, init).text));
  const { rows, dialect } = w.shared;
  const pragmas = hints(w, op, variables);
  const { keptLoop = [] } = dialect;
  const kept = pragmas.length > 0 && rows.has(op) ? keptLoop : [];
  if (keptLoop.length > 0) for (const sum of sumsInRows(w, op)) rows.add(sum);
  onLanes(w, pragmas.length > 0 ? op : undefined, () => {
    const header = loopHeader(w, op, iv!);
    const outer = pragmas.length > 0 ? [] : outerHints(w, op);
    for (const l of [...pragmas, ...kept, ...scalarHints(w, op), ...outer]) line(w, l);
    loopBlock(w, header.open, () => {
      for (const l of header.first) line(w, l);
      assign(w, variables, emitRegion(w, body)!);
    });
  });
};

interface LoopHeader {
  readonly open: string;
  /** Lines at the top of the body. */
  readonly first: readonly string[];
}

const loopHeader = (w: Writer, op: Op, iv: Value): LoopHeader => {
  const [lb, ub, step] = op.operands as [Value, Value, Value];
  const by = constantNumber(w, step);
  const i = (): string => named(w.shared, iv, iv.hint ?? 'i');
  const type = scalarName(w.shared, iv);
  if (by !== undefined && by >= 1 && cannotOverflow(w, ub, by)) {
    const [from, to] = [valueOf(w, lb).text, atom(w, ub)];
    const name = i();
    return {
      open: `for (${type} ${name} = ${from}; ${name} < ${to}; ${by === 1 ? `++${name}` : `${name} += ${by}`}) {`,
      first: [],
    };
  }
  const [from, stride] = [atom(w, lb), atom(w, step)];
  const [trips, trip] = [w.shared.names.take('trips'), w.shared.names.take('trip')];
  line(w, `const ${wideName(w.shared)} ${trips} = ${tripCount(w, from, atom(w, ub), stride, by)};`);
  return {
    open: `for (${wideName(w.shared)} ${trip} = 0; ${trip} < ${trips}; ++${trip}) {`,
    first: indexLines(w, op, i, trip),
  };
};

/** Whether `i += by` stays within the index type on the way out of the loop. */
export const cannotOverflow = (w: Writer, ub: Value, by: number): boolean => {
  if (by === 1) return true;
  const to = constantNumber(w, ub);
  return to !== undefined && to + by <= 2 ** 31 - 1;
};

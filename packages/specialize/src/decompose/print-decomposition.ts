import { printTrace, type PrintedTrace } from '../trace/print-trace.js';

/** What of a decomposition is printed. */
export interface PrintedDecomposition extends PrintedTrace {
  readonly unit: Int32Array;
  readonly level: Int32Array;
}

/** A decomposition as text: the trace, and of each node that is stored its unit and the level of that. */
export const printDecomposition = (d: PrintedDecomposition): string =>
  printTrace(d, (id) => (d.unit[id]! < 0 ? '' : `stored by unit ${d.unit[id]!} of level ${d.level[d.unit[id]!]!}`));

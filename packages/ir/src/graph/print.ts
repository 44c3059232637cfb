import { checkOptions } from '../options/check-options.js';
import { option, type OptionSpec } from '../options/kinds.js';
import { scalarOps } from '../scalar/scalar-op.js';
import { ARITY, CONSTANT, VARIABLE } from './codes.js';
import type { Graph } from './graph.js';

/** How a graph is printed. */
export interface PrintGraphOptions {
  /** What a variable is called, by its number; default `x0`, `x1`, …. */
  readonly variable?: (k: number) => string;
  /** What else is said of a node, behind it. */
  readonly note?: (id: number) => string;
  /** Nodes that are printed at the most; of the rest their number is said. Default 1000. */
  readonly limit?: number;
}

/** The nodes of a graph in the order of their ids, a line each: `%12 = add %3, %7`. Variables and constants stand where they are used. */
export const printGraph = (graph: Graph, given?: PrintGraphOptions): string => {
  const options = checkOptions('printGraph', given, printSpec);
  const { variable = (k: number) => `x${k}`, note = () => '', limit = 1000 } = options;
  const { op, left, right, length } = graph;
  const name = (id: number): string =>
    op[id] === VARIABLE ? variable(left[id]) : op[id] === CONSTANT ? String(graph.constantValue(id)) : `%${id}`;
  const lines: string[] = [];
  let rest = 0;
  for (let id = 0; id < length; id++) {
    if (op[id] === VARIABLE || op[id] === CONSTANT) continue;
    if (lines.length >= limit) {
      rest++;
      continue;
    }
    const operands = ARITY[op[id]] === 2 ? [left[id], right[id]] : [left[id]];
    const said = note(id);
    lines.push(`%${id} = ${scalarOps[op[id]].name} ${operands.map(name).join(', ')}${said && `  ; ${said}`}\n`);
  }
  return lines.join('') + (rest > 0 ? `; and ${rest} more\n` : '');
};

const printSpec: OptionSpec<PrintGraphOptions> = {
  variable: option.callback,
  note: option.callback,
  limit: option.number(0),
};

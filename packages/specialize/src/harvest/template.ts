import { Graph, type Arithmetic } from '@filigree/ir';
import { ADD, MUL } from '../decompose/codes.js';
import { readToken } from './token.js';

/**
 * The expression of a group (§4.2.2): a small graph whose variables are, in order, the leaf columns and the columns of
 * varying constants. Being hash-consed, it evaluates what repeats within it once.
 */
export interface Template {
  readonly graph: Graph;
  readonly roots: readonly number[];
}

/** What stands at a leaf or constant of the canonical form: a column, or a number that all members share. */
export type Slot = { readonly variable: number } | { readonly value: number };

/** The same text for templates that are built alike, and for no others. */
export const printed = ({ graph, roots }: Template): string => {
  const nodes = Array.from({ length: graph.length }, (_, id) =>
    graph.isConstant(id) ? numberText(graph.constantValue(id)) : `${graph.op[id]} ${graph.left[id]} ${graph.right[id]}`,
  );
  return `${nodes.join(',')} to ${roots.join(' ')}`;
};

const numberText = (x: number): string => (Object.is(x, -0) ? '-0' : `${x}`);

/**
 * Rebuilds an expression from its canonical form; `leaf(i)` and `constant(i)` say what stands at the i-th leaf and
 * constant, `variables` is the number of columns.
 */
export const buildTemplate = (
  tokens: Int32Array,
  tokenCount: number,
  variables: number,
  leaf: (i: number) => Slot,
  constant: (i: number) => Slot,
  arithmetic: Arithmetic,
): Template => {
  const graph = new Graph({ arithmetic, capacity: 2 * tokenCount + variables + 8 });
  const first = graph.variables(variables);
  const at = (slot: Slot): number => ('variable' in slot ? first + slot.variable : graph.constant(slot.value));
  const frames: { code: number; operands: number; args: number[]; index: number }[] = [];
  const results: number[] = [];
  const inner: number[] = [];
  let leaves = 0;
  let constants = 0;
  let made = 0;
  for (let i = 0; i < tokenCount; i++) {
    const t = readToken(tokens[i]);
    let value: number;
    if (t.is === 'operation') {
      frames.push({ code: t.code, operands: t.operands, args: [], index: made++ });
      continue;
    } else if (t.is === 'leaf') value = at(leaf(leaves++));
    else if (t.is === 'constant') value = at(constant(constants++));
    else value = inner[t.index];
    for (;;) {
      const frame = frames[frames.length - 1];
      if (!frame) {
        results.push(value);
        break;
      }
      frame.args.push(value);
      if (frame.args.length < frame.operands) break;
      frames.pop();
      value = apply(graph, frame.code, frame.args);
      inner[frame.index] = value;
    }
  }
  return { graph, roots: results };
};

const apply = (graph: Graph, code: number, args: readonly number[]): number => {
  if (code === ADD || code === MUL || args.length > 2) return args.reduce((a, b) => graph.apply(code, a, b));
  return graph.apply(code, args[0], args[1] ?? 0);
};

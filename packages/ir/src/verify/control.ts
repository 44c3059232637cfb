import { typesText, sameTypes } from '../dialects/define.js';
import { type Control, type ControlEdge, handedOn, receivedBy } from '../kernel/control.js';
import type { Op, Value } from '../kernel/op.js';
import { sameType, typeText } from '../kernel/type.js';

/** What contradicts the op in what its definition says of its control flow; undefined where nothing does. */
export const controlProblem = (op: Op, { edges, count }: Control): string | undefined => {
  for (const edge of edges) {
    const problem = edgeProblem(op, edge);
    if (problem !== undefined) return problem;
  }
  if (!count) return undefined;
  if (op.regions.length !== 1) return `\`count\` is for ops with one region, it has ${op.regions.length}`;
  const counter = count.counter === undefined ? undefined : op.regions[0].params[count.counter];
  if (count.counter !== undefined && !counter)
    return `the counter is parameter ${count.counter}, which the region lacks`;
  const bounds: readonly (Value | number | undefined)[] = [count.lower, count.upper, count.step];
  if (bounds.includes(undefined)) return 'a bound or the step of its count is an operand that it lacks';
  const types = [...bounds, counter].filter((v): v is Value => typeof v === 'object');
  return types.every((v) => sameType(v.type, types[0].type))
    ? undefined
    : `bounds, step and counter must have one type, they have ${typesText(types)}`;
};

const edgeProblem = (op: Op, edge: ControlEdge): string | undefined => {
  const missing = [edge.from, edge.to].find((n) => typeof n === 'number' && !op.regions[n]);
  if (missing !== undefined) return `control flows through region ${missing}, which it lacks`;
  if (typeof edge.from === 'number' && op.regions[edge.from].ops.length === 0)
    return `region ${edge.from} has no terminator to hand on anything`;
  const way = `from ${place(edge.from)} to ${place(edge.to)}`;
  const [given, taken] = [handedOn(op, edge), receivedBy(op, edge)];
  if (!sameTypes(given, taken)) return `${typesText(given)} flows ${way}, where ${typesText(taken)} is taken`;
  if (!edge.when) return undefined;
  const operands = edge.from === 'start' ? op.operands : op.regions[edge.from].ops.at(-1)!.operands;
  const condition = operands[edge.when.operand];
  return condition?.type === 'i1'
    ? undefined
    : `operand ${edge.when.operand} decides the way ${way}, it is ${condition ? typeText(condition.type) : 'not there'}`;
};

const place = (n: 'start' | 'end' | number): string => (typeof n === 'number' ? `region ${n}` : `its ${n}`);

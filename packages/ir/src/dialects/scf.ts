import type { ControlEdge } from '../kernel/control.js';
import type { OpDef, RuntimeValue } from '../kernel/dialect.js';
import type { Op, Region, Value } from '../kernel/op.js';
import { sameType, typeText } from '../kernel/type.js';
import {
  booleanAttr,
  defineGeneral,
  firstProblem,
  hasOperands,
  hasRegions,
  integerAttr,
  isIndex,
  oneOf,
  operandIs,
  sameTypes,
  terminatorOf,
  typesText,
} from './define.js';
import { dialect } from './op-table.js';

/** A region must end in this terminator, carrying values of these types. */
const endsIn = (
  region: Region,
  what: string,
  terminator: string,
  values: readonly Value[],
  from = 0,
): string | undefined => {
  const last = terminatorOf(region);
  if (last?.name !== terminator) return `${what} must end in ${terminator}`;
  const given = last.operands.slice(from);
  return sameTypes(given, values) ? undefined : `${what} yields ${typesText(given)}, expected ${typesText(values)}`;
};

const takes = (region: Region, what: string, params: readonly Value[]): string | undefined =>
  sameTypes(region.params, params)
    ? undefined
    : `${what} takes ${typesText(region.params)}, expected ${typesText(params)}`;

const forOp: OpDef = defineGeneral(
  {
    name: 'scf.for',
    summary:
      'runs its region for iv = lb, lb + step, … below ub, carrying values from one iteration to the next; ' +
      '`parallel`: iterations may run at once; `independent`: but for what they accumulate in carried values, iterations do not ' +
      'depend on one another, and sums, products, extrema and bits may be formed in any order; `simd`: iterations want ' +
      'vector lanes, and depend on one another by carried values alone, or, where it is false, gain nothing by lanes; for parallel loops `schedule` says whether the ' +
      'iterations cost alike (`static`, as if absent) or not (`dynamic`), and `threads` how many threads are worth it at most; `trips` says how many iterations to expect, `least` that there are none or at least so many; ' +
      '`team`: inside of a parallel loop, iterations may be divided among the team of threads that runs one iteration of it; the team ' +
      'shares scratch buffers, and waits for all of its threads before and after the loop, which no two iterations may race in',
    verify: (op) => {
      const inits = op.operands.slice(3);
      const body = op.regions[0];
      return firstProblem(
        (op.operands.length < 3
          ? `takes lb, ub, step and initial values, has ${op.operands.length} operands`
          : undefined) ??
          hasRegions(op, 1) ??
          operandIs(op, 0, 'i32 or i64', isIndex) ??
          (op.operands.slice(1, 3).every((v) => sameType(v.type, op.operands[0].type))
            ? undefined
            : `lb, ub and step must have one type, they have ${typesText(op.operands.slice(0, 3))}`) ??
          booleanAttr(op, 'parallel') ??
          booleanAttr(op, 'independent') ??
          booleanAttr(op, 'simd') ??
          booleanAttr(op, 'team') ??
          (op.attrs.team === true && (op.attrs.parallel === true || inits.length > 0)
            ? 'a loop for a team is not `parallel` itself, and carries no values: accumulate with mem.atomic, or drop `team`'
            : undefined) ??
          (op.attrs.schedule === undefined ? undefined : oneOf(op, 'schedule', ['static', 'dynamic'])) ??
          integerAttr(op, 'trips', 0, true) ??
          integerAttr(op, 'least', 1, true) ??
          integerAttr(op, 'threads', 1, true) ??
          (op.attrs.parallel !== true && (op.attrs.schedule !== undefined || op.attrs.threads !== undefined)
            ? `'schedule' and 'threads' are for parallel loops`
            : undefined) ??
          (op.attrs.parallel === true && inits.length > 0
            ? 'a parallel loop carries no values: accumulate with mem.atomic, or drop `parallel`'
            : undefined) ??
          takes(body, 'the body', [op.operands[0], ...inits]) ??
          endsIn(body, 'the body', 'scf.yield', inits),
      );
    },
    resultTypes: (operands) => operands.slice(3).map((v) => v.type),
    control: ({ operands: [lower, upper, step], attrs }) => ({
      edges: forEdges,
      count: { lower, upper, step, counter: 0 },
      parallel: attrs.parallel === true,
    }),
  },
  (op, args, machine) => {
    const [lb, ub, step] = args as [number | bigint, number | bigint, number | bigint];
    if (step <= 0) machine.trap(op, `the step must be positive, it is ${step}`);
    const body = op.regions[0];
    let carried: readonly RuntimeValue[] = args.slice(3);
    /* Untyped on purpose of both index types; a number does not wrap here, so a loop up to the last i32 ends. */
    if (typeof lb === 'bigint') {
      for (let i = lb; i < ub; i += step as bigint) carried = machine.region(body, [i, ...carried]);
    } else {
      for (let i = lb; i < ub; i += step as number) carried = machine.region(body, [i, ...carried]);
    }
    return carried;
  },
);

const forEdges: readonly ControlEdge[] = [
  { from: 'start', to: 0, first: 3, into: 1 },
  { from: 'start', to: 'end', first: 3, into: 0 },
  { from: 0, to: 0, first: 0, into: 1 },
  { from: 0, to: 'end', first: 0, into: 0 },
];

const ifOp: OpDef = defineGeneral(
  {
    name: 'scf.if',
    summary:
      'runs its first region where the condition holds, else its second; the results are what that region yields',
    verify: (op) =>
      firstProblem(
        hasOperands(op, 1, 2) ??
          operandIs(op, 0, 'i1', (t) => t === 'i1') ??
          takes(op.regions[0], 'the then region', []) ??
          takes(op.regions[1], 'the else region', []) ??
          endsIn(op.regions[0], 'the then region', 'scf.yield', op.results) ??
          endsIn(op.regions[1], 'the else region', 'scf.yield', op.results),
      ),
    resultTypes: (_operands, _attrs, regions) => (terminatorOf(regions[0])?.operands ?? []).map((v) => v.type),
    control: () => ({ edges: ifEdges }),
  },
  (op, [condition], machine) => machine.region(op.regions[condition === true ? 0 : 1], []),
);

const ifEdges: readonly ControlEdge[] = [
  { from: 'start', to: 0, first: 1, into: 0, when: { operand: 0, is: true } },
  { from: 'start', to: 1, first: 1, into: 0, when: { operand: 0, is: false } },
  { from: 0, to: 'end', first: 0, into: 0 },
  { from: 1, to: 'end', first: 0, into: 0 },
];

const whileOp: OpDef = defineGeneral(
  {
    name: 'scf.while',
    summary:
      'runs its first region on the carried values; while its scf.condition holds, the second region makes the next carried ' +
      'values from those of the condition, which are the results in the end',
    verify: (op) => {
      const [before, after] = op.regions;
      return firstProblem(
        hasRegions(op, 2) ??
          takes(before, 'the before region', op.operands) ??
          endsIn(before, 'the before region', 'scf.condition', op.results, 1) ??
          takes(after, 'the after region', op.results) ??
          endsIn(after, 'the after region', 'scf.yield', op.operands),
      );
    },
    resultTypes: (_operands, _attrs, regions) => (terminatorOf(regions[0])?.operands.slice(1) ?? []).map((v) => v.type),
    control: () => ({ edges: whileEdges }),
  },
  (op, args, machine) => {
    let carried: readonly RuntimeValue[] = args;
    for (;;) {
      const [goOn, ...values] = machine.region(op.regions[0], carried);
      if (goOn !== true) return values;
      carried = machine.region(op.regions[1], values);
    }
  },
);

const whileEdges: readonly ControlEdge[] = [
  { from: 'start', to: 0, first: 0, into: 0 },
  { from: 0, to: 1, first: 1, into: 0, when: { operand: 0, is: true } },
  { from: 0, to: 'end', first: 1, into: 0, when: { operand: 0, is: false } },
  { from: 1, to: 0, first: 0, into: 0 },
];

const terminator = (name: string, summary: string, verify: (op: Op) => readonly string[]): OpDef =>
  defineGeneral({ name, summary, verify, resultTypes: () => [], traits: { terminator: true } }, () => []);

/** Structured control flow. */
export const scf = dialect('scf', [
  forOp,
  ifOp,
  whileOp,
  terminator('scf.yield', 'ends a region and hands its operands to the owner', (op) => firstProblem(hasRegions(op, 0))),
  terminator(
    'scf.condition',
    'ends the first region of scf.while: whether to go on, and the values to go on with',
    (op) =>
      firstProblem(
        hasRegions(op, 0) ??
          (op.operands.length === 0 ? 'takes a condition, has no operands' : undefined) ??
          (op.operands[0].type === 'i1'
            ? undefined
            : `the condition must be i1, it is ${typeText(op.operands[0].type)}`),
      ),
  ),
]);

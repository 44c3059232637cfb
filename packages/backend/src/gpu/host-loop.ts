import {
  type Buffer,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Value,
  bufferMap,
  controlBy,
  freeValues,
  freshIds,
  makeOp,
  makeValue,
  opTable,
  walk,
} from '@filigree/ir';
import { carrierOf, factsOf, leave, rangesOf, take, uniqueName } from '@filigree/opt';
import { type HostCount, hostCount } from './host-count.js';
import { scratchNames } from './scratch-names.js';

/** A kernel as three: what is before a serial loop, an iteration of it, and what is after. */
export interface HostLoop {
  readonly before: Kernel;
  readonly each: Kernel;
  /** Undefined where nothing is done there. */
  readonly after: Kernel | undefined;
  /** How often the iteration is launched. */
  readonly times: HostCount;
  /** What the loop counts, for people. */
  readonly counter: string;
  /** What carries values from one to the other. */
  readonly buffers: readonly Buffer[];
}

/**
 * Takes the first serial loop that has parallel ones in it out of a kernel, for the host to repeat: its counter and what it carries lie in
 * memory of the device. The host must know how often. Where only the device knows, and there is a bound that is not too far off,
 * iterations are launched up to the bound, and ask on the device whether they are still to run. Undefined where there is no such loop.
 */
export const hostLoopIn = (
  kernel: Kernel,
  dialects: readonly Dialect[],
  module: Module,
  taken: Set<string>,
): HostLoop | undefined => {
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  const facts = factsOf(dialects);
  const isParallel = (op: Op): boolean => controlOf(op)?.parallel === true;
  const acts = (op: Op): boolean => {
    const { external, writes } = facts.footprint(op);
    return external || writes.any || writes.names.size > 0;
  };
  const holdsParallel = (op: Op): boolean => {
    let found = false;
    for (const region of op.regions) walk(region, (inner) => void (found ||= isParallel(inner)));
    return found;
  };
  const ops = kernel.body.ops.slice(0, -1);
  const at = ops.findIndex((op) => op.name === 'scf.for' && !isParallel(op) && holdsParallel(op));
  const loop = ops[at];
  const count = loop && controlOf(loop)?.count;
  if (!loop || !count || usesScratch(kernel, module, isParallel)) return undefined;
  const [head, tail] = [ops.slice(0, at), ops.slice(at + 1)];
  const exact = hostCount(count, kernel.params, head, table);
  const most = exact ? undefined : mostTrips(loop, head, kernel, module, facts);
  if (!exact && (most === undefined || most > MOST_UNSURE)) return undefined;

  const body = loop.regions[0]!;
  const last = kernel.body.ops.at(-1)!;
  const crossing = [
    ...freeValues({ params: [], ops: [makeOp('scf.yield', loop.operands.slice(0, 3), [], {}, [], undefined)] }),
    ...freeValues(body),
    ...freeValues({ params: [], ops: tail }),
  ];
  const made = new Map(head.flatMap((op) => op.results.map((v) => [v.id, op] as const)));
  const again = new Set<Op>();
  const computedAgain = (v: Value): boolean => {
    const op = made.get(v.id);
    if (op === undefined || again.has(op)) return true;
    if (op.regions.length > 0 || !facts.speculatable(op) || !op.operands.every(computedAgain)) return false;
    again.add(op);
    return true;
  };
  const stored = [
    ...new Map(crossing.filter((v) => made.has(v.id) && !computedAgain(v)).map((v) => [v.id, v])).values(),
  ];
  const carried = [...body.params, ...stored];
  if (carried.some((v) => typeof v.type !== 'string')) return undefined;

  const ids = freshIds(kernel);
  const carriers = new Map(carried.map((v) => [v.id, carrierOf(v, uniqueName(`${kernel.name}_v${v.id}`, taken))]));
  const leaveIn = (into: Value, v: Value): readonly Op[] => leave(v, carriers.get(into.id)!, ids);
  const takeAs = (from: Value, v: Value): readonly Op[] => take(v, carriers.get(from.id)!, ids);
  const outside = [...again, ...stored.flatMap((v) => takeAs(v, v))].sort((a, b) => head.indexOf(a) - head.indexOf(b));
  const [counter, ...state] = body.params as readonly [Value, ...Value[]];
  const [lower, upper, step, ...inits] = loop.operands as readonly [Value, Value, Value, ...Value[]];
  const next = makeValue(ids.next(), counter.type, undefined);
  const yields = body.ops.at(-1)!;
  const iteration = [
    ...state.flatMap((v) => takeAs(v, v)),
    ...body.ops.slice(0, -1),
    ...yields.operands.flatMap((v, k) => leaveIn(state[k]!, v)),
    makeOp('arith.add', [counter, step], [next], {}, [], undefined),
    ...leaveIn(counter, next),
  ];
  const named = (suffix: string, list: readonly Op[]): Kernel => ({
    ...kernel,
    name: uniqueName(`${kernel.name}_${suffix}`, taken),
    body: { ...kernel.body, ops: [...list, last] },
  });
  const goesOn = makeValue(ids.next(), 'i1', undefined);
  const none = { params: [], ops: [makeOp('scf.yield', [], [], {}, [], undefined)] };
  const asked = [
    makeOp('arith.cmp', [counter, upper], [goesOn], { predicate: 'lt' }, [], undefined),
    makeOp('scf.if', [goesOn], [], {}, [{ params: [], ops: [...iteration, ...none.ops] }, none], undefined),
  ];
  return {
    before: named('before', [
      ...head.flatMap((op) => [op, ...op.results.filter((v) => stored.includes(v)).flatMap((v) => leaveIn(v, v))]),
      ...leaveIn(counter, lower),
      ...inits.flatMap((v, k) => leaveIn(state[k]!, v)),
    ]),
    each: named('each', [...outside, ...takeAs(counter, counter), ...(exact ? iteration : asked)]),
    after: tail.some(acts)
      ? named('after', [...outside, ...loop.results.flatMap((v, k) => takeAs(state[k]!, v)), ...tail])
      : undefined,
    times: exact ?? (() => most!),
    counter: counter.hint ?? 'i',
    buffers: [...carriers.values()],
  };
};

/* Launches that may turn out to be for nothing take some microseconds each. */
const MOST_UNSURE = 1024;

/** The most iterations there can be, by what is known of integers. */
const mostTrips = (
  loop: Op,
  head: readonly Op[],
  kernel: Kernel,
  { buffers }: Module,
  facts: ReturnType<typeof factsOf>,
): number | undefined => {
  const ranges = rangesOf(kernel, bufferMap(buffers), facts);
  for (const op of head) if (op.regions.length === 0) ranges.note(op);
  const [lower, upper, step] = loop.operands.slice(0, 3).map((v) => ranges.of(v));
  return lower && upper && step && step.lo >= 1 ? Math.max(0, Math.ceil((upper.hi - lower.lo) / step.lo)) : undefined;
};

/** Whether serial code has something in scratch buffers, which carry nothing from one launch to the next. */
const usesScratch = (kernel: Kernel, module: Module, isParallel: (op: Op) => boolean): boolean => {
  const scratch = scratchNames(module);
  let found = false;
  if (scratch.size > 0)
    walk(kernel.body, (op, parents) => {
      found ||= scratch.has(String(op.attrs['buffer'])) && !parents.some(isParallel);
    });
  return found;
};

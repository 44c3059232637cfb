import {
  type Buffer,
  type Dialect,
  type Kernel,
  type LoopCount,
  type Module,
  type Op,
  type Value,
  controlBy,
  coreDialects,
  opTable,
  walk,
  orThrow,
} from '@filigree/ir';
import { offload, predicateLoops } from '@filigree/opt';
import type { HostCount } from './host-count.js';
import { hostLoopIn } from './host-loop.js';
import { onOneTeam } from './one-team.js';
import { separateRacingReads } from './racing-reads.js';

/** A module as what a processor of many threads is asked to do, launch by launch. */
export interface Steps {
  /** The same module with a kernel for each step, and `temp` buffers for values that one step makes and another takes. */
  readonly module: Module;
  /** Of each kernel, by name, what is done in order. */
  readonly of: ReadonlyMap<string, readonly Stage[]>;
}

/** A launch, or stages that the host does again and again. */
export type Stage = Step | Repeated<Stage>;

/** Stages that are done in order, all of them so often. */
export interface Repeated<S> {
  readonly times: HostCount;
  /** What the loop counts, for people. */
  readonly counter: string;
  readonly stages: readonly S[];
}

/** One launch. What a step writes the next one sees. */
export interface Step {
  readonly kernel: Kernel;
  /** Whether all threads of a grid run it, each with its share of the parallel loop; else one thread does. */
  readonly parallel: boolean;
  /** The iterations of that loop, if it runs any: a number, the position of a parameter that says so, or unknown before the launch. */
  readonly trips: number | { readonly parameter: number } | undefined;
}

/**
 * Cuts the kernels of a module into steps: each outermost parallel loop is one, and so is the serial code between two of them. What stands
 * before a loop and does nothing but compute is computed by every thread again, and so is what it reads, unless the loop changes that.
 * A parallel loop in branches is a step too, in which no thread has an iteration where the conditions do not hold (`predicateLoops`); a serial
 * loop around parallel ones is repeated by the host where it can know how often (`hostLoopIn`). The host reads nothing in between. Parallel
 * loops in other serial code stay in the step around them, which one team runs (`onOneTeam`).
 */
export const cutIntoSteps = (module: Module, dialects: readonly Dialect[] = coreDialects): Steps => {
  const { kernels, added, plans } = withoutLoops(module, dialects);
  const opened: Module = { ...module, buffers: [...module.buffers, ...added], kernels };
  const done = orThrow(offload({ dialects }).run(opened));
  const steps = new Map<string, Step[]>(kernels.map((k) => [k.name, []]));
  const stepsOf = stepsBy(dialects, done);
  const buffers: Buffer[] = [...done.buffers];
  for (const kernel of done.kernels) {
    const made = stepsOf(kernel);
    steps.get(originOf(kernel))!.push(...made.steps);
    buffers.push(...made.buffers);
  }
  const stages = (plan: readonly Plan[]): readonly Stage[] =>
    plan.flatMap((p): readonly Stage[] =>
      typeof p === 'string' ? steps.get(p)! : [{ ...p, stages: stages(p.stages) }],
    );
  return {
    module: { ...done, buffers, kernels: [...steps.values()].flat().map((s) => s.kernel) },
    of: new Map([...plans].map(([name, plan]) => [name, stages(plan)])),
  };
};

/** A kernel by its name, or what the host repeats. */
type Plan = string | Repeated<Plan>;

/** Kernels without parallel loops in branches, or in serial loops that the host can repeat, and how the given ones are made of them. */
const withoutLoops = (
  module: Module,
  dialects: readonly Dialect[],
): {
  readonly kernels: readonly Kernel[];
  readonly added: readonly Buffer[];
  readonly plans: ReadonlyMap<string, readonly Plan[]>;
} => {
  const predicated = predicateLoops({ dialects });
  const taken = new Set([...module.kernels, ...module.buffers].map((x) => x.name));
  const kernels: Kernel[] = [];
  const added: Buffer[] = [];
  const open = (given: Kernel): readonly Plan[] => {
    const around = { ...module, buffers: [...module.buffers, ...added], kernels: [given] };
    const [kernel] = orThrow(predicated.run(around)).kernels as readonly [Kernel];
    const loop = hostLoopIn(kernel, dialects, around, taken);
    if (!loop) {
      kernels.push(kernel);
      return [kernel.name];
    }
    added.push(...loop.buffers);
    const { times, counter } = loop;
    return [...open(loop.before), { times, counter, stages: open(loop.each) }, ...(loop.after ? open(loop.after) : [])];
  };
  return { plans: new Map(module.kernels.map((k) => [k.name, open(k)])), kernels, added };
};

const originOf = ({ name, attrs }: Kernel): string => String(attrs?.['origin'] ?? name);

const stepsBy = (
  dialects: readonly Dialect[],
  module: Module,
): ((kernel: Kernel) => { readonly steps: readonly Step[]; readonly buffers: readonly Buffer[] }) => {
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  const acts = (op: Op): boolean =>
    (table.get(op.name)?.effects(op) ?? [{ kind: 'write' }]).some((e) => e.kind !== 'read');
  const actsAnywhere = (op: Op): boolean => {
    let found = acts(op);
    for (const region of op.regions) walk(region, (inner) => void (found ||= acts(inner)));
    return found;
  };
  const serial = (kernel: Kernel): Step => {
    const shared = onOneTeam(kernel, dialects, module);
    return { kernel: shared ?? kernel, parallel: shared !== undefined, trips: 1 };
  };
  return (kernel) => {
    const loops = kernel.body.ops.filter((op) => controlOf(op)?.parallel === true);
    const others = kernel.body.ops.slice(0, -1).filter((op) => !loops.includes(op));
    if (loops.length === 0 || others.some(actsAnywhere)) return { steps: [serial(kernel)], buffers: [] };
    const count = loops.length === 1 ? controlOf(loops[0]!)?.count : undefined;
    const onAll = (k: Kernel): Step => ({ kernel: k, parallel: true, trips: count && tripsOf(k, count) });
    const separated = separateRacingReads(kernel, loops, dialects, module);
    if (!separated) return { steps: [onAll(kernel)], buffers: [] };
    const [reads, loop] = separated.kernels;
    return { steps: [serial(reads), onAll(loop)], buffers: separated.buffers };
  };
};

/** What is known of the number of iterations before a launch. */
const tripsOf = (kernel: Kernel, { lower, upper, step }: LoopCount): Step['trips'] => {
  const definedBy = new Map(kernel.body.ops.flatMap((op) => op.results.map((v) => [v.id, op] as const)));
  const number = (v: Value | number): number | undefined => {
    if (typeof v === 'number') return v;
    const op = definedBy.get(v.id);
    return op?.name === 'arith.constant' ? Number(op.attrs['value'] as number | string) : undefined;
  };
  const [from, by] = [number(lower), number(step)];
  if (from === undefined || by === undefined || by < 1) return undefined;
  /* A bound that a condition chooses is one of two, and the other is where the loop begins. */
  const chosen = (v: Value | number): Value | number => {
    const op = typeof v === 'number' ? undefined : definedBy.get(v.id);
    const arms = op?.name === 'arith.select' ? op.operands.slice(1).filter((arm) => number(arm) !== from) : [];
    return arms.length === 1 ? chosen(arms[0]!) : v;
  };
  const last = chosen(upper);
  const to = number(last);
  if (to !== undefined) return Math.max(0, Math.ceil((to - from) / by));
  const parameter = kernel.params.findIndex((p) => typeof last !== 'number' && p.id === last.id);
  return parameter >= 0 && from === 0 && by === 1 ? { parameter } : undefined;
};

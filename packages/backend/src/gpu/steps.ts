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
import { offload } from '@filigree/opt';
import { separateRacingReads } from './racing-reads.js';

/** A module as what a processor of many threads is asked to do, launch by launch. */
export interface Steps {
  /** The same module with a kernel for each step, and `temp` buffers for values that one step makes and another takes. */
  readonly module: Module;
  /** Of each kernel, by name, its steps in order. */
  readonly of: ReadonlyMap<string, readonly Step[]>;
}

/** One launch. What a step writes the next one sees. */
export interface Step {
  readonly kernel: Kernel;
  /** Whether all threads of a grid run it, each with its share of the parallel loop; else one thread does. */
  readonly parallel: boolean;
  /** The iterations of that loop: a number, the position of a parameter that says so, or unknown before the launch. */
  readonly trips: number | { readonly parameter: number } | undefined;
}

/**
 * Cuts the kernels of a module into steps: each outermost parallel loop is one, and so is the serial code between two of them. What stands
 * before a loop and does nothing but compute is computed by every thread again, and so is what it reads, unless the loop changes that.
 * Parallel loops in serial loops and branches stay in the step around them, and run on its one thread.
 */
export const cutIntoSteps = (module: Module, dialects: readonly Dialect[] = coreDialects): Steps => {
  const done = orThrow(offload({ dialects }).run(module));
  const of = new Map<string, Step[]>(module.kernels.map((k) => [k.name, []]));
  const stepsOf = stepsBy(dialects, done);
  const buffers: Buffer[] = [...done.buffers];
  for (const kernel of done.kernels) {
    const made = stepsOf(kernel);
    of.get(originOf(kernel))!.push(...made.steps);
    buffers.push(...made.buffers);
  }
  return { module: { ...done, buffers, kernels: [...of.values()].flat().map((s) => s.kernel) }, of };
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
  const serial = (kernel: Kernel): Step => ({ kernel, parallel: false, trips: 1 });
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
  const constants = new Map(
    kernel.body.ops.filter((op) => op.name === 'arith.constant').map((op) => [op.results[0]!.id, op.attrs['value']!]),
  );
  const number = (v: Value | number): number | undefined =>
    typeof v === 'number' ? v : constants.has(v.id) ? Number(constants.get(v.id) as number | string) : undefined;
  const [from, to, by] = [number(lower), number(upper), number(step)];
  if (from === undefined || by === undefined || by < 1) return undefined;
  if (to !== undefined) return Math.max(0, Math.ceil((to - from) / by));
  const parameter = kernel.params.findIndex((p) => typeof upper !== 'number' && p.id === upper.id);
  return parameter >= 0 && from === 0 && by === 1 ? { parameter } : undefined;
};

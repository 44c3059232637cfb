import { fail } from '../diagnostics/diagnostic.js';
import type { OpTable } from '../dialects/op-table.js';
import type { BoundOp, Machine, OpDef, RuntimeValue, Scalar, ScratchState } from '../kernel/dialect.js';
import type { Kernel, Op, Region, TypedArray, Value } from '../kernel/op.js';

/** The scratch buffers of a run, and the time that their elements are defined by. */
export interface Scratch {
  readonly clock: { now: number };
  readonly states: ReadonlyMap<string, ScratchState>;
}

/** Ops that may still run; shared by the kernels of one run. */
export interface Budget {
  steps: number;
}

/**
 * A kernel as closures over one frame of values: each op is looked up and bound once, and a value is a slot in an array.
 * Kernels do not call kernels, so one frame serves all regions, however often they run.
 */
export const compileKernel = (
  kernel: Kernel,
  table: OpTable,
  memory: ReadonlyMap<string, TypedArray>,
  scratch: Scratch,
  budget: Budget,
): ((args: readonly Scalar[]) => void) => {
  const frame = new Frame(kernel, table, memory, scratch, budget);
  const params = frame.slotsOf(kernel.params);
  const body = frame.compile(kernel.body);
  return (args) => {
    scratch.clock.now++;
    params.forEach((slot, i) => (frame.values[slot] = args[i]));
    body.run([]);
  };
};

interface CompiledRegion {
  readonly run: (args: readonly RuntimeValue[]) => readonly RuntimeValue[];
}

class Frame implements Machine {
  readonly values: RuntimeValue[] = [];
  private readonly slots = new Map<number, number>();
  private readonly regions = new Map<Region, CompiledRegion>();
  private inParallelLoop = false;

  constructor(
    private readonly kernel: Kernel,
    private readonly table: OpTable,
    private readonly memory: ReadonlyMap<string, TypedArray>,
    private readonly scratches: Scratch,
    private readonly budget: Budget,
  ) {}

  scratch(name: string): ScratchState | undefined {
    return this.scratches.states.get(name);
  }

  buffer(name: string): TypedArray {
    return (
      this.memory.get(name) ??
      fail('interpret/unknown-buffer', `kernel @${this.kernel.name}: there is no buffer @${name}`)
    );
  }

  region(region: Region, args: readonly RuntimeValue[]): readonly RuntimeValue[] {
    return (this.regions.get(region) ?? this.compile(region)).run(args);
  }

  trap(op: Op, message: string): never {
    return fail('interpret/trap', `kernel @${this.kernel.name}: ${op.name}: ${message}`, { loc: op.loc });
  }

  slotsOf(values: readonly Value[]): readonly number[] {
    return values.map((v) => this.slot(v));
  }

  private slot(value: Value): number {
    let slot = this.slots.get(value.id);
    if (slot === undefined) {
      slot = this.values.length;
      this.slots.set(value.id, slot);
      this.values.push(0);
    }
    return slot;
  }

  /** The region as a list of steps; regions inside are compiled with it, so that running never compiles. */
  compile(region: Region): CompiledRegion {
    const { values, budget } = this;
    const params = this.slotsOf(region.params);
    const last = region.ops[region.ops.length - 1];
    const ended = last !== undefined && this.table.get(last.name)?.traits.terminator === true;
    const steps = (ended ? region.ops.slice(0, -1) : region.ops).map((op) => this.step(op));
    const yields = this.slotsOf(ended ? last.operands : []);
    const cost = region.ops.length + 1;
    const run = (args: readonly RuntimeValue[]): readonly RuntimeValue[] => {
      if ((budget.steps -= cost) < 0) this.giveUp();
      for (let i = 0; i < params.length; i++) values[params[i]] = args[i];
      for (let i = 0; i < steps.length; i++) steps[i]();
      return yields.length === 0 ? nothing : yields.map((slot) => values[slot]);
    };
    const compiled = { run };
    this.regions.set(region, compiled);
    return compiled;
  }

  private step(op: Op): () => void {
    const def =
      this.table.get(op.name) ??
      fail('interpret/unknown-op', `kernel @${this.kernel.name}: no dialect defines op '${op.name}'`, { loc: op.loc });
    const atOnce = op.regions.length > 0 && def.control?.(op).parallel === true;
    if (atOnce && !this.inParallelLoop) return this.parallelLoop(op, def);
    for (const region of op.regions) this.compile(region);
    const operands = this.slotsOf(op.operands);
    const results = this.slotsOf(op.results);
    const bindable = op.operands.length <= 3 && op.results.length <= 1 && op.regions.length === 0;
    return def.bind !== undefined && bindable
      ? boundStep(def.bind(op, this), this.values, operands, results)
      : generalStep(def, op, this, this.values, operands, results);
  }

  /** An outermost parallel loop: scratch buffers are new in each iteration, and again after the last. */
  private parallelLoop(op: Op, def: OpDef): () => void {
    this.inParallelLoop = true;
    const { clock } = this.scratches;
    for (const region of op.regions) {
      const { run } = this.compile(region);
      this.regions.set(region, { run: (args) => (clock.now++, run(args)) });
    }
    this.inParallelLoop = false;
    const loop = generalStep(def, op, this, this.values, this.slotsOf(op.operands), this.slotsOf(op.results));
    return () => {
      loop();
      clock.now++;
    };
  }

  private giveUp(): never {
    return fail('interpret/steps', `kernel @${this.kernel.name} ran longer than it was allowed to`, {
      remedy: 'look for a loop that does not end, or raise maxSteps',
    });
  }
}

const nothing: readonly RuntimeValue[] = [];

const boundStep = (
  f: BoundOp,
  values: RuntimeValue[],
  operands: readonly number[],
  results: readonly number[],
): (() => void) => {
  const [a, b, c] = operands;
  const [r] = results;
  if (r === undefined) return () => void f(values[a], values[b], values[c]);
  if (operands.length === 1) return () => void (values[r] = f(values[a], 0, 0));
  if (operands.length === 2) return () => void (values[r] = f(values[a], values[b], 0));
  return () => void (values[r] = f(values[a], values[b], values[c]));
};

const generalStep = (
  def: OpDef,
  op: Op,
  machine: Machine,
  values: RuntimeValue[],
  operands: readonly number[],
  results: readonly number[],
): (() => void) => {
  const args = (): RuntimeValue[] => operands.map((slot) => values[slot]);
  return () => {
    const out = def.evaluate(op, args(), machine);
    for (let i = 0; i < results.length; i++) values[results[i]] = out[i];
  };
};

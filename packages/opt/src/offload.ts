import {
  fail,
  isOwn,
  typeText,
  freeValues,
  freshIds,
  type Buffer,
  type Kernel,
  type Op,
  type Value,
} from '@filigree/ir';
import { carrierOf, leave, take } from './support/carrier.js';
import { corePass } from './support/core-pass.js';
import { clobbered, factsOf, isEmpty, type Facts } from './support/facts.js';
import { isParallelLoop, scratchOf, usesScratch } from './support/scratch.js';
import { uniqueName } from './support/unique-name.js';

/**
 * Splits kernels into tasks that a scheduler can place one by one: each outermost parallel loop becomes a kernel of its
 * own, and so does the serial code between two of them, in the same order. A value that one task computes and another
 * uses is recomputed if that is sure to give the same result; otherwise it goes through a `temp` buffer. A kernel `k`
 * of several tasks becomes `k_0`, `k_1` …, each with the parameters of `k` and the attributes `task` ("parallel" or
 * "serial") and `origin` ("k"). Tasks that do nothing are left out, and a kernel of which one is left keeps its name. A
 * parallel loop inside a serial loop or a branch stays where it is. Scratch buffers carry nothing from one task to another.
 */
export const offload = corePass('offload', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const names = new Set([...module.kernels, ...module.buffers].map((x) => x.name));
    const spills: Buffer[] = [];
    const scratch = scratchOf(module.buffers);
    const kernels = module.kernels.flatMap((k) => splitKernel(k, facts, scratch, names, spills));
    return kernels.every((k, i) => k === module.kernels[i])
      ? module
      : { ...module, buffers: [...module.buffers, ...spills], kernels };
  };
});

/** A run of top-level ops, `first` to `end`, that becomes one kernel. */
interface Task {
  readonly first: number;
  readonly end: number;
  readonly parallel: boolean;
}

const splitKernel = (
  kernel: Kernel,
  facts: Facts,
  scratch: ReadonlySet<string>,
  names: Set<string>,
  spills: Buffer[],
): readonly Kernel[] => {
  const ops = kernel.body.ops.slice(0, -1);
  const terminator = kernel.body.ops[ops.length]!;
  const tasks = groupTasks(ops, facts);
  if (!tasks.some((t) => t.parallel) || tasks.length === 1) return [kernel];

  const plan = planValues(ops, tasks, facts, scratch);
  const emitted = tasks.filter((t) =>
    ops.slice(t.first, t.end).some((op) => acts(op, facts) || op.results.some((v) => plan.spilled.has(v.id))),
  );
  const emptyLoops = tasks.some((t) => t.parallel && !emitted.includes(t));
  if (emitted.length === 0 || (emitted.length === 1 && !emptyLoops)) return [kernel];

  const ids = freshIds(kernel);
  const carriers = new Map<number, Buffer>();
  for (const v of plan.spilled.values()) {
    if (isOwn(v.type))
      fail('opt/own-type', `a value of type ${typeText(v.type)} goes from one task of @${kernel.name} to another`, {
        remedy: 'lower types of your own before offload: only numbers are kept between tasks',
      });
    const carrier = carrierOf(v, uniqueName(`${kernel.name}_v${v.id}`, names));
    carriers.set(v.id, carrier);
    spills.push(carrier);
  }
  return emitted.map((task, i) => {
    const { recomputed, loaded } = plan.needs.get(task)!;
    const body = [
      ...loaded.flatMap((v) => take(v, carriers.get(v.id)!, ids)),
      ...recomputed.map((k) => ops[k]!),
      ...ops
        .slice(task.first, task.end)
        .flatMap((op) => [
          op,
          ...op.results.flatMap((v) => (carriers.has(v.id) ? leave(v, carriers.get(v.id)!, ids) : [])),
        ]),
      terminator,
    ];
    if (emitted.length === 1) return { ...kernel, body: { ...kernel.body, ops: body } };
    return {
      ...kernel,
      name: uniqueName(`${kernel.name}_${i}`, names),
      body: { ...kernel.body, ops: body },
      attrs: { ...kernel.attrs, task: task.parallel ? 'parallel' : 'serial', origin: kernel.name },
    };
  });
};

const groupTasks = (ops: readonly Op[], facts: Facts): readonly Task[] => {
  const tasks: Task[] = [];
  let first = 0;
  ops.forEach((op, i) => {
    if (!isParallelLoop(op, facts)) return;
    if (first < i) tasks.push({ first, end: i, parallel: false });
    tasks.push({ first: i, end: i + 1, parallel: true });
    first = i + 1;
  });
  if (first < ops.length) tasks.push({ first, end: ops.length, parallel: false });
  return tasks;
};

/** Whether an op does something that another task or the host may see. */
const acts = (op: Op, facts: Facts): boolean => {
  const f = facts.footprint(op);
  return f.external || !isEmpty(f.writes);
};

interface Plan {
  /** For each task, the ops of earlier tasks that it recomputes, in order, and the values that it reads from memory. */
  readonly needs: ReadonlyMap<Task, { readonly recomputed: readonly number[]; readonly loaded: readonly Value[] }>;
  readonly spilled: ReadonlyMap<number, Value>;
}

const planValues = (ops: readonly Op[], tasks: readonly Task[], facts: Facts, scratch: ReadonlySet<string>): Plan => {
  const definedAt = new Map<number, number>();
  ops.forEach((op, i) => op.results.forEach((v) => definedAt.set(v.id, i)));
  const writes = writePositions(ops, facts);
  const spilled = new Map<number, Value>();
  const needs = new Map<Task, { recomputed: number[]; loaded: Value[] }>();
  for (const task of tasks) {
    const recomputed = new Set<number>();
    const loaded = new Map<number, Value>();
    const work: Value[] = [];
    const take = (op: Op): void => {
      work.push(...op.operands);
      for (const r of op.regions) work.push(...freeValues(r));
    };
    ops.slice(task.first, task.end).forEach(take);
    for (let v = work.pop(); v; v = work.pop()) {
      const at = definedAt.get(v.id);
      if (at === undefined || (at >= task.first && at < task.end) || recomputed.has(at)) continue;
      if (!usesScratch(ops[at]!, scratch, facts) && repeatable(ops[at]!, at, task.first, facts, writes)) {
        recomputed.add(at);
        take(ops[at]!);
      } else {
        loaded.set(v.id, v);
        spilled.set(v.id, v);
      }
    }
    needs.set(task, { recomputed: [...recomputed].sort((a, b) => a - b), loaded: [...loaded.values()] });
  }
  return { needs, spilled };
};

/** Whether an op gives the same at `there`, the start of a later task, as it does at `here`. */
const repeatable = (op: Op, here: number, there: number, facts: Facts, writes: WritePositions): boolean => {
  if (op.regions.length > 0 || !facts.def(op)) return false;
  const f = facts.footprint(op);
  if (f.external || !isEmpty(f.writes) || f.reads.any) return false;
  return [...f.reads.names].every(
    (b) => !between(writes.get(b), here, there) && !between(writes.get(anyBuffer), here, there),
  );
};

type WritePositions = ReadonlyMap<string, readonly number[]>;

/** Where each buffer may change, in increasing order; under `anyBuffer` where every one may. */
const writePositions = (ops: readonly Op[], facts: Facts): WritePositions => {
  const positions = new Map<string, number[]>();
  const note = (buffer: string, at: number): void => {
    if (positions.has(buffer)) positions.get(buffer)!.push(at);
    else positions.set(buffer, [at]);
  };
  ops.forEach((op, i) => {
    const set = clobbered(facts.footprint(op));
    if (set.any) note(anyBuffer, i);
    set.names.forEach((b) => note(b, i));
  });
  return positions;
};

/** No buffer has an empty name. */
const anyBuffer = '';

/** Whether one of the increasing positions lies in `(from, to)`. */
const between = (positions: readonly number[] | undefined, from: number, to: number): boolean => {
  if (!positions) return false;
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! > from) high = middle;
    else low = middle + 1;
  }
  return low < positions.length && positions[low]! < to;
};

import {
  mapKernels,
  walk,
  type Attr,
  type Kernel,
  type Module,
  type Op,
  type Region,
  type Value,
  opWith,
} from '@filigree/ir';
import { corePass } from './support/core-pass.js';
import { factsOf, type Facts } from './support/facts.js';
import { scratchOf } from './support/scratch.js';
import { decidingOperands, slotsOf, sourcesOf, targetsOf, withoutSlots, type Slot } from './support/slots.js';

/**
 * Drops what nobody needs: ops without effects whose results are unused; carried values and results of loops and
 * branches that only feed themselves; stores to `temp` buffers that no needed op of the module reads, and to `scratch`
 * buffers that none of the kernel reads; loops and branches left empty; and buffers of these two roles that no op uses
 * any more. An op that could have trapped may be dropped with the rest.
 */
export const dce = corePass('dce', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const live = markLive(module, facts);
    const kernels = mapKernels(module, (k) => {
      const body = sweepRegion(k.body, live.get(k)!, facts);
      return body === k.body ? k : { ...k, body };
    });
    return dropBuffers(module, kernels);
  };
});

/** What is needed in one kernel: ops, and values by id. */
interface Live {
  readonly ops: Set<Op>;
  readonly values: Set<number>;
}

/**
 * Marks what is needed, starting from the ops with effects on the outside and going backwards through operands, over
 * all kernels at once.
 */
const markLive = (module: Module, facts: Facts): ReadonlyMap<Kernel, Live> => {
  const temps = new Set(module.buffers.filter((b) => b.role === 'temp').map((b) => b.name));
  const scratch = scratchOf(module.buffers);
  const work: (() => void)[] = [];
  /** Ops that write a temp or scratch buffer which no needed op has been seen to read. */
  const waiting = new Map<string, (() => void)[]>();
  const wanted = new Set<string>();
  const want = (buffer: string): void => {
    if (wanted.has(buffer)) return;
    wanted.add(buffer);
    work.push(...(waiting.get(buffer) ?? []));
  };
  const wait = (buffer: string, mark: () => void): void => {
    if (wanted.has(buffer)) work.push(mark);
    else if (waiting.has(buffer)) waiting.get(buffer)!.push(mark);
    else waiting.set(buffer, [mark]);
  };

  const result = new Map<Kernel, Live>();
  module.kernels.forEach((kernel, k) => {
    const live: Live = { ops: new Set(), values: new Set() };
    result.set(kernel, live);
    /* What a kernel writes to a scratch buffer no other one reads. */
    const own = (buffer: string): string => (scratch.has(buffer) ? `${buffer} of ${k}` : buffer);
    markKernel(kernel, facts, live, new Set([...temps, ...scratch]), {
      work,
      want: (buffer) => want(own(buffer)),
      wait: (buffer, mark) => wait(own(buffer), mark),
    });
  });
  for (let job = work.pop(); job; job = work.pop()) job();
  return result;
};

interface Queue {
  readonly work: (() => void)[];
  readonly want: (buffer: string) => void;
  readonly wait: (buffer: string, mark: () => void) => void;
}

const markKernel = (kernel: Kernel, facts: Facts, live: Live, temps: ReadonlySet<string>, queue: Queue): void => {
  /** Where a value comes from: an op's result, or a parameter of one of its regions, which the op may carry. */
  const origin = new Map<number, { readonly op: Op; readonly slot?: Slot }>();
  const parents = new Map<Op, Op>();

  /** Values that are needed, and where they come from not yet. */
  const pending: Value[] = [];
  const markValue = (v: Value): void => {
    if (live.values.has(v.id)) return;
    live.values.add(v.id);
    pending.push(v);
  };
  const mark = (op: Op): void => {
    markOp(op);
    for (let v = pending.pop(); v; v = pending.pop()) {
      const from = origin.get(v.id);
      if (!from) continue;
      markOp(from.op);
      if (from.slot) markSlot(from.op, from.slot);
    }
  };
  /* All ends of what is carried live and die together. */
  const markSlot = (op: Op, slot: Slot): void => {
    sourcesOf(op, slot).forEach(markValue);
    targetsOf(op, slot).forEach(markValue);
  };
  const markOp = (op: Op): void => {
    if (live.ops.has(op)) return;
    live.ops.add(op);
    const parent = parents.get(op);
    if (parent) markOp(parent);
    controlsOf(op, facts).forEach(markValue);
    const def = facts.def(op);
    if (def) {
      for (const e of def.effects(op)) {
        if (e.kind === 'write') continue;
        if (e.buffer === undefined) temps.forEach(queue.want);
        else queue.want(e.buffer);
      }
    } else temps.forEach(queue.want);
    if (op.regions.length === 0) return;
    const control = facts.control(op);
    if (!control) op.regions.forEach(markAll);
    else if (control.fixed) for (const slot of slotsOf(op, control)) markSlot(op, slot);
  };
  const markAll = (region: Region): void => {
    for (const op of region.ops)
      queue.work.push(() => {
        op.operands.forEach(markValue);
        mark(op);
      });
  };

  const visit = (region: Region, owner: Op | undefined): void => {
    for (const op of region.ops) {
      if (owner) parents.set(op, owner);
      for (const v of op.results) origin.set(v.id, { op });
      for (const r of op.regions) for (const v of r.params) origin.set(v.id, { op });
      const control = facts.control(op);
      if (control)
        for (const slot of slotsOf(op, control)) for (const v of targetsOf(op, slot)) origin.set(v.id, { op, slot });
      const def = facts.def(op);
      const acts = def ? def.effects(op).filter((e) => e.kind !== 'read') : undefined;
      if (acts === undefined || (def?.traits.hint === true && acts.length === 0)) queue.work.push(() => mark(op));
      else if (acts.length > 0) {
        const temporary = acts.every(
          (e) => (e.kind === 'write' || e.kind === 'atomic') && e.buffer !== undefined && temps.has(e.buffer),
        );
        if (temporary) for (const e of acts) queue.wait(e.buffer!, () => mark(op));
        else queue.work.push(() => mark(op));
      }
      for (const r of op.regions) visit(r, op);
    }
  };
  visit(kernel.body, undefined);
};

/** Operands that an op needs whenever it runs; for terminators none, since their owner says which of theirs count. */
const controlsOf = (op: Op, facts: Facts): readonly Value[] => {
  if (facts.terminator(op)) return [];
  const control = facts.control(op);
  return control ? decidingOperands(op, control) : op.operands;
};

const sweepRegion = (region: Region, live: Live, facts: Facts): Region => {
  const ops: Op[] = [];
  let same = true;
  for (const op of region.ops) {
    if (facts.terminator(op)) ops.push(op);
    else if (live.ops.has(op)) ops.push(sweepOp(op, live, facts));
    if (ops[ops.length - 1] !== op) same = false;
  }
  return same ? region : { params: region.params, ops };
};

const sweepOp = (op: Op, live: Live, facts: Facts): Op => {
  if (op.regions.length === 0) return op;
  const regions = op.regions.map((r) => sweepRegion(r, live, facts));
  const swept = regions.every((r, i) => r === op.regions[i]) ? op : opWith(op, { regions });
  const control = facts.control(op);
  const dead = control
    ? slotsOf(op, control).filter((slot) => targetsOf(op, slot).every((v) => !live.values.has(v.id)))
    : [];
  return dead.length === 0 ? swept : withoutSlots(swept, dead);
};

/**
 * Drops the temp and scratch buffers that the pass has made useless; those that were unused before are the caller's
 * business.
 */
const dropBuffers = (before: Module, after: Module): Module => {
  const [was, is] = [namedBuffers(before), namedBuffers(after)];
  const buffers = after.buffers.filter(
    (b) => (b.role !== 'temp' && b.role !== 'scratch') || is.has(b.name) || !was.has(b.name),
  );
  return buffers.length === after.buffers.length ? after : { ...after, buffers };
};

const namedBuffers = (module: Module): ReadonlySet<string> => {
  const names = new Set<string>();
  const note = (a: Attr): void => {
    if (typeof a === 'string' && a.startsWith('@')) names.add(a.slice(1));
    else if (Array.isArray(a)) a.forEach(note);
  };
  for (const k of module.kernels) walk(k.body, (op) => Object.values(op.attrs).forEach(note));
  return names;
};

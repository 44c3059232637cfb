import {
  Builder,
  bufferMap,
  freshIds,
  mapKernels,
  mapRegions,
  opTable,
  opWith,
  resolve,
  substitute,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { factsOf, type Facts } from '../support/facts.js';
import { isParallelLoop } from '../support/scratch.js';
import { ownElements, sharesOut, type OwnElements } from './own-elements.js';

/** See `promote`. */
export const promoteArrays = (module: Module, dialects: readonly Dialect[]): Module => {
  const facts = factsOf(dialects);
  const table = opTable(dialects);
  const buffers = bufferMap(module.buffers);
  return mapKernels(module, (kernel) => {
    const elements = ownElements(kernel, module.buffers, facts);
    return elements.all.length === 0
      ? kernel
      : promoted(kernel, elements, new Builder(table, buffers, freshIds(kernel)), facts);
  });
};

/** What elements are at a place; nothing where they have not been written yet. */
type Now = (Value | undefined)[];

const promoted = (kernel: Kernel, { all, elementOf, touched }: OwnElements, b: Builder, facts: Facts): Kernel => {
  /** What stands for results of loads. */
  const renamed = new Map<number, Value>();
  const typeOf = (k: number) => all[k]!.buffer.type;
  /* Nobody reads it. */
  const valueOf = (now: Now, k: number): Value => now[k] ?? b.constant(0, typeOf(k));
  const nothing = (): Now => all.map(() => undefined);

  const visit = (op: Op, now: Now): void => {
    b.loc = op.loc;
    const k = elementOf(op);
    if (k !== undefined) {
      if (op.name === 'mem.load') renamed.set(op.results[0]!.id, valueOf(now, k));
      else now[k] = resolve(op.operands[0]!, renamed);
      return;
    }
    if (op.regions.length === 0) return void b.append(op);
    if (sharesOut(op, facts)) {
      const { written } = touched(op.regions[0]!);
      const own = (v: Value | undefined, n: number): Value | undefined => (written.has(n) ? undefined : v);
      b.append(mapRegions(op, (r) => regionOf(r, isParallelLoop(op, facts) ? nothing() : now.map(own), [])));
      for (const w of written) now[w] = undefined;
      return;
    }
    const parts = op.regions.map(touched);
    const changed = [...new Set(parts.flatMap((t) => [...t.written]))].sort((x, y) => x - y);
    if (changed.length === 0)
      return void b.append(opWith(op, { regions: op.regions.map((r) => regionOf(r, [...now], [])) }));
    const more = changed.map((c) => b.newValue(typeOf(c)));
    const made = op.name === 'scf.if' ? branch(op, now, changed, more) : loop(op, now, changed, more);
    b.append(made);
    changed.forEach((c, n) => (now[c] = more[n]!));
  };

  const branch = (op: Op, now: Now, changed: readonly number[], more: readonly Value[]): Op =>
    opWith(op, {
      results: [...op.results, ...more],
      regions: op.regions.map((r) => regionOf(r, [...now], changed)),
    });

  const loop = (op: Op, now: Now, changed: readonly number[], more: readonly Value[]): Op => {
    const inits = changed.map((c) => valueOf(now, c));
    /* What is carried now is more than sums. */
    const { independent: _independent, ...attrs } = op.attrs;
    return opWith(op, {
      attrs,
      operands: [...op.operands, ...inits],
      results: [...op.results, ...more],
      regions: op.regions.map((r) => {
        const params = changed.map((c) => b.newValue(typeOf(c)));
        const start = [...now];
        changed.forEach((c, n) => (start[c] = params[n]!));
        return regionOf(r, start, changed, params);
      }),
    });
  };

  /** The region, beginning with elements as they are, and handing on what those `wanted` are at its end. */
  const regionOf = (
    { params, ops }: Region,
    now: Now,
    wanted: readonly number[],
    more: readonly Value[] = [],
  ): Region => {
    const inner = b.collect(() => {
      for (const op of ops.slice(0, -1)) visit(op, now);
      const last = ops[ops.length - 1]!;
      b.append(opWith(last, { operands: [...last.operands, ...wanted.map((w) => valueOf(now, w))] }));
    });
    return { params: [...params, ...more], ops: inner.ops };
  };

  return { ...kernel, body: substitute(regionOf(kernel.body, nothing(), []), renamed) };
};

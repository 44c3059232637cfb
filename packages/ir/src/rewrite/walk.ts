import { opWith } from '../build/make-op.js';
import type { Kernel, Op, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';

/** Visits every op of a region, each before those in its own regions. `parents` are the ops around it, outermost first. */
export const walk = (
  region: Region,
  visit: (op: Op, parents: readonly Op[]) => void,
  parents: readonly Op[] = [],
): void => {
  for (const op of region.ops) {
    visit(op, parents);
    if (op.regions.length > 0) {
      const inside = [...parents, op];
      for (const inner of op.regions) walk(inner, visit, inside);
    }
  }
};

/** The op with each of its regions mapped; the same object where none changed. */
export const mapRegions = (op: Op, f: (region: Region) => Region): Op => {
  const regions = mapShared(op.regions, f);
  return regions === op.regions ? op : opWith(op, { regions });
};

/** The module with each kernel mapped; the same object where none changed. */
export const mapKernels = (module: Module, f: (kernel: Kernel) => Kernel): Module => {
  const kernels = mapShared(module.kernels, f);
  return kernels === module.kernels ? module : { ...module, kernels };
};

/** `Array.map` that returns the array itself when no element changed. */
export const mapShared = <T>(items: readonly T[], f: (item: T) => T): readonly T[] => {
  let out: T[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const next = f(items[i]);
    if (out === undefined && next !== items[i]) out = items.slice(0, i);
    if (out !== undefined) out.push(next);
  }
  return out ?? items;
};

/** How often each value (by id) is an operand anywhere in the region. Unused values are absent. */
export const useCounts = (region: Region): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  walk(region, (op) => {
    for (const v of op.operands) counts.set(v.id, (counts.get(v.id) ?? 0) + 1);
  });
  return counts;
};

/** The op that defines each value (by id); parameters of kernels and regions have none. */
export const definitions = (region: Region): ReadonlyMap<number, Op> => {
  const out = new Map<number, Op>();
  walk(region, (op) => {
    for (const r of op.results) out.set(r.id, op);
  });
  return out;
};

/** The values a region uses and does not define: what it takes from around it, in order of first use. */
export const freeValues = (region: Region): readonly Value[] => {
  const defined = new Set<number>();
  const free = new Map<number, Value>();
  const visit = (r: Region): void => {
    for (const p of r.params) defined.add(p.id);
    for (const op of r.ops) {
      for (const v of op.operands) if (!defined.has(v.id) && !free.has(v.id)) free.set(v.id, v);
      for (const inner of op.regions) visit(inner);
      for (const v of op.results) defined.add(v.id);
    }
  };
  visit(region);
  return [...free.values()];
};

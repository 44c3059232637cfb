import { point, prefix, repeat, stack, type Plan } from './plan.js';
import { stackedParts } from './faces.js';
import type { Stride, Trace } from './streams.js';

/**
 * The longest plan from an element on that uses these strides only, outermost first: runs along the innermost stride, rows
 * of them along the next, and so on. A stride that finds nothing is a loop of one iteration.
 */
export const along = (trace: Trace, start: number, strides: readonly Stride[]): Plan => {
  let plan: Plan = point(start);
  for (let l = strides.length - 1; l >= 0; l--) plan = outer(trace, plan, strides[l]);
  return plan;
};

/** The plan with one more loop around it, with a stride that the next elements suggest; undefined at the end of the trace. */
export const grow = (trace: Trace, plan: Plan): Plan | undefined => {
  const end = plan.start + plan.count;
  return end < trace.length ? outer(trace, plan, trace.difference(end, plan.start)) : undefined;
};

/** Copies of a plan's first `period` elements for as long as they fit. */
export const copies = (trace: Trace, plan: Plan, period: number): Plan => {
  const body = prefix(plan, period);
  const end = plan.start + period;
  const total = period + 1 + trace.commonSteps(plan.start, end);
  return repeat(body, trace.difference(end, plan.start), total);
};

/** Copies from which on slices that differ are not looked for. */
const ALIKE = 4;

const outer = (trace: Trace, first: Plan, stride: Stride): Plan => {
  const end = first.start + first.count;
  let best: Plan = repeat(first, stride, first.count);
  if (end >= trace.length) return best;
  if (trace.isAfter(end, first.start, stride)) {
    best = repeat(first, stride, first.count + 1 + trace.commonSteps(first.start, end));
  }
  if (first.strides.length === 0 || best.count >= ALIKE * first.count) return best;
  const other = slices(trace, first, stride);
  return other !== undefined && other.count > best.count ? other : best;
};

/** Slices that differ from one another but use the same inner strides, and bound one polyhedron together. */
const slices = (trace: Trace, first: Plan, stride: Stride): Plan | undefined => {
  const inner = first.strides;
  const plans: Plan[] = [first];
  const shifts: (readonly number[])[] = [inner.map(() => 0)];
  let end = first.start + first.count;
  while (end < trace.length) {
    const shift = shiftTo(trace, end, first.start, stride, plans.length, inner);
    if (shift === undefined) break;
    const next = fitting(along(trace, end, inner), shift, plans, shifts);
    if (next === undefined) break;
    plans.push(next);
    shifts.push(shift);
    end += next.count;
  }
  return plans.length > 1 ? stack(plans, shifts, stride) : undefined;
};

/** Inner iterators of an element in slice s: along one of the inner strides, innermost first. */
const shiftTo = (
  trace: Trace,
  to: number,
  from: number,
  stride: Stride,
  s: number,
  inner: readonly Stride[],
): readonly number[] | undefined => {
  const gap = stride.map((c, k) => trace.at[k][to] - trace.at[k][from] - s * c);
  const lead = gap.findIndex((g) => g !== 0);
  if (lead < 0) return inner.map(() => 0);
  for (let l = inner.length - 1; l >= 0; l--) {
    const x = gap[lead] / inner[l][lead];
    if (Number.isInteger(x) && gap.every((g, k) => g === x * inner[l][k])) {
      return inner.map((_, d) => (d === l ? x : 0));
    }
  }
  return undefined;
};

/** The slice, or a first part of it, if it goes with those before. */
const fitting = (
  slice: Plan,
  shift: readonly number[],
  before: readonly Plan[],
  shifts: readonly (readonly number[])[],
): Plan | undefined => {
  const n = before.length;
  if (n === 1) return slice;
  const inner = shift.length - 1;
  const isRun = slice.run > 0 && before.every((p) => p.run > 0) && [...shifts, shift].every((v) => onlyAlong(v, inner));
  if (!isRun) return fitsAsPolyhedron(slice, shift, before, shifts) ? slice : undefined;
  /* Lower ends must be convex and upper ends concave, slice by slice. */
  const lower = (s: number): number => shifts[s][inner];
  const upper = (s: number): number => lower(s) + before[s].run - 1;
  if (shift[inner] - lower(n - 1) < lower(n - 1) - lower(n - 2)) return undefined;
  const room = 2 * upper(n - 1) - upper(n - 2) - shift[inner] + 1;
  return room < 1 ? undefined : room < slice.count ? prefix(slice, room) : slice;
};

const onlyAlong = (v: readonly number[], inner: number): boolean => {
  for (let d = 0; d < inner; d++) if (v[d] !== 0) return false;
  return true;
};

/** Slices that are compared as polyhedra; each further one costs as much as all before. */
const MAX_SLICES = 8;

const fitsAsPolyhedron = (
  slice: Plan,
  shift: readonly number[],
  before: readonly Plan[],
  shifts: readonly (readonly number[])[],
): boolean =>
  before.length < MAX_SLICES &&
  stackedParts([...before, slice].map((plan, s) => ({ s, plan, shift: shifts[s] ?? shift }))) !== undefined;

import { point, prefix, repeat, stack, type Plan, type Stride } from './plan.js';
import { stackedParts } from './faces.js';
import type { Trace } from './streams.js';

/**
 * The longest plan, beginning at an element, that uses only these strides, outermost first: runs along the innermost
 * stride, rows of them along the next, and so on. A stride that finds nothing becomes a loop of one iteration.
 *
 * @param most slices that are put together at most where they are not all runs
 */
export const along = (trace: Trace, start: number, strides: readonly Stride[], most = FEW): Plan => {
  let plan: Plan = point(start);
  for (let l = strides.length - 1; l >= 0; l--) plan = outer(trace, plan, strides[l], most);
  return plan;
};

/** The plan with one more loop around it, with a stride that the next elements suggest; undefined at the end of the trace. */
export const grow = (trace: Trace, plan: Plan): Plan | undefined => {
  const end = plan.start + plan.count;
  return end < trace.length ? outer(trace, plan, trace.difference(end, plan.start), FEW) : undefined;
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

const outer = (trace: Trace, first: Plan, stride: Stride, most: number): Plan => {
  const end = first.start + first.count;
  let best: Plan = repeat(first, stride, first.count);
  if (end >= trace.length) return best;
  if (trace.isAfter(end, first.start, stride)) {
    best = repeat(first, stride, first.count + 1 + trace.commonSteps(first.start, end));
  }
  if (first.strides.length === 0 || best.count >= ALIKE * first.count) return best;
  const other = slices(trace, first, stride, most);
  return other !== undefined && other.count > best.count ? other : best;
};

/** Slices that differ from one another but use the same inner strides, and bound one polyhedron together. */
const slices = (trace: Trace, first: Plan, stride: Stride, most: number): Plan | undefined => {
  const inner = first.strides;
  const found: Found = { plans: [first], shifts: [inner.map(() => 0)] };
  let end = first.start + first.count;
  let checked = 1;
  let areRuns = first.run > 0;
  while (end < trace.length) {
    const n = found.plans.length;
    const shift = shiftTo(trace, end, first.start, stride, n, inner);
    if (shift === undefined) break;
    const slice = along(trace, end, inner, most);
    areRuns &&= slice.run > 0 && onlyAlong(shift, inner.length - 1);
    if (!areRuns && n >= most) break;
    const room = areRuns ? roomForRun(found, shift) : slice.count;
    if (room < 1) break;
    const next = room < slice.count ? prefix(slice, room) : slice;
    found.plans.push(next);
    found.shifts.push(shift);
    end += next.count;
    /* Two slices nearly always fit together; whoever takes the plan checks it. */
    if (areRuns || n === 1) checked = n + 1;
    else if (n < FEW || n >= 2 * checked) {
      if (!bound(found, n + 1)) break;
      checked = n + 1;
    }
  }
  const count = longestBound(found, checked);
  return count > 1 ? stack(found.plans.slice(0, count), found.shifts.slice(0, count), stride) : undefined;
};

interface Found {
  readonly plans: Plan[];
  readonly shifts: (readonly number[])[];
}

/** Up to this many, slices are checked one by one when found; from then on, whenever their number has doubled. */
const FEW = 8;

/**
 * How many slices bound a polyhedron, at least `least`. If some do, the first of them do too, so the number is found by
 * bisection.
 */
const longestBound = (found: Found, least: number): number => {
  let below = found.plans.length + 1;
  let count = least;
  for (let k = below - 1; below - count > 1; k = (count + below) >> 1) {
    if (bound(found, k)) count = k;
    else below = k;
  }
  return count;
};

const bound = ({ plans, shifts }: Found, count: number): boolean =>
  stackedParts(plans.slice(0, count).map((plan, s) => ({ s, plan, shift: shifts[s] }))) !== undefined;

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

/** How long the next of slices that are runs may be: lower ends must be convex and upper ends concave, slice by slice. */
const roomForRun = ({ plans, shifts }: Found, shift: readonly number[]): number => {
  const n = plans.length;
  const inner = shift.length - 1;
  if (n === 1) return Infinity;
  const lower = (s: number): number => shifts[s][inner];
  const upper = (s: number): number => lower(s) + plans[s].run - 1;
  if (shift[inner] - lower(n - 1) < lower(n - 1) - lower(n - 2)) return 0;
  return 2 * upper(n - 1) - upper(n - 2) - shift[inner] + 1;
};

const onlyAlong = (v: readonly number[], inner: number): boolean => {
  for (let d = 0; d < inner; d++) if (v[d] !== 0) return false;
  return true;
};

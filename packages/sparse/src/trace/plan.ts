/** A difference of two elements of a trace, one number a stream. */
export type Stride = readonly number[];

/**
 * How an interval of a trace is made of loops: what the search works with. Faces are found from it afterwards
 * (`polyhedron.ts`). `strides` belong to its loops, outermost first; the iterators of its first element are all 0.
 */
export type Plan = Points | Repeat | Stack;

interface Interval {
  /** The first element. */
  readonly start: number;
  readonly count: number;
  readonly strides: readonly Stride[];
  /** The number of elements where they all lie along the innermost stride, else 0. */
  readonly run: number;
}

/** A few elements, each with its iterators. */
export interface Points extends Interval {
  readonly kind: 'points';
  readonly coords: readonly (readonly number[])[];
}

/**
 * Copies of a body, each one stride further; the last may be cut off. The first, too: `head` elements of it remain, and the
 * body then begins behind them.
 */
export interface Repeat extends Interval {
  readonly kind: 'repeat';
  readonly body: Plan;
  readonly head: number;
}

/** Slices with the same inner strides, one for each iteration; slice k begins at `shifts[k]` of the inner iterators. */
export interface Stack extends Interval {
  readonly kind: 'stack';
  readonly slices: readonly Plan[];
  readonly shifts: readonly (readonly number[])[];
}

export const point = (start: number): Points => points(start, [], ORIGIN);

const ORIGIN = [[]];

export const points = (start: number, strides: readonly Stride[], coords: readonly (readonly number[])[]): Points => ({
  kind: 'points',
  start,
  count: coords.length,
  strides,
  run: coords.length === 1 ? 1 : 0,
  coords,
});

/** Copies of `body`, `count` elements in all, with this stride from copy to copy. */
export const repeat = (body: Plan, stride: Stride, count: number): Repeat => {
  const whole = count < body.count ? prefix(body, count) : body;
  const run = count <= body.count ? whole.run : body.strides.length === 0 ? count : 0;
  return { kind: 'repeat', start: body.start, count, strides: [stride, ...body.strides], run, body: whole, head: 0 };
};

/** The last `head` elements of a body before the body itself and its copies: `count` elements in all. */
const repeatAfter = (head: number, body: Plan, stride: Stride, count: number): Repeat => ({
  kind: 'repeat',
  start: body.start - head,
  count,
  strides: [stride, ...body.strides],
  run: 0,
  body,
  head,
});

export const stack = (slices: readonly Plan[], shifts: readonly (readonly number[])[], stride: Stride): Stack => ({
  kind: 'stack',
  start: slices[0].start,
  count: slices.reduce((n, s) => n + s.count, 0),
  strides: [stride, ...slices[0].strides],
  run: 0,
  slices,
  shifts,
});

/** The first `count` elements, 1 ≤ count ≤ plan.count, in the same loops. */
export const prefix = (plan: Plan, count: number): Plan => {
  if (count === plan.count) return plan;
  if (plan.kind === 'points') return points(plan.start, plan.strides, plan.coords.slice(0, count));
  if (plan.kind === 'repeat') {
    const { body, head } = plan;
    if (head === 0) return repeat(body, plan.strides[0], count);
    if (count >= head + body.count) return repeatAfter(head, body, plan.strides[0], count);
    const first = suffix(body, head);
    if (count <= head) return repeat(moved(prefix(first.plan, count), plan.start), plan.strides[0], count);
    const rest = prefix(body, count - head);
    const slices = [moved(first.plan, plan.start), rest];
    return stack(slices, [zeros(body), first.at.map((x) => -x)], plan.strides[0]);
  }
  const slices: Plan[] = [];
  let left = count;
  for (const s of plan.slices) {
    slices.push(left < s.count ? prefix(s, left) : s);
    left -= s.count;
    if (left <= 0) break;
  }
  if (slices.length === 1) return repeat(slices[0], plan.strides[0], count);
  return stack(slices, plan.shifts.slice(0, slices.length), plan.strides[0]);
};

/** The last `count` elements in the same loops, with the iterators of the first of them in the whole plan. */
export const suffix = (plan: Plan, count: number): { readonly plan: Plan; readonly at: readonly number[] } => {
  const from = plan.count - count;
  if (from === 0) return { plan, at: plan.strides.map(() => 0) };
  if (plan.kind === 'points') {
    const at = plan.coords[from];
    const coords = plan.coords.slice(from).map((x) => x.map((v, d) => v - at[d]));
    return { plan: points(plan.start + from, plan.strides, coords), at };
  }
  if (plan.kind === 'repeat') return suffixOfRepeat(plan, from, count);
  let s = 0;
  let skip = from;
  while (skip >= plan.slices[s].count) skip -= plan.slices[s++].count;
  const cut = suffix(plan.slices[s], plan.slices[s].count - skip);
  const first = cut.at.map((x, d) => x + plan.shifts[s][d]);
  const slices = [cut.plan, ...plan.slices.slice(s + 1)];
  const at = [s, ...first];
  if (slices.length === 1) return { plan: repeat(cut.plan, plan.strides[0], count), at };
  const shifts = [zeros(cut.plan), ...plan.shifts.slice(s + 1).map((v) => v.map((x, d) => x - first[d]))];
  return { plan: stack(slices, shifts, plan.strides[0]), at };
};

const suffixOfRepeat = (plan: Repeat, from: number, count: number): { plan: Plan; at: readonly number[] } => {
  const { body, head } = plan;
  const stride = plan.strides[0];
  const offset = head === 0 ? zeros(body) : suffix(body, head).at;
  /* Counted from where the first copy would begin if it were whole. */
  const e = from + (head === 0 ? 0 : body.count - head);
  const copy = Math.floor(e / body.count);
  const within = e - copy * body.count;
  const last = plan.start + plan.count;
  const whole = moved(body, plan.start + from - within);
  const lengthHere = Math.min(body.count, last - whole.start);
  const here = suffix(prefix(whole, lengthHere), lengthHere - within);
  const at = [copy, ...here.at.map((x, d) => x - offset[d])];
  if (within === 0) return { plan: repeat(whole, stride, count), at };
  const behind = count - here.plan.count;
  if (behind === 0) return { plan: repeat(here.plan, stride, count), at };
  const next = moved(body, whole.start + body.count);
  if (behind >= body.count) return { plan: repeatAfter(here.plan.count, next, stride, count), at };
  return {
    plan: stack([here.plan, prefix(next, behind)], [zeros(body), here.at.map((x) => -x)], stride),
    at,
  };
};

/** The same loops over elements that begin elsewhere. */
export const moved = (plan: Plan, start: number): Plan => {
  const by = start - plan.start;
  if (by === 0) return plan;
  if (plan.kind === 'points') return { ...plan, start };
  if (plan.kind === 'repeat') return { ...plan, start, body: moved(plan.body, plan.body.start + by) };
  return { ...plan, start, slices: plan.slices.map((s) => moved(s, s.start + by)) };
};

const zeros = (plan: Plan): readonly number[] => plan.strides.map(() => 0);

import type { Face, Level, Piece } from './piece.js';
import { prefix, suffix, type Plan, type Points, type Repeat } from './plan.js';
import { POINT, stacked, type Polyhedron, type Slice } from './polyhedron.js';
import type { Trace } from './streams.js';

/** The polyhedron of a plan, exactly its points; undefined where no polyhedron with its faces has only those. */
export const polyhedronOf = (plan: Plan): Polyhedron | undefined => {
  const known = made.get(plan);
  if (known !== undefined) return known;
  const p = plan.kind === 'points' ? polyhedronOfPoints(plan) : stackedParts(partsOf(plan));
  if (p !== undefined) made.set(plan, p);
  return p;
};

/** Plans are values and shared by many others; so are their polyhedra. */
const made = new WeakMap<Plan, Polyhedron>();

/** A slice whose polyhedron may not exist. */
export interface Part {
  readonly s: number;
  readonly plan: Plan;
  readonly shift: readonly number[] | undefined;
}

export const stackedParts = (parts: readonly Part[]): Polyhedron | undefined => {
  const slices: Slice[] = [];
  for (const { s, plan, shift } of parts) {
    const polyhedron = polyhedronOf(plan);
    if (polyhedron === undefined) return undefined;
    slices.push({ s, polyhedron, shift });
  }
  return stacked(slices);
};

const partsOf = (plan: Exclude<Plan, Points>): Part[] =>
  plan.kind === 'repeat' ? copiesOf(plan) : plan.slices.map((p, s) => ({ s, plan: p, shift: plan.shifts[s] }));

const copiesOf = (plan: Repeat): Part[] => {
  const { body, head, count } = plan;
  const out: Part[] = [];
  let shift: readonly number[] | undefined;
  if (head > 0) {
    const first = suffix(body, head);
    shift = first.at.map((x) => -x);
    out.push({ s: 0, plan: first.plan, shift: undefined });
  }
  const s0 = head > 0 ? 1 : 0;
  const copies = Math.floor((count - head) / body.count);
  const rest = count - head - copies * body.count;
  if (copies > 0) out.push({ s: s0, plan: body, shift });
  if (copies > 1) out.push({ s: s0 + copies - 1, plan: body, shift });
  if (rest > 0) out.push({ s: s0 + copies, plan: prefix(body, rest), shift });
  return out;
};

const polyhedronOfPoints = ({ coords, strides }: Points): Polyhedron | undefined =>
  polyhedronOfCoords(coords, 0, coords.length, 0, strides.length);

/** From points in lexicographic order that agree before iterator d. */
const polyhedronOfCoords = (
  coords: readonly (readonly number[])[],
  from: number,
  to: number,
  d: number,
  dims: number,
): Polyhedron | undefined => {
  if (d === dims) return POINT;
  const slices: Slice[] = [];
  for (let a = from, b = from; a < to; a = b) {
    while (b < to && coords[b][d] === coords[a][d]) b++;
    const polyhedron = polyhedronOfCoords(coords, a, b, d + 1, dims);
    if (polyhedron === undefined) return undefined;
    slices.push({ s: coords[a][d], polyhedron, shift: undefined });
  }
  return stacked(slices);
};

/** A plan as a piece: its polyhedron as loop bounds, its strides as access functions. */
export const pieceOf = (trace: Trace, plan: Plan): Piece | undefined => {
  const p = polyhedronOf(plan);
  if (p === undefined) return undefined;
  const levels: { lower: Face[]; upper: Face[] }[] = Array.from({ length: p.dims }, () => ({ lower: [], upper: [] }));
  p.normals.forEach(({ coefs: a }, f) => {
    let d = p.dims - 1;
    while (a[d] === 0) d--;
    const sign = Math.sign(a[d]);
    const coefs = a.slice(0, d).map((c) => (c === 0 ? 0 : -c * sign));
    const face = { constant: p.bounds[f] === 0 ? 0 : p.bounds[f] * sign, coefs, divisor: Math.abs(a[d]) };
    (sign > 0 ? levels[d].upper : levels[d].lower).push(face);
  });
  const access = trace.at.map((s, k) => ({ constant: s[plan.start], coefs: plan.strides.map((c) => c[k]) }));
  return { levels: levels as readonly Level[], access, count: plan.count };
};

import { moved, points, type Plan, type Stride } from './plan.js';
import { POINT, stacked, type Polyhedron, type Slice } from './polyhedron.js';
import type { Trace } from './streams.js';

/**
 * The longest piece, beginning at an element, that back-tracking finds, after Algorithm 1 of the paper: give the next
 * element every iteration vector that lexicographically follows the last one and explains its values, or open a new
 * loop for it; keep what is still a polyhedron. Slices may begin anywhere, so they need not be alike. Gives up after
 * `BUDGET` candidates or `MAX_POINTS` elements: this is meant for the short irregular bodies that loops then repeat.
 *
 * @param loops how many loops may be opened, or the strides of loops that are all open
 */
export const backtrack = (trace: Trace, start: number, loops: number | readonly Stride[]): Plan => {
  if (typeof loops !== 'number') return search(trace, start, loops);
  const key = trace.stepsHash(start, MAX_POINTS) * 16 + loops;
  const known = trace.bodies.get(key);
  /* If the next steps equal those at an earlier place, as far as they are ever inspected, the result is the same. */
  if (known !== undefined && known.start < start && trace.commonSteps(known.start, start) >= MAX_POINTS) {
    return moved(known, start);
  }
  const plan = search(trace, start, loops);
  trace.bodies.set(key, plan);
  return plan;
};

const search = (trace: Trace, start: number, loops: number | readonly Stride[]): Plan => {
  const s = new Search(trace, start, loops);
  s.extend();
  return points(start, s.best.strides, s.best.coords);
};

/** Candidates looked at. */
const BUDGET = 300;

/** Elements that back-tracking finds at most. */
export const MAX_POINTS = 24;

/** How far the start of a slice may lie from that of the loops, in all of them but the innermost together. */
const REACH = 3;

class Search {
  best: { coords: readonly (readonly number[])[]; strides: readonly (readonly number[])[] };
  private readonly coords: number[][];
  /** The stride of each loop that is open: it has run more than one iteration. */
  private readonly strides: (readonly number[] | undefined)[];
  /** Finished slices of each loop, for the current iteration of the loops outside. */
  private readonly closed: Slice[][];

  private readonly dims: number;
  private budget = BUDGET;

  constructor(
    private readonly trace: Trace,
    private readonly start: number,
    loops: number | readonly Stride[],
  ) {
    const dims = typeof loops === 'number' ? loops : loops.length;
    this.dims = dims;
    this.coords = [new Array<number>(dims).fill(0)];
    this.strides = typeof loops === 'number' ? new Array<undefined>(dims).fill(undefined) : [...loops];
    this.closed = Array.from({ length: dims }, () => []);
    this.best = this.snapshot();
  }

  extend(): void {
    const n = this.coords.length;
    if (n > this.best.coords.length) this.best = this.snapshot();
    if (n === MAX_POINTS || this.start + n >= this.trace.length) return;
    const last = this.coords[n - 1];
    for (let l = this.dims - 1; l >= 0; l--) {
      if (this.strides[l] === undefined) continue;
      const next = last.slice(0, l + 1);
      next[l]++;
      this.innerStarts(this.gap(next), next, (x) => this.take(l, x));
    }
    for (let l = this.dims - 1; l >= 0; l--) {
      if (this.strides[l] !== undefined) continue;
      const next = last.map((v, d) => (d < l ? v : 0));
      this.strides[l] = this.gap(next);
      next[l] = 1;
      this.take(l, next);
      this.strides[l] = undefined;
    }
  }

  private snapshot(): Search['best'] {
    const zero = this.trace.at.map(() => 0);
    return { coords: this.coords.map((x) => [...x]), strides: this.strides.map((c) => c ?? zero) };
  }

  /** What is left of the next element's values after the iterators given. */
  private gap(x: readonly number[]): number[] {
    const { at } = this.trace;
    const t = this.start + this.coords.length;
    return at.map((s, k) => {
      let g = s[t] - s[this.start];
      for (let d = 0; d < x.length; d++) if (x[d] !== 0) g -= x[d] * (this.strides[d]?.[k] ?? 0);
      return g;
    });
  }

  /** Every small choice of the remaining iterators that explains a gap exactly. */
  private innerStarts(
    gap: readonly number[],
    x: readonly number[],
    visit: (x: readonly number[]) => void,
    reach = REACH,
  ): void {
    if (this.budget <= 0) return;
    const l = x.length;
    if (l === this.dims) {
      if (gap.every((g) => g === 0)) visit(x);
      return;
    }
    const stride = this.strides[l];
    if (stride === undefined) {
      this.innerStarts(gap, [...x, 0], visit, reach);
      return;
    }
    if (!this.strides.some((c, d) => d > l && c !== undefined)) {
      const lead = stride.findIndex((c) => c !== 0);
      const v = lead < 0 ? 0 : gap[lead] / stride[lead];
      if (Number.isInteger(v) && gap.every((g, k) => g === v * stride[k])) {
        visit([...x, v === 0 ? 0 : v, ...new Array<number>(this.dims - l - 1).fill(0)]);
      }
      return;
    }
    for (let k = 0; k <= 2 * reach; k++) {
      const v = k % 2 === 1 ? (k + 1) / 2 : -k / 2;
      this.innerStarts(
        v === 0 ? gap : gap.map((g, s) => g - v * stride[s]),
        [...x, v === 0 ? 0 : v],
        visit,
        reach - Math.abs(v),
      );
    }
  }

  /** Continues with the next element at x, a new iteration of loop l, if all elements still form a polyhedron. */
  private take(l: number, x: readonly number[]): void {
    if (this.budget-- <= 0) return;
    const last = this.coords[this.coords.length - 1];
    const finished = this.finish(last, l);
    if (finished === undefined) return;
    const saved = this.closed.slice(l);
    this.closed[l] = [...this.closed[l], finished];
    for (let d = l + 1; d < this.dims; d++) this.closed[d] = [];
    if (this.isPolyhedron(x)) {
      this.coords.push([...x]);
      this.extend();
      this.coords.pop();
    }
    saved.forEach((s, k) => (this.closed[l + k] = s));
  }

  /** The slice of loop l that ends with this element. */
  private finish(last: readonly number[], l: number): Slice | undefined {
    let polyhedron: Polyhedron | undefined = POINT;
    for (let d = this.dims - 1; d > l && polyhedron !== undefined; d--) {
      polyhedron = stacked([...this.closed[d], { s: last[d], polyhedron, shift: undefined }]);
    }
    return polyhedron && { s: last[l], polyhedron, shift: undefined };
  }

  private isPolyhedron(x: readonly number[]): boolean {
    let polyhedron: Polyhedron | undefined = POINT;
    for (let d = this.dims - 1; d >= 0; d--) {
      polyhedron = stacked([...this.closed[d], { s: x[d], polyhedron, shift: undefined }]);
      if (polyhedron === undefined) return false;
    }
    return true;
  }
}

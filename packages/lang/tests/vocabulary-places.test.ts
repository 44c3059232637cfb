import {
  accumulate,
  active,
  array,
  assumeInRange,
  at,
  conjugateGradients,
  f64,
  hostGrid,
  i32,
  idiv,
  kernel,
  nearestRotation,
  polar3,
  put,
  quadraticSpline,
  range,
  solveConjugateGradients,
  splineNodes,
  sum,
  unrolled,
  mat,
  ndrange,
  vec,
  type Grid2,
  type KrylovLaunches,
  type Vec,
  type VecGrid1,
  type VecGrid2,
} from '@filigree/lang';
import { dense, field, i, ij, layout, vectorField, type FieldDecl } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { define, problemsOf, run, textOf } from './kernel-run.js';

const u = field('u', 'f32');
const x = vectorField('x', 'f32', 2);
const w = vectorField('w', 'f32', 2);
const grid = layout(dense(ij, 16).place(u, x), dense(i, 16).place(w));

/* A kernel's text with its values numbered in the order in which they come. */
const numbered = (text: string): string => {
  const numbers = new Map<string, number>();
  return text.replace(/%\w+/g, (name) => `%${numbers.get(name) ?? numbers.set(name, numbers.size).get(name)}`);
};

const sameText = (a: unknown, b: unknown): void =>
  expect(numbered(textOf(define([u, x], a), grid))).toBe(numbered(textOf(define([u, x], b), grid)));

describe('places', () => {
  it('name elements as indices one by one do', () => {
    sameText(
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u)) {
          u[i][j] = u[i][j] + x[i + 1][j].y;
          accumulate(x, idiv(i, 4), idiv(j, 4), vec(1, 2));
        }
      },
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const I of active(u)) {
          put(u, I, at(u, I) + at(x, [I[0] + 1, I[1]]).y);
          accumulate(x, idiv(vec(I[0], I[1]), 4), vec(1, 2));
        }
      },
    );
  });

  it('mean the same on nested arrays', () => {
    const host = hostGrid([3, 3], (i, j) => 10 * i + j);
    expect(at(host, [1, 2])).toBe(12);
    expect(at(host, vec(2, 1))).toBe(21);
    expect(at(host, 1)).toBe(host[1]);
    put(host, [0, 2], 7);
    put(host[2], 2, 8);
    expect(host).toEqual([
      [0, 1, 7],
      [10, 11, 12],
      [20, 21, 8],
    ]);
    const vectors = hostGrid([2, 2], () => vec(1, 1));
    accumulate(vectors, vec(1, 0), vec(2, 3));
    expect([...vectors[1][0]]).toEqual([3, 4]);
  });

  it('have as many indices as the field has axes', () => {
    const codes = (fn: unknown): readonly string[] => problemsOf(define([u, x], fn), grid).map((p) => p.code);
    expect(codes((u: Grid2) => put(u, 3 as never, 1))).toEqual(['lang/indices']);
    expect(codes((u: Grid2) => put(u, [1, 2, 3] as never, 1))).toEqual(['lang/indices']);
    expect(codes((u: Grid2) => void at(u, [1.5, 2]))).toEqual([]);
    expect(codes((u: Grid2) => put(u, [1.5, 2], 1))).toEqual(['lang/index-type']);
    expect(codes(() => void at(vec(1, 2) as never, 0))).toEqual(['lang/not-a-field']);
    expect(codes((u: Grid2) => void at(...([u] as unknown as [Grid2, Vec<2>])))).toEqual(['lang/arguments']);
  });

  it('may be promised to lie around others', () => {
    sameText(
      function k(u: Grid2) {
        for (const [i, j] of active(u)) {
          const [a, b] = [i32(u[i][j]), i32(u[i][j] + 1)];
          const [bi, bj] = [4 * i, 4 * j];
          const [ra, rb] = [assumeInRange(a, bi, 0, 4), assumeInRange(b, bj, 0, 4)];
          u[ra][rb] = 0;
        }
      },
      function k(u: Grid2) {
        for (const [i, j] of active(u)) {
          const [a, b] = [i32(u[i][j]), i32(u[i][j] + 1)];
          put(u, assumeInRange(vec(a, b), [4 * i, 4 * j], 0, 4), 0);
        }
      },
    );
    expect([...assumeInRange(vec(5, 9), [4, 8], 0, 4)]).toEqual([5, 9]);
    expect(() => assumeInRange(vec(5, 12), [4, 8], 0, 4)).toThrow(/promised/);
  });
});

describe('sum', () => {
  it('is the reduction written out', () => {
    sameText(
      function k(u: Grid2) {
        let total = f64(0);
        for (const [i, j] of active(u)) total += f64(u[i][j] * u[i][j]);
        return total;
      },
      function k(u: Grid2) {
        return sum(active(u), ([i, j]) => u[i][j] * u[i][j]);
      },
    );
  });

  it('adds in f64, in kernels and on the host', () => {
    const squares = (a: Float32Array): number => sum(ndrange(2, 2), ([i, j]) => a[2 * i + j] ** 2);
    const a = Float32Array.of(1e4, 1, 1e-3, 2);
    expect(run(define([array('f32', 4)], squares), [a])).toBeCloseTo(squares(a), 2);
    expect(squares(a)).toBeCloseTo(1e8 + 5 + 1e-6, 6);
  });

  it('of vectors and matrices is written out over what is known', () => {
    sameText(
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u)) {
          x[i][j] = sum([vec(1, 2), x[i][j], x[j][i]], (v) => v.mul(u[i][j]));
          u[i][j] = sum([0, 1], (k) => u[i + k][j]) + sum(unrolled(range(2)), (k) => u[i][j + k]);
        }
      },
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u)) {
          const [p, q] = [x[i][j], x[j][i]];
          x[i][j] = vec(1, 2).mul(u[i][j]).add(p.mul(u[i][j])).add(q.mul(u[i][j]));
          u[i][j] = u[i + 0][j] + u[i + 1][j] + (u[i][j + 0] + u[i][j + 1]);
        }
      },
    );
  });

  it('within loops is added in the type of its terms, and in order', () => {
    const rows = (a: Float32Array, out: Float32Array): void => {
      for (const i of range(2)) {
        out[i] = sum(range(3), (k) => a[3 * i + k] * k);
        out[2 + i] = sum([vec(a[i], 1), vec(2, a[i])], (v) => v.outer(vec(1, i))).sum();
        out[4 + i] = sum(unrolled(range(0)), (k) => a[k]);
      }
    };
    const a = Float32Array.of(1, 2, 3, 4, 5, 6);
    const outs = [new Float32Array(6), new Float32Array(6)];
    run(define([array('f32', 6), array('f32', 6)], rows), [a, outs[0]]);
    rows(a, outs[1]);
    expect([...outs[0]]).toEqual([8, 17, 5, 14, 0, 0]);
    expect(outs[1]).toEqual(outs[0]);
    expect(textOf(define([array('f32', 6), array('f32', 6)], rows))).not.toContain('f64');
  });

  it('takes a space and a function', () => {
    const codes = [
      () => void sum(range(3) as never, undefined as never),
      () => void (sum as (a: unknown) => unknown)(range(3)),
      (u: Grid2) => void sum<number>(u as never, () => 1),
    ].map((fn) => problemsOf(define([u], fn), grid).map((p) => p.code));
    expect(codes).toEqual([['lang/not-a-function'], ['lang/arguments'], ['lang/shape']]);
  });
});

describe('quadratic splines', () => {
  const weigh = (a: Float64Array, out: Float64Array): void => {
    for (const p of range(1)) {
      const { base, offset, weights } = quadraticSpline(vec(a[2 * p], a[2 * p + 1]));
      for (const axis of range(2)) {
        out[axis] = base[axis];
        out[2 + axis] = offset[axis];
        for (const k of range(3)) out[4 + 3 * axis + k] = weights[k][axis];
      }
    }
  };

  it('sum to one, have the point as their mean and a variance of a quarter', () => {
    const def = define([array('f64', 2), array('f64', 10)], weigh, { float: 'f64' });
    fc.assert(
      fc.property(
        fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.double({ min: 0, max: 99, noNaN: true })),
        (point) => {
          const outs = [new Float64Array(10), new Float64Array(10)];
          run(def, [Float64Array.from(point), outs[0]]);
          weigh(Float64Array.from(point), outs[1]);
          expect(outs[0]).toEqual(outs[1]);
          for (const axis of [0, 1]) {
            const nodes = [0, 1, 2].map((k) => ({ at: outs[0][axis] + k, weight: outs[0][4 + 3 * axis + k] }));
            const moment = (power: number): number =>
              nodes.reduce((total, { at, weight }) => total + weight * (at - point[axis]) ** power, 0);
            expect(moment(0)).toBeCloseTo(1, 12);
            expect(moment(1)).toBeCloseTo(0, 12);
            expect(moment(2)).toBeCloseTo(0.25, 12);
            expect(nodes.every(({ weight }) => weight >= 0)).toBe(true);
            expect(outs[0][2 + axis]).toBeCloseTo(point[axis] - outs[0][axis], 12);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('give their nodes as loops over three a side do', () => {
    sameText(
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u))
          for (const [node, weight, away] of splineNodes(quadraticSpline(x[i][j])))
            accumulate(x, node, away.mul(weight));
      },
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u)) {
          const { base, offset, weights: w } = quadraticSpline(x[i][j]);
          for (const [a, b] of unrolled(ndrange(3, 3))) {
            const [node, weight, away] = [base.add(vec(a, b)), w[a].x * w[b].y, vec(a, b).sub(offset)];
            accumulate(x, node, away.mul(weight));
          }
        }
      },
    );
  });

  it('are promised to begin in a block where one is given', () => {
    sameText(
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u))
          for (const [node, weight] of splineNodes(x[i][j].mul(8), [4 * i, 4 * j], 4))
            accumulate(x, node, vec(weight, 1));
      },
      function k(u: Grid2, x: VecGrid2<2>) {
        for (const [i, j] of active(u)) {
          const spline = quadraticSpline(x[i][j].mul(8), [4 * i, 4 * j], 4);
          for (const [node, weight] of splineNodes(spline)) accumulate(x, node, vec(weight, 1));
        }
      },
    );
    expect([...quadraticSpline(vec(5.2, 9), [4, 8], 4).base]).toEqual([4, 8]);
    expect([...splineNodes(vec(5.2, 9), [4, 8], 4)][8][0].sum()).toBe(6 + 10);
    expect(() => splineNodes(vec(5.2, 13), [4, 8], 4)).toThrow(/promised/);
  });

  it('have nodes whose mean is the point, along any number of axes', () => {
    const mean = (a: Float64Array, out: Float64Array): void => {
      for (const _ of range(1)) {
        for (const [node, weight] of splineNodes(quadraticSpline(vec(a[0], a[1], a[2]))))
          for (const axis of range(3)) out[axis] += weight * node[axis];
        for (const [node, weight, away] of splineNodes(quadraticSpline(vec(a[0])))) {
          out[3] += weight * node[0];
          out[4] += weight * away[0];
        }
      }
    };
    const outs = [new Float64Array(5), new Float64Array(5)];
    const point = Float64Array.of(3.3, -4.2, 7.9);
    run(define([array('f64', 3), array('f64', 5)], mean, { float: 'f64' }), [point, outs[0]]);
    mean(point, outs[1]);
    expect(outs[0]).toEqual(outs[1]);
    [3.3, -4.2, 7.9, 3.3, 0].forEach((x, k) => expect(outs[0][k]).toBeCloseTo(x, 12));
  });

  it('are wanted where nodes are', () => {
    const parts = (offset: unknown) => ({ base: vec(1, 2), offset, weights: mat([1, 2], [3, 4], [5, 6]) });
    const scope = { parts };
    for (const spline of [
      () => void [...splineNodes(1 as never)],
      () => void [...splineNodes(parts(vec(1, 2)) as never, [0, 0], 8)],
      () => void [...splineNodes(parts(vec(1, 2, 3)) as never)],
      () => void [...splineNodes(parts(1) as never)],
    ])
      expect(problemsOf(define([], spline, { scope }), grid).map((p) => p.code)).toEqual(['lang/spline']);
  });
});

it('the nearest rotation is that of the polar decomposition', () => {
  const entry = fc.double({ min: -0.3, max: 0.3, noNaN: true });
  fc.assert(
    fc.property(fc.array(entry, { minLength: 9, maxLength: 9 }), (e) => {
      const F = mat([1 + e[0], e[1], e[2]], [e[3], 1 + e[4], e[5]], [e[6], e[7], 1 + e[8]]);
      fc.pre(F.determinant() > 0.3);
      const [R] = polar3(F);
      expect(nearestRotation(F).sub(R).norm()).toBeLessThan(1e-5);
    }),
    { numRuns: 50 },
  );
});

describe('conjugate gradients', () => {
  /* −u″ = 1 on nine nodes between zeros: u = k (10 − k) / 2. */
  it.each([false, true])('over numbers, preconditioned: %s', (preconditioned) => {
    const decl = ['x', 'p', 'q', 'r', 'z'].map((name) => field(name, 'f64'));
    const z = preconditioned ? { z: decl[4] } : {};
    const kernels = conjugateGradients({ x: decl[0], p: decl[1], q: decl[2], r: decl[3], ...z });
    const [x, p, q, r, s] = [0, 0, 0, 1, 0].map((value) => new Array<number>(9).fill(value));
    const multiply = (): number => {
      p.forEach((value, k) => (q[k] = 2 * value - (p[k - 1] ?? 0) - (p[k + 1] ?? 0)));
      return p.reduce((total, value, k) => total + value * q[k], 0);
    };
    const run: KrylovLaunches = {
      norm: () => kernels.norm.fn(r) as number,
      rho: () => kernels.rho.fn(preconditioned ? s : r, r) as number,
      follow: (beta) => kernels.follow.fn(preconditioned ? s : r, p, beta),
      multiply,
      advance: (alpha) => kernels.advance.fn(x, p, r, q, alpha) as number,
    };
    const precondition = (): void => r.forEach((value, k) => (s[k] = value / (2 + (k % 3))));
    const options = { tolerance: 1e-10, mostIterations: 20, ...(preconditioned ? { precondition } : {}) };
    const norms = solveConjugateGradients(run, options);
    expect(norms[0]).toBe(3);
    expect(norms.length).toBeLessThan(12);
    expect(norms[norms.length - 1]).toBeLessThan(3e-10);
    expect(kernels.norm.fn(r)).toBeCloseTo(norms[norms.length - 1] ** 2, 20);
    x.forEach((value, k) => expect(value).toBeCloseTo(((k + 1) * (9 - k)) / 2, 7));
    expect(solveConjugateGradients(run, { ...options, mostIterations: 0 })).toHaveLength(1);
  });

  it('over vectors, by the kernels that scalars have component by component', () => {
    const [y, p, q, r] = ['y', 'p', 'q', 'r'].map((name) => vectorField(name, 'f32', 2));
    const on = layout(dense(ij, 8).pointer().dense(ij, 4).place(y, p, q, r));
    const written = kernel(
      [y, p, r, q, 'f32'],
      { name: 'advance' },
      (x: VecGrid2<2>, p: VecGrid2<2>, r: VecGrid2<2>, q: VecGrid2<2>, alpha: number) => {
        let squares = f64(0);
        for (const [i, j] of active(x)) {
          x[i][j] = x[i][j].add(p[i][j].mul(alpha));
          const [before, less] = [r[i][j], -alpha];
          const residual = before.add(q[i][j].mul(less));
          r[i][j] = residual;
          squares += f64(residual.dot(residual));
        }
        return squares;
      },
    );
    expect(numbered(textOf(conjugateGradients({ x: y, p, q, r }).advance, on))).toBe(numbered(textOf(written, on)));
    const host = [vec(1, 2), vec(3, 4)] as Vec<2>[];
    const host1 = host as VecGrid1<2>;
    const kernels = conjugateGradients({ x: w, p: w, q: w, r: w });
    expect(kernels.norm.fn(host1)).toBe(30);
  });

  it('refuses fields of different kinds', () => {
    const [a, b]: FieldDecl[] = [field('a', 'f32'), field('b', 'f64')];
    expect(() => conjugateGradients({ x: a, p: a, q: a, r: b })).toThrow(/one kind/);
    const whole = field('c', 'i32');
    expect(() => conjugateGradients({ x: whole, p: whole, q: whole, r: whole })).toThrow(/floats/);
  });
});

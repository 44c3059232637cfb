import {
  accumulate,
  active,
  at,
  hostGrid,
  mat,
  ndrange,
  range,
  serially,
  sparseGrid,
  unrolled,
  vec,
  type Mat,
  type MatGrid1,
  type Vec,
  type VecGrid1,
} from '@filigree/lang';
import { dense, field, i, layout, matrixField, vectorField } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, fromText, problemsOf } from './kernel-run.js';

describe('components of local vectors and matrices', () => {
  it('by name, by index, several in any order, with every operator', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const v = vec(a[i], x, 3);
        v.x = v.y + 1;
        v[1] += v.x;
        v.z++;
        const before = v.y--;
        const w = vec(v);
        w.zx = v.xy;
        w.xyz = w.yzx;
        const pair = v.xz;
        w.zy = pair;
        w.y += pair.x;
        [w.x, w.y] = [w.y, w.x];
        const m = mat([a[i], 1], [x, 2]);
        m[0][1] *= x;
        m[1] = vec(v.x, m[0][0]);
        m[k[i] & 1][(k[i] >> 1) & 1] = 9;
        a[i] = v.x + 2 * v.y + 3 * v.z + before + w.dot(v.zyx) + m.determinant() + m.mul(v.xz).sum();
        k[i] = w.zz.length + v.xyyx.length;
      }
    }));

  it('at an index known only when the kernel runs', () =>
    agree((a, k, x) => {
      for (const i of serially(range(a.length))) {
        const v = vec(1, 2, 3);
        v[k[i] & 1] = a[i];
        v[(k[i] >> 2) & 1] -= x;
        const last = (v[k[i] & 1] += 0.5);
        const list = [vec(a[i], 0), vec(0, x)];
        list[k[i] & 1].y = 7;
        list[1][k[i] & 1] += last;
        a[i] = v.dot(vec(1, 10, 100)) + list[0].dot(vec(3, 5)) + list[1].norm();
      }
    }));

  it('in branches, loops, and functions that return what they made', () => {
    const clamped = (v: Vec<2>): Vec<2> => {
      const w = vec(v);
      if (w.x < 0) w.x = 0;
      else if (w.y > 1) return w;
      for (const j of unrolled(range(2))) w[j] += j;
      return w;
    };
    agree(
      (a, _, x) => {
        for (const i of range(a.length)) {
          const v = clamped(vec(a[i], x));
          v.y *= 2;
          const s = a[i] > 0 ? vec(1, 2) : vec(3, 4);
          s.x += v.x;
          a[i] = v.x - v.y + s.x * s.y;
        }
      },
      { clamped },
    );
  });

  it('are accumulated over a parallel loop', () =>
    agree((a, k) => {
      const sum = vec(0, 0);
      for (const i of range(a.length)) {
        sum.x += k[i];
        sum.y += k[i] & 1;
      }
      return sum.x + 100 * sum.y;
    }));
});

const x = vectorField('x', 'f32', 3);
const F = matrixField('F', 'f32', 2, 2);
const c = field('c', 'i32');
const place = layout(dense(i, 32).place(x, F, c));
const problems = (body: string): readonly (readonly [string, number | undefined])[] =>
  problemsOf(define([x, F, c, 'i32'], fromText(`(x, F, c, m) => {\n${body}\n}`)), place).map((d) => [
    d.code,
    d.loc?.line,
  ]);

describe('a vector that two names would hold', () => {
  it.each([
    ['const v = vec(1, 2); const w = v; v.x = 5; c[0] = m + w.x;'],
    ['const v = vec(1, 2); const w = v;\nw.x = 5; c[0] = m + v.x;'],
    ['let v = vec(1, 2, 3); v.x = 2; v = x[1];'],
    ['const v = x[0]; v.y = 1;'],
    ['const v = m > 0 ? x[0] : vec(1, 2, 3); v.y = 1;'],
    ['const id = (p) => p; const v = vec(1, 2); const w = id(v); w.x = 3; c[0] = i32(v.x);'],
    ['const v = vec(1, 2); v.x = 3; const t = [v, 1]; c[0] = 1;'],
    ['const v = vec(1, 2); const t = [v, v]; t[0].x = 5;'],
    ['const M = mat([1, 2], [3, 4]); const r = M[0]; M[0][1] = 5; c[0] = i32(r.y);'],
    ['const M = mat([1, 2], [3, 4]); const r = M[m]; r.x = 5;'],
  ])('%s', (body) => expect(problems(body)[0][0]).toBe('lang/array-alias'));

  it.each([
    ['const f = (v) => { v.x = 1; }; f(vec(1, 2));', 'lang/immutable-vector'],
    ['const v = vec(1, 2); const f = () => { v.x = 1; }; f();', 'lang/immutable-vector'],
    ['vec(1, 2).x = 3;', 'lang/immutable-vector'],
    ['const v = vec(1, 2); v.z = 3;', 'lang/unknown-member'],
    ['const v = vec(1, 2); v.xx = vec(1, 2);', 'lang/unknown-member'],
    ['x[0].xw = vec(1, 2);', 'lang/unknown-member'],
    ['x[0].xy = vec(1, 2, 3);', 'lang/shape'],
    ['x[0].x.y = 1;', 'lang/indices'],
    ['x[0][3] = 1;', 'lang/index-range'],
    ['const v = vec(1, 2); for (const i of range(3)) v.x = i;', 'lang/parallel-write'],
  ])('%s is %s', (body, code) => expect(problems(body)[0][0]).toBe(code));

  it('a copy is one of its own', () => {
    expect(problems('const v = vec(x[0]); v.y = 1; const w = vec(v); w.x = 2; x[1] = v; c[0] = i32(w.x);')).toEqual([]);
    expect(
      problems('const g = () => { let v = vec(1, 2); v.x = 4; return [v, 3]; }; const [v] = g(); c[0] = v.x;'),
    ).toEqual([]);
  });
});

describe('grids of the host hold values', () => {
  const step = (u: VecGrid1<3>, M: MatGrid1<2, 2>): void => {
    for (const p of active(u)) {
      const old = u[p];
      u[p].y += 4;
      u[p].xz = old.yx;
      u[p][2]--;
      M[p][0][1] = old.y;
      M[p][1] = vec(u[p].y, M[p][0][1]);
    }
  };

  it.each([
    [
      'nested arrays',
      (): [VecGrid1<3>, MatGrid1<2, 2>] => [hostGrid([3], vec(1, 2, 3)), hostGrid([3], mat([1, 2], [3, 4]))],
    ],
    [
      'a sparse grid',
      (): [VecGrid1<3>, MatGrid1<2, 2>] => {
        const u = sparseGrid([Infinity], vec(0, 0, 0)) as VecGrid1<3>;
        for (const p of range(3)) u[p] = vec(1, 2, 3);
        return [u, sparseGrid([8], mat([1, 2], [3, 4])) as MatGrid1<2, 2>];
      },
    ],
  ])('%s', (_, make) => {
    const [u, M] = make();
    const before = u[0];
    step(u, M);
    expect([...before]).toEqual([1, 2, 3]);
    for (const p of range(3)) {
      expect([...u[p]]).toEqual([2, 6, 0]);
      expect([...M[p]].map((row) => [...row])).toEqual([
        [1, 2],
        [6, 2],
      ]);
    }
  });

  it('an array is stored as the vector or matrix that a grid holds', () => {
    const u = hostGrid([2], vec(0, 0));
    const m = hostGrid([2], mat([0, 0], [0, 0]));
    const s = sparseGrid([Infinity], vec(0, 0));
    /* Types ask for vectors; JavaScript does not. */
    u[1] = [1, 2] as never;
    m[0] = [[1, 2], [3, 4]] as never; // prettier-ignore
    m[0][1] = [5, 6] as never;
    s[-3] = [7, 8] as never;
    expect(u[1].norm()).toBe(Math.sqrt(5));
    expect([...m[0].mul(vec(1, 1))]).toEqual([3, 11]);
    expect(s[-3].y).toBe(8);
    for (const [body, wrong] of [
      ['x[0] = [1, 2, 3]; F[0] = [[1, 2], [3, 4]]; F[1] = [x[0].xy, [5, 6]]', false],
      ['x[0] = [1, 2]', true],
      ['x[0] = [1, [2], 3]', true],
      ['F[0] = [[1, 2], [3]]', true],
      ['F[0] = [1, 2, 3, 4]', true],
    ] as const)
      expect([body, problems(body).map(([code]) => code)]).toEqual([body, wrong ? ['lang/shape'] : []]);
  });

  it('what is stored is a copy', () => {
    const u = hostGrid([2], vec(0, 0));
    const v = vec(1, 2);
    u[0] = v;
    u[1] = u[0];
    v.x = 5;
    u[1].y = 7;
    accumulate(u, 0, vec(1, 1));
    expect([...u].map((e) => [...e])).toEqual([
      [2, 3],
      [1, 7],
    ]);
    expect([...at(u, 1)]).toEqual([1, 7]);
    expect(() => ((v as unknown as { z: number }).z = 3)).toThrow('no z to assign');
    expect([...ndrange(2)].length).toBe(2);
  });
});

it('types know every order of components', () => {
  const v: Vec<3> = vec(1, 2, 3);
  const swapped: Vec<2> = v.zx;
  const long: Vec<4> = v.xxyz;
  const m: Mat<2, 2> = mat([1, 2], [3, 4]);
  m[0].y = 5;
  // @ts-expect-error a vector of three has no fourth component
  expect(() => v.w).toThrow('no element w');
  expect([...swapped, ...long, m[0][1]]).toEqual([3, 1, 1, 1, 2, 3, 5]);
});

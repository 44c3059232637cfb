import { DiagnosticError } from '@filigree/ir';
import {
  columns,
  diag,
  f32,
  i32,
  i8,
  identity,
  idiv,
  isMat,
  isVec,
  mat,
  u16,
  u32,
  u8,
  vec,
  zeros,
  type Mat,
  type Vec,
} from '@filigree/lang';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';

/* Small whole numbers: sums and products are exact, so that laws hold bit for bit. */
const whole = fc.integer({ min: -9, max: 9 });
const vector = <N extends number>(n: N): fc.Arbitrary<Vec<N>> =>
  fc.array(whole, { minLength: n, maxLength: n }).map((x) => vec(...x) as unknown as Vec<N>);
const matrix = <R extends number, C extends number>(r: R, c: C): fc.Arbitrary<Mat<R, C>> =>
  fc
    .array(vector(c), { minLength: r, maxLength: r })
    .map((rows) => mat(...(rows as unknown as Vec[])) as unknown as Mat<R, C>);
/* No law says which zero: −0 + 0 is 0. */
const entries = (v: Iterable<number>): number[] => [...v].map((x) => x + 0);
const numbers = (m: Iterable<Iterable<number>>): number[][] => [...m].map(entries);
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};

describe('vectors', () => {
  it('are read by index, by name, and by destructuring', () => {
    const v = vec(3, -4, 12);
    const [x, y] = v;
    expect([x, y, v.z, v[2], v.length]).toEqual([3, -4, 12, 12, 3]);
    expect(JSON.stringify(v)).toBe('[3,-4,12]');
    expect(isVec(v) && !isMat(v) && !isVec([1])).toBe(true);
  });

  it('are made of vectors and numbers, and have named parts', () => {
    const v = vec(vec(1, 2), 3, vec(4));
    expect([...v]).toEqual([1, 2, 3, 4]);
    expect([v.xy, v.yz, v.zw, v.xyz, v.yzw].map((p) => [...p])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [1, 2, 3],
      [2, 3, 4],
    ]);
    expectTypeOf(v).toEqualTypeOf<Vec<4>>();
    expectTypeOf(vec(...([1, 2] as number[]))).toEqualTypeOf<Vec>();
    expectTypeOf(vec(v.xy, 0).xyz).toEqualTypeOf<Vec<3>>();
    // @ts-expect-error a vector of 2 has no third element
    expect(() => vec(1, 2).yz).toThrow(/no element yz/);
    expect(() => vec(identity(2) as never)).toThrow(/made of numbers and vectors/);
  });

  it('keep their length', () => {
    const v = vec(1, 2) as unknown as number[];
    v[0] = 5;
    expect(() => (v[2] = 5)).toThrow(TypeError);
    expect(() => (v.length = 3)).toThrow(TypeError);
    expect([...v]).toEqual([5, 2]);
  });

  it('have the usual algebra', () => {
    const [a, b] = [vec(1, 2, 3), vec(4, -5, 6)];
    expect([...a.add(b)]).toEqual([5, -3, 9]);
    expect([...a.sub(1)]).toEqual([0, 1, 2]);
    expect([...a.mul(b)]).toEqual([4, -10, 18]);
    expect([...b.div(2)]).toEqual([2, -2.5, 3]);
    expect([...b.rem(4)]).toEqual([0, -1, 2]);
    expect([...b.neg()]).toEqual([-4, 5, -6]);
    expect([...a.min(b)]).toEqual([1, -5, 3]);
    expect([...b.max(0)]).toEqual([4, 0, 6]);
    expect([...b.abs().sqrt().floor()]).toEqual([2, 2, 2]);
    expect([...a.pow(2)]).toEqual([1, 4, 9]);
    expect(a.dot(b)).toBe(12);
    expect([...a.cross(b)]).toEqual([27, 6, -13]);
    expect(vec(1, 2).cross(vec(3, 5))).toBe(-1);
    expect(vec(3, 4).norm()).toBe(5);
    expect(vec(3, 4).normSquared()).toBe(25);
    expect([...vec(3, 4).normalized()]).toEqual([0.6, 0.8]);
    expect([b.sum(), b.least(), b.greatest()]).toEqual([5, -5, 6]);
    expect(numbers(vec(1, 2).outer(a))).toEqual([
      [1, 2, 3],
      [2, 4, 6],
    ]);
  });

  it('keep the laws of the cross product', () => {
    fc.assert(
      fc.property(vector(3), vector(3), (a, b) => {
        const c = a.cross(b);
        expect(Math.abs(a.dot(c) + b.dot(c))).toBe(0);
        expect(c.normSquared() + a.dot(b) ** 2).toBe(a.normSquared() * b.normSquared());
      }),
    );
  });
});

describe('matrices', () => {
  it('have rows', () => {
    const m = mat([1, 2, 3], vec(4, 5, 6));
    expect(m[1][2]).toBe(6);
    expect([m.rows, m.columns, m.length]).toEqual([2, 3, 2]);
    expect(numbers(m)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(numbers(m.transpose())).toEqual(numbers(columns([1, 2, 3], [4, 5, 6])));
    expect(numbers(m.max(3).hadamard(m))[0]).toEqual([3, 6, 9]);
    expect(isMat(m)).toBe(true);
  });

  it('are made from sizes and from a diagonal', () => {
    expect(numbers(identity(2))).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(numbers(zeros(1, 2))).toEqual([[0, 0]]);
    expect([...zeros(3)]).toEqual([0, 0, 0]);
    expect(numbers(diag(vec(2, 3)))).toEqual([
      [2, 0],
      [0, 3],
    ]);
    expect([...diag(vec(2, 3)).diagonal()]).toEqual([2, 3]);
  });

  it('multiply as matrices do', () => {
    expect([...mat([1, 2], [3, 4], [5, 6]).mul(vec(10, 1))]).toEqual([12, 34, 56]);
    fc.assert(
      fc.property(matrix(2, 3), matrix(3, 4), vector(4), (a, b, v) => {
        expect(entries(a.mul(b).mul(v))).toEqual(entries(a.mul(b.mul(v))));
        expect(numbers(a.mul(b).transpose())).toEqual(numbers(b.transpose().mul(a.transpose())));
      }),
    );
  });

  it.each([1, 2, 3, 4] as const)('have a determinant that multiplies: size %i', (n) => {
    fc.assert(
      fc.property(matrix(n, n), matrix(n, n), (a, b) => {
        expect(a.mul(b).determinant() + 0).toBe(a.determinant() * b.determinant() + 0);
        expect(a.transpose().determinant() + 0).toBe(a.determinant() + 0);
      }),
    );
  });

  it.each([1, 2, 3, 4] as const)('have an inverse: size %i', (n) => {
    fc.assert(
      fc.property(matrix(n, n), (a) => {
        fc.pre(a.determinant() !== 0);
        const error = a.inverse().mul(a).sub(identity(n)).abs().greatest();
        expect(error).toBeLessThan(1e-11 * a.inverse().norm() * a.norm());
      }),
    );
    expect(zeros(2, 2).inverse()[0][0]).toBeNaN();
  });

  it('have determinants with the sign of the permutation', () => {
    expect(mat([0, 1], [1, 0]).determinant()).toBe(-1);
    expect(mat([0, 1, 0], [0, 0, 1], [1, 0, 0]).determinant()).toBe(1);
    expect(mat([0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]).determinant()).toBe(-1);
  });

  it('have trace and Frobenius products', () => {
    fc.assert(
      fc.property(matrix(3, 3), matrix(3, 3), (a, b) => {
        expect(a.transpose().mul(b).trace()).toBe(a.dot(b));
        expect(a.normSquared()).toBe(a.dot(a));
      }),
    );
  });
});

describe('shapes', () => {
  it('are checked by types', () => {
    expectTypeOf(mat([1, 2, 3], [4, 5, 6])).toEqualTypeOf<Mat<2, 3>>();
    expectTypeOf(mat([1, 2, 3], [4, 5, 6]).mul(vec(1, 2, 3))).toEqualTypeOf<Vec<2>>();
    expectTypeOf(vec(1, 2).outer(vec(1, 2, 3))).toEqualTypeOf<Mat<2, 3>>();
    expectTypeOf(vec(1, 2).cross(vec(1, 2))).toEqualTypeOf<number>();
    expectTypeOf(vec(1, 2)).toExtend<Vec>();
    expectTypeOf(vec(1, 2)).not.toHaveProperty('z');
    expectTypeOf(vec(1, 2, 3)).not.toExtend<Vec<2>>();
    expectTypeOf<Mat<2, 3>>().not.toExtend<ThisParameterType<Mat<2, 2>['determinant']>>();
    expect([...mat([1, 2, 3], [4, 5, 6]).mul(vec(1, 2, 3)), vec(1, 2).cross(vec(3, 4))]).toEqual([14, 32, -2]);
  });

  const loose = (x: unknown): { readonly [method: string]: (...args: unknown[]) => unknown } => x as never;
  const [v2, v3, m23] = [vec(1, 2), vec(1, 2, 3), mat([1, 2, 3], [4, 5, 6])];
  it.each<[string, () => unknown, RegExp]>([
    [
      'vectors of two lengths',
      () => loose(v2).add(v3),
      /add takes two of one shape, not a vector of 2 and a vector of 3/,
    ],
    ['a number added to a matrix', () => loose(m23).add(1), /ambiguous/],
    ['a vector before a matrix', () => loose(v2).mul(m23), /m\.transpose\(\)\.mul\(v\)/],
    ['matrices that do not chain', () => loose(m23).mul(m23), /have no product/],
    ['division by a matrix', () => loose(m23).div(m23), /inverse/],
    ['a determinant of no square', () => loose(m23).determinant(), /square/],
    ['an inverse beyond 4×4', () => loose(identity(5)).inverse(), /up to 4×4/],
    ['the cross product in four dimensions', () => loose(vec(1, 2, 3, 4)).cross(vec(1, 2, 3, 4)), /two vectors of 3/],
    ['a missing argument', () => loose(v2).dot(), /takes 1 argument, not 0/],
    ['rows of two lengths', () => mat([1, 2], [3] as unknown as [number, number]), /one length/],
    ['an element that is no number', () => vec(1, '2' as unknown as number), /string/],
    ['an operand that is undefined', () => loose(v2).add(undefined), /undefined/],
    ['a third element of two', () => loose(v2).z, /no element z/],
    ['a size that is no size', () => identity(0), /whole number from 1/],
  ])('are checked at run time: %s', (_, run, message) => {
    expect(codeOf(run)).toBe('lang/shape');
    expect(run).toThrow(message);
  });
});

describe('casts', () => {
  it('truncate, wrap what is whole, saturate what is not, and know NaN', () => {
    expect([i32(2.9), i32(-2.9), i32(1e20), i32(-1e10 - 0.5), i32(NaN), i32(true)]).toEqual([
      2, -2, 2147483647, -2147483648, 0, 1,
    ]);
    expect([u8(300), u8(-1), u32(-0.5), u8(300.5), i8(-128.5)]).toEqual([44, 255, 0, 255, -128]);
    expect([u32(-1), u16(-1), i32(2 ** 31), i8(128)]).toEqual([4294967295, 65535, -(2 ** 31), -128]);
    expect(Object.is(i32(-0.5), 0)).toBe(true);
    expect(f32(0.1)).toBe(Math.fround(0.1));
    expect([...i32(vec(1.5, -1.5))]).toEqual([1, -1]);
    expect(numbers(i32(mat([1.5], [2.5])))).toEqual([[1], [2]]);
  });

  it('divide integers', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        fc.pre(b !== 0);
        expect(BigInt(idiv(a, b))).toBe(BigInt(a) / BigInt(b));
      }),
    );
    expect(codeOf(() => idiv(1, 0))).toBe('lang/idiv');
    expect(codeOf(() => idiv(1.5, 1))).toBe('lang/idiv');
  });
});

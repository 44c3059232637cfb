import * as E from 'fp-ts/lib/Either.js';
import { coreDialects, formatDiagnostic, interpret, type TypedArray } from '@filigree/ir';
import {
  array,
  eig2,
  eig3,
  identity,
  idiv,
  kernel,
  lowerKernels,
  mat,
  ndrange,
  polar2,
  polar3,
  random,
  randomInt,
  range,
  launchSeed,
  seedRandom,
  serially,
  svd2,
  svd3,
  unrolled,
  vec,
  type KernelDef,
} from '@filigree/lang';
import { dense, field, fieldDialect, i, layout } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/* One body, as plain TypeScript and as a kernel in the interpreter. */

const anywhere = layout(dense(i, 1).place(field('unused', 'f32')));
const dialects = [...coreDialects, fieldDialect(anywhere)];

/** Runs a kernel whose arguments are arrays only, in place. */
const launch = (def: KernelDef, arrays: readonly TypedArray[], seed?: number): void => {
  const lowered = E.getOrElseW((problems: readonly Parameters<typeof formatDiagnostic>[0][]) => {
    throw new Error(problems.map((d) => formatDiagnostic(d)).join('\n'));
  })(lowerKernels({ run: def }, anywhere));
  const { launch: params } = lowered.signatures.run;
  /* Buffers are as long as the most that an array may hold. */
  const buffers = lowered.module.buffers.flatMap(({ name, length }) => {
    const k = params.findIndex((p) => p.is === 'array' && p.buffer === name);
    if (k < 0) return [];
    const whole = new (arrays[k].constructor as Float64ArrayConstructor)(length);
    whole.set(arrays[k] as Float64Array);
    return [{ name, whole, given: arrays[k] as Float64Array }];
  });
  const args = [...arrays.map((a) => a.length), ...(seed === undefined ? [] : [launchSeed(seed, 0)])];
  const memory = Object.fromEntries(buffers.map(({ name, whole }) => [name, whole]));
  expect(interpret(lowered.module, dialects, memory, { kernel: 'run', args })).toEqual(E.right(undefined));
  for (const { whole, given } of buffers) given.set(whole.subarray(0, given.length));
};

const decompose2 = (a: Float64Array, out: Float64Array): void => {
  for (const m of range(idiv(a.length, 4))) {
    const A = mat([a[4 * m], a[4 * m + 1]], [a[4 * m + 2], a[4 * m + 3]]);
    const [U, sigma, V] = svd2(A);
    const [R, S] = polar2(A);
    const [lambda, W] = eig2(A.add(A.transpose()));
    for (const [r, c] of unrolled(ndrange(2, 2))) {
      const at = 24 * m + 2 * r + c;
      out[at] = U[r][c];
      out[at + 4] = V[r][c];
      out[at + 8] = R[r][c];
      out[at + 12] = S[r][c];
      out[at + 16] = W[r][c];
    }
    for (const r of unrolled(range(2))) {
      out[24 * m + 20 + r] = sigma[r];
      out[24 * m + 22 + r] = lambda[r];
    }
  }
};

const decompose3 = (a: Float64Array, out: Float64Array): void => {
  for (const m of range(idiv(a.length, 9))) {
    const b = 9 * m;
    const A = mat([a[b], a[b + 1], a[b + 2]], [a[b + 3], a[b + 4], a[b + 5]], [a[b + 6], a[b + 7], a[b + 8]]);
    const [U, sigma, V] = svd3(A);
    const [R, S] = polar3(A);
    const [lambda, W] = eig3(A.add(A.transpose()));
    for (const [r, c] of unrolled(ndrange(3, 3))) {
      const at = 51 * m + 3 * r + c;
      out[at] = U[r][c];
      out[at + 9] = V[r][c];
      out[at + 18] = R[r][c];
      out[at + 27] = S[r][c];
      out[at + 36] = W[r][c];
    }
    for (const r of unrolled(range(3))) {
      out[51 * m + 45 + r] = sigma[r];
      out[51 * m + 48 + r] = lambda[r];
    }
  }
};

const algebra = (a: Float64Array, out: Float64Array): void => {
  for (const m of range(idiv(a.length, 9))) {
    const b = 9 * m;
    const u = vec(a[b], a[b + 1], a[b + 2]);
    const v = vec(a[b + 3], a[b + 4], a[b + 5]);
    const A = mat(u, v, [a[b + 6], a[b + 7], a[b + 8]]);
    const B = A.mul(A.transpose()).add(identity(3));
    const results = [
      ...u.add(v).mul(2).sub(v.div(3)).max(0).min(u.abs()),
      ...u.cross(v),
      ...A.mul(u).rem(2),
      ...B.inverse().mul(v),
      ...B.diagonal().sqrt().normalized(),
      B.determinant(),
      B.trace(),
      A.norm(),
      u.outer(v).sum(),
      A.hadamard(B).least() + A.neg().greatest(),
    ];
    for (const k of unrolled(range(20))) out[20 * m + k] = results[k];
  }
};

const N = 16;
const f64Arrays = [array('f64', 9 * N), array('f64', 51 * N)] as const;
const f32Arrays = [array('f32', 9 * N), array('f32', 51 * N)] as const;
type Body = (a: Float64Array, out: Float64Array) => void;
const bodies: readonly (readonly [string, Body, of: number, to: number])[] = [
  ['algebra', algebra, 9, 20],
  ['decompositions of 2×2', decompose2, 4, 24],
  ['decompositions of 3×3', decompose3, 9, 51],
];

const entry = fc.oneof(fc.double({ min: -10, max: 10, noNaN: true }), fc.integer({ min: -2, max: 2 }), fc.constant(0));

describe.each(bodies)('%s', (_, body, of, to) => {
  const matrices = fc.array(entry, { minLength: of * N, maxLength: of * N }).map((x) => new Float64Array(x));

  it('give the same numbers on the host and in a kernel, bit for bit', () => {
    const def = kernel(f64Arrays, { float: 'f64' }, body);
    fc.assert(
      fc.property(matrices, (a) => {
        const [host, compiled] = [new Float64Array(to * N), new Float64Array(to * N)];
        body(a, host);
        launch(def, [a.slice(), compiled]);
        expect(compiled).toEqual(host);
      }),
      { numRuns: 10 },
    );
  });
});

/* U, V, R and W of a matrix begin here among the results; σ last but one. */
describe.each([
  [2, decompose2, [0, 4, 8, 16], 24, 20],
  [3, decompose3, [0, 9, 18, 36], 51, 45],
] as const)('svd%i in single precision', (n, body, rotations, to, sigmaAt) => {
  it('is as exact as single precision is', () => {
    const def = kernel(f32Arrays, body as unknown as (a: Float32Array, out: Float32Array) => void);
    const matrices = fc.array(entry, { minLength: n * n * N, maxLength: n * n * N }).map((x) => new Float32Array(x));
    fc.assert(
      fc.property(matrices, fc.constantFrom(1, 1e-15, 1e15), (a, scale) => {
        const scaled = a.map((x) => x * scale);
        const out = new Float32Array(to * N);
        launch(def, [scaled, out]);
        for (let m = 0; m < N; m++) {
          const part = (at: number): number[][] =>
            Array.from({ length: n }, (_, r) => [...out.subarray(to * m + at + n * r, to * m + at + n * r + n)]);
          for (const at of rotations) {
            const Q = part(at);
            for (const [r, c] of ndrange(n, n)) {
              const inner = Q.reduce((sum, row) => sum + row[r] * row[c], 0);
              expect(Math.abs(inner - (r === c ? 1 : 0))).toBeLessThan(64 * 2 ** -23);
            }
          }
          const A = scaled.subarray(n * n * m, n * n * (m + 1));
          const largest = Math.max(...A.map(Math.abs));
          const sigma = out.subarray(to * m + sigmaAt, to * m + sigmaAt + n);
          const [U, V] = [part(0), part(n * n)];
          for (const [r, c] of ndrange(n, n)) {
            const sum = sigma.reduce((s, x, k) => s + U[r][k] * x * V[c][k], 0);
            expect(Math.abs(sum - A[n * r + c])).toBeLessThanOrEqual(64 * 2 ** -23 * largest);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('random numbers', () => {
  const draws = (out: Float64Array): void => {
    out[0] = random();
    for (const i of range(1, 4)) {
      out[i] = random();
      for (const k of range(2)) out[i + 4 * (k + 1)] = random();
    }
    for (const [i, j] of ndrange([-1, 1], 2)) out[14 + 2 * i + j] = randomInt();
    for (const i of serially(range(2))) out[18 + i] = random();
    out[17] = random();
  };

  it('are the same on the host and in a kernel', () => {
    const def = kernel([array('f64', 20)], { float: 'f64' }, draws);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const [host, compiled] = [new Float64Array(20), new Float64Array(20)];
        seedRandom(seed);
        draws(host);
        launch(def, [compiled], seed);
        expect(compiled).toEqual(host);
        expect(new Set(host).size).toBeGreaterThan(15);
      }),
      { numRuns: 20 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { type Module, buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import { loaded, textOf } from './helpers.js';

const COUNT = 1 << 16;

const buffers = ['x', 'y', 'f'].map((name) => declareBuffer(name, 'f32', COUNT, 'inout'));

/** A function of `x`, or of `x` and `y`, four at a time. */
const on = (name: string, numbers: number, attrs: { readonly approximate?: true }): Module => {
  const kernel = buildKernel(
    'all',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(COUNT), b.i32(4), {}, [], (i) => {
        const given = ['x', 'y'].slice(0, numbers).map((v) => b.load(v, i, 4));
        b.store('f', b.math(name, ...given), i);
      }),
    buffers,
  );
  return makeModule('m', buffers, [{ ...kernel, attrs }]);
};

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

const randoms = (seed: number): (() => number) => {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
};

/** Any float at all, as often one of each exponent as of another. */
const anyFloat = (next: () => number): number => {
  word[0] = Math.floor(next() * 2 ** 32);
  return float[0];
};

/** Units in the last place of f32 between what was found and a number. */
const apart = (found: number, exact: number): number => {
  const nearest = Math.fround(exact);
  if (Number.isNaN(nearest) || !Number.isFinite(nearest)) return Object.is(found, nearest) ? 0 : Infinity;
  float[0] = Math.abs(nearest);
  word[0] &= 0x7f800000;
  return Math.abs(found - exact) / Math.max(float[0] * 2 ** -23, 2 ** -149);
};

const SPECIAL = [
  0,
  1,
  -1,
  Infinity,
  -Infinity,
  NaN,
  1e-40,
  -1e-40,
  3.4e38,
  -3.4e38,
  88.72283,
  89,
  -87.4,
  -104,
  -150,
].concat([8191, 8192, -1e5, 1e10, 0.5, -0.5, 2 ** -140, 1024]);

/** Where each function does most of its work. */
const functions: readonly (readonly [name: string, from: number, to: number])[] = [
  ['exp', -100, 90],
  ['log', 0.5, 2],
  ['log2', 0.5, 2],
  ['tanh', -2, 2],
  ['sin', -8192, 8192],
  ['cos', -8192, 8192],
  ['tan', -8192, 8192],
  ['asin', -1, 1],
  ['acos', -1, 1],
  ['atan', -3, 3],
  ['atan2', -3, 3],
  ['hypot', -10, 10],
  ['pow', 0, 30],
];

describe('functions of vectors that may differ by rounding', () => {
  it.each(functions)('%s is arithmetic, within four units in the last place', async (name, from, to) => {
    const f = (Math as unknown as Record<string, (...given: number[]) => number>)[name];
    const executable = await loaded(on(name, f.length === 2 ? 2 : 1, { approximate: true }));
    const [x, y, found] = ['x', 'y', 'f'].map((b) => executable.buffer(b).view() as Float32Array);
    const next = randoms(7);
    const inputs: readonly ((n: number) => readonly [number, number])[] = [
      () => [from + (to - from) * next(), from + (to - from) * next()],
      () => [anyFloat(next), anyFloat(next)],
      (n) => [SPECIAL[n % SPECIAL.length], SPECIAL[Math.floor(n / SPECIAL.length) % SPECIAL.length]],
    ];
    for (const input of inputs) {
      for (let n = 0; n < COUNT; n++) [x[n], y[n]] = input(n);
      executable.run();
      let worst = { by: 0, at: [0, 0], found: 0 };
      for (let n = 0; n < COUNT; n++) {
        const by = apart(found[n], f(x[n], y[n]));
        if (!(by <= worst.by)) worst = { by, at: [x[n], y[n]], found: found[n] };
      }
      expect(worst.by, JSON.stringify(worst)).toBeLessThanOrEqual(4);
    }
    executable.dispose();
  });

  it('but hypot of f32 is arithmetic everywhere, off by one unit at most', async () => {
    const executable = await loaded(on('hypot', 2, {}));
    const [x, y, found] = ['x', 'y', 'f'].map((b) => executable.buffer(b).view() as Float32Array);
    const next = randoms(11);
    for (let n = 0; n < COUNT; n++)
      [x[n], y[n]] =
        n % 2 === 0
          ? [anyFloat(next), anyFloat(next)]
          : [SPECIAL[n % SPECIAL.length], SPECIAL[Math.floor(n / SPECIAL.length) % SPECIAL.length]];
    executable.run();
    for (let n = 0; n < COUNT; n++)
      expect(apart(found[n], Math.hypot(x[n], y[n])), `hypot(${x[n]}, ${y[n]})`).toBeLessThanOrEqual(1);
    executable.dispose();
  });

  it('are as many as stand in that list', () => {
    const calls = (name: string, attrs: { readonly approximate?: true }): boolean =>
      textOf(on(name, ['atan2', 'hypot', 'pow'].includes(name) ? 2 : 1, attrs)).includes(`(call $${name} `);
    for (const [name] of functions) {
      /* Of f32 that is a root of squares in f64, lanes or not. */
      expect(calls(name, {}), name).toBe(name !== 'hypot');
      /* Those that turn leave what is too large to a call, and powers what is negative. */
      expect(calls(name, { approximate: true }), name).toBe(['sin', 'cos', 'tan', 'pow'].includes(name));
    }
    expect(calls('cbrt', { approximate: true })).toBe(true);
  });
});

import { array, i16, i32, i8, idiv, range, u16, u32, u64, u8, vec } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { define, problemsOf, run } from './kernel-run.js';

const bytes = Uint8Array.of(0, 1, 200, 5, 255, 3, 7, 9);
const words = Uint32Array.of(0, 1, 200, 5, 4294967295, 3, 7, 9);

/** Runs a function as a kernel and as what it is, over integers of three types, and wants equal results. */
const agree = (fn: (r: Float64Array, h: Uint8Array, q: Uint32Array) => unknown): void => {
  const def = define([array('f64', 8), array('u8', 8), array('u32', 8)], fn, { float: 'f64', name: 'k' });
  const [expected, got] = [new Float64Array(8), new Float64Array(8)];
  const wanted = fn(expected, bytes.slice(), words.slice());
  expect(run(def, [got, bytes.slice(), words.slice()])).toEqual(wanted);
  expect([...got]).toEqual([...expected]);
};

describe('integers keep their values', () => {
  it('of fewer bits are stored without a cast where what is computed of them fits', () =>
    agree((r, h) => {
      for (const i of range(8)) {
        h[i] = (h[i] + 3) >> 1;
        r[i] = h[i];
        h[i] = (h[i] * 7) % 200;
        r[i] += 1000 * h[i];
        h[i] = ((h[i] - 90) % 40) + 39;
        r[i] += 1000000 * h[i];
      }
    }));

  it('beside literals that their type does not hold', () =>
    agree((r, h, q) => {
      for (const i of range(8)) {
        r[i] = (h[i] < 300 ? 1 : 0) + (h[i] > -1 ? 2 : 0) + (h[i] === -1 ? 4 : 0) + (q[i] > -1 ? 8 : 0);
        r[i] += (i < 3e9 ? 16 : 0) + Math.max(q[i], -5) + (q[i] % -3) + (i < 2 ? h[i] : i < 4 ? -1 : 300);
        r[i] += [h[i], -1, 300][i % 3] + vec(h[i], -1).y;
      }
    }));

  it('in variables', () =>
    agree((r, h, q) => {
      for (const i of range(8)) {
        let x = h[i];
        if (i > 3) x = -1;
        let limit = 256;
        if (i > 5) limit = -3;
        let large = 3e9;
        if (i > 2) large = 5;
        r[i] = x + (h[i] < limit ? 10 : 0) + (q[i] < limit ? 20 : 0) + (i % 2 === 0 ? h[i] : limit) + large;
        r[i] += Math.max(q[i], limit) + idiv(q[i], limit) + (q[i] % limit);
        const pair = { x: h[i] };
        pair.x = 1000;
        r[i] += pair.x;
      }
    }));

  it('when they are summed', () =>
    agree((_r, h) => {
      let sum = 0;
      let most = -1;
      let all = vec(0, 0);
      for (const i of range(8)) {
        sum += h[i];
        most = Math.max(most, h[i]);
        all = all.add(vec(h[i], 1));
      }
      return sum + most + all.x;
    }));

  it('and when they are returned', () => {
    agree(() => 3e9);
    agree(() => -3e9);
  });

  it('as floats do where they are computed as such, known beforehand or not', () => {
    /* Plain TypeScript does not know that these whole numbers are floats, and wraps them. */
    const def = define(
      [array('f64', 6), array('u8', 8)],
      (r: Float64Array, h: Uint8Array) => {
        const x = h[3] - 6.5;
        r[0] = u8(Math.sign(-1.5)) + 10 * u8(Math.sign(x));
        r[1] = u8(Math.floor(-1.5)) + 10 * u8(Math.floor(x));
        r[2] = u32(-1.5 - 0.5) + 10 * u32(x - 0.5);
        r[3] = u16(-(6 / 3)) + 10 * u16(-(h[3] / 5));
        r[4] = i8(256 * 1.5) + 10 * i8(h[2] * 1.5);
        const list = [1, 2, 3];
        r[5] = list[Math.floor(2.5)] + list[6 / 3];
      },
      { float: 'f64' },
    );
    const r = new Float64Array(6);
    run(def, [r, bytes]);
    expect([...r]).toEqual([0, 0, 0, 0, 127 + 1270, 6]);
  });

  it('beside u64, with bits that no i64 is needed for', () => {
    const def = define([array('u64', 2)], (q: { [at: number]: number }) => {
      q[0] = u64(1) ^ 4294967299;
      q[1] = q[1] | 4503599627370486;
    });
    const q = BigUint64Array.of(0n, 1n);
    run(def, [q]);
    expect([...q]).toEqual([4294967298n, 4503599627370487n]);
  });

  it('or are refused where i32 values that are known overflow, whatever is left of them', () => {
    const remainder = (h: Int32Array): void => void (h[0] = (i32(230867982) * 16571809) % 8);
    const bits = (h: Int32Array): void => void (h[0] = (i32(230867982) * 16571809) & 7);
    for (const fn of [remainder, bits])
      expect(problemsOf(define([array('i32', 8)], fn)).map((d) => [d.code, d.message])).toEqual([
        ['lang/literal', '3825900101919438, which this comes to, is no i32'],
      ]);
    const narrow = (h: Int32Array): void => void (h[0] = i16(30001) * 16571811);
    expect(problemsOf(define([array('i32', 8)], narrow)).map((d) => d.message)).toEqual([
      '497170901811, which this comes to, is no i32',
    ]);
    const known = define([array('i32', 3)], (h: Int32Array) => {
      h[0] = u8(300) * 100000;
      h[1] = u8(200) + u8(100);
      h[2] = i8(-129) - u16(-1);
    });
    const small = new Int32Array(3);
    run(known, [small]);
    expect([...small]).toEqual([4400000, 300, 127 - 65535]);
    /* Of whole numbers without a type the exact result counts. */
    const exact = define([array('i32', 1)], (h: Int32Array) => void (h[0] = (230867982 * 16571809) % 8));
    const h = new Int32Array(1);
    run(exact, [h]);
    expect([...h]).toEqual([6]);
  });

  it('or are refused where they would be cut off', () => {
    const put = (h: Uint8Array): void => {
      let n = 250;
      for (let i = 0; i < 10; i++) n++;
      h[0] = n;
    };
    expect(problemsOf(define([array('u8', 8)], put)).map((d) => d.code)).toEqual(['lang/narrowing']);
  });
});

it('x++ is the number that x was', () =>
  agree((r) => {
    let small = 1e-20;
    r[0] = small++ * 1e20;
    r[1] = small--;
    r[2] = 1e-20;
    r[3] = r[2]++ * 1e20;
    const list = [1e-20, 2];
    r[4] = list[i32(r[1]) - 1]++ * 1e20 + list[0];
    for (const i of range(5, 8)) r[i] = 1e-20;
    for (const i of range(5, 8)) r[i - 5] += r[i]++ * 1e20;
  }));

describe('bits of floats', () => {
  const numbers = [0, -0, 0.9, -0.9, 2.5, -2.5, 1e9 + 0.5, 2 ** 31, -(2 ** 31), 2 ** 31 - 1, 2 ** 31 + 256];
  const large = [
    2 ** 32,
    -(2 ** 32) - 512,
    3e9,
    -3e9,
    1e10,
    -1e12,
    2 ** 53,
    -(2 ** 63),
    2 ** 63 + 2 ** 50,
    1e22,
    -1e300,
  ];
  const all = [...numbers, ...large, Infinity, -Infinity, NaN];
  /* Of each number, by what plain TypeScript says: with one operand that is a float, with the other, and with both. */
  const combined = (r: Float64Array, x: Float64Array | Float32Array): void => {
    for (const p of range(25)) {
      r[8 * p] = x[p] | 0;
      r[8 * p + 1] = ~~x[p];
      r[8 * p + 2] = x[p] & 255;
      r[8 * p + 3] = x[p] ^ x[24 - p];
      r[8 * p + 4] = x[p] >> 3;
      r[8 * p + 5] = x[p] >>> 0;
      r[8 * p + 6] = x[p] << 5;
      r[8 * p + 7] = 3 << x[p];
    }
  };

  it.each([
    ['f64', Float64Array],
    ['f32', Float32Array],
  ] as const)('of %s are those of plain TypeScript', (type, List) => {
    const x = List.from(all);
    const [expected, got] = [new Float64Array(200), new Float64Array(200)];
    combined(expected, x);
    run(define([array('f64', 200), array(type, 25)], combined), [got, x]);
    expect([...got]).toEqual([...expected]);
  });

  it('of quotients and products of integers are exact, also where floats are f32', () => {
    const fn = (r: Float64Array, n: Int32Array): void => {
      for (const p of range(4)) {
        const half = n[p] * 0.5;
        r[p] = (n[p] / n[(p + 1) % 4]) | 0;
        r[4 + p] = (half | 0) + (Math.floor(n[p] / 10) & 0xffff);
      }
    };
    const n = Int32Array.of(2147483647, 16777217, -123456789, 0);
    const [expected, got] = [new Float64Array(8), new Float64Array(8)];
    fn(expected, n);
    run(define([array('f64', 8), array('i32', 4)], fn), [got, n]);
    expect([...got]).toEqual([...expected]);
  });

  it('beside integers of 64 bits, and of truth values, are refused', () => {
    const wide = (h: BigInt64Array): void => void (h[0] = h[0] | (2.5 as unknown as bigint));
    const truth = (h: Int32Array): void => void (h[0] = ((h[1] > 0) as unknown as number) | 0);
    for (const [fn, type] of [
      [wide, 'i64'],
      [truth, 'i32'],
    ] as const)
      expect(problemsOf(define([array(type, 4)], fn)).map((p) => p.code)).toEqual(['lang/type']);
  });
});

describe('rounded numbers', () => {
  it('are indices and bounds as they are in plain TypeScript, large ones too', () =>
    agree((r, h, q) => {
      for (const i of range(8)) {
        r[Math.floor(i / 2)] += h[Math.round(i * 0.6)] + (q[Math.min(Math.ceil(i * 1.3), 7)] % 100);
        r[Math.floor((i + 33554433) / 3) - 11184811] += 0.5;
        for (const k of range(Math.floor(i / 3), Math.ceil(i * 0.7))) r[7] += k;
        const counts = [0, 0, 0];
        counts[Math.abs(-Math.floor(i / 3))] += i;
        r[i] += counts[Math.floor(i / 2) % 3];
      }
    }));

  it('that are NaN are no element', () =>
    agree((r, h) => {
      for (const i of range(8)) r[Math.floor((h[0] / h[0]) * i)] = 5;
    }));

  it('are none with a fraction', () =>
    expect(
      problemsOf(define([array('f64', 8)], (r: Float64Array) => void (r[Math.floor(r[0]) + 0.5] = 1))).map(
        (p) => p.code,
      ),
    ).toEqual(['lang/index-type']));
});

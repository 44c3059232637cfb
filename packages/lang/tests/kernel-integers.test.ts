import { array, i16, i32, i8, idiv, random, range, u16, u32, u64, u8, vec } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { define, fromText, lowered, problemsOf, run, textOf } from './kernel-run.js';

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

describe('BigInts, of which literals are of either sign', () => {
  const ofBigInts = (
    fn: (u: BigUint64Array, s: BigInt64Array) => unknown,
    scope: Record<string, unknown> = {},
  ): void => {
    const def = define([array('u64', 8), array('i64', 8)], fn, { scope, name: 'k' });
    const made = (): readonly [BigUint64Array, BigInt64Array] => [
      BigUint64Array.of(0n, 1n, 2n ** 64n - 1n, 3n ** 40n, 7n, 2n ** 63n, 12345678901234567n, 9n),
      BigInt64Array.of(0n, -1n, 2n ** 62n, -(3n ** 39n), 7n, -(2n ** 63n), 1234567890123n, -9n),
    ];
    const [[u, s], [v, t]] = [made(), made()];
    fn(u, s);
    run(def, [v as never, t as never]);
    expect([...v]).toEqual([...u]);
    expect([...t]).toEqual([...s]);
  };

  it('are hashed as in JavaScript', () => {
    const key = 0x9e3779b97f4a7c15n;
    const mix = (x: bigint): bigint => {
      let z = x;
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      return z ^ (z >> 31n);
    };
    ofBigInts(
      (u) => {
        for (const i of range(8)) {
          u[i] += key;
          u[i] = mix(u[i]);
          u[i] ^= u[i] << 25n;
          if (u[i] > 1000n && u[i] % 2n === 0n) u[i] = u[i] / 3n + 1n;
          u[i] = u[i] === 0n ? 1n : u[i];
          u[i] |= 1n;
        }
      },
      { key, mix },
    );
  });

  it('are what a variable begins with that is of the type of what it is given later', () =>
    ofBigInts((u, s) => {
      let [sum, hash, most] = [0n, 1n, 5n];
      for (let i = 0; i < 8; i++) sum += u[i];
      for (let i = 0; i < 8; i++) {
        hash = (hash * 31n + (s[i] % 1000n)) % 1000000007n;
        if (s[i] > most) most = s[i];
      }
      u[0] = sum;
      s[0] = hash;
      s[1] = most / -7n;
    }));

  it('are divided and raised to powers exactly, and made of numbers', () =>
    ofBigInts((u, s) => {
      for (const i of range(8)) {
        s[i] = (s[i] % 100n) ** 3n + 2n ** 40n - -7n / 2n + BigInt(i) * BigInt.asIntN(8, s[i]);
        u[i] = (u[i] % 100n) ** 2n + BigInt.asUintN(64, BigInt(i) + 3n);
      }
    }));

  it('of numbers that are not negative go with u64 as well', () => {
    const bytes = Uint8Array.of(200, 3, 255, 0);
    const fn = (u: BigUint64Array, s: BigInt64Array): void => {
      for (const i of range(8)) {
        let h = 14695981039346656037n;
        for (let k = 0; k < 4; k++) h = BigInt.asUintN(64, (h ^ BigInt(bytes[k])) * 1099511628211n);
        u[i] = h ^ BigInt.asUintN(64, u[i] + BigInt(i + 1) * 0x9e3779b97f4a7c15n);
        if (u[i] > BigInt(i) && (u[i] ^ 1n) % BigInt(i + 2) === 0n) u[i] = BigInt(7) | (u[i] & ~15n);
        s[i] = idiv(s[i], BigInt(i + 1) - 4n * BigInt(i % 3)) - BigInt(i) * BigInt(bytes[i % 4]) + BigInt(i - 4);
      }
    };
    ofBigInts(fn, { bytes });
  });
});

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

  it('of quotients that are rounded where an element of i32 takes them', () => {
    const n = field('n', 'i32');
    const digits = define(
      [n, 'i32'],
      fromText('(n, v) => { for (const i of range(3)) n[i] = Math.floor(v / 7) + i; }'),
    );
    const text = textOf(digits, layout(dense(i, 3).place(n)));
    expect(text).toContain('f64');
    expect(text).not.toContain('f32');
    const quotients = (q: Int32Array, v: number): void => {
      for (let k = 0; k < 3; k++) q[k] = Math.floor(v / (k + 6)) - Math.round(v / 9);
    };
    const [wanted, got] = [new Int32Array(3), new Int32Array(3)];
    quotients(wanted, 2147483647);
    run(define([array('i32', 3), 'i32'], quotients), [got, 2147483647]);
    expect([...got]).toEqual([...wanted]);
  });

  it('of quotients that are rounded, and what is computed of those, in kernels of f32 too', () => {
    /* Schrage's way of x · 16807 modulo 2³¹ − 1 without more than 31 bits, in a variable that is given such alone, and stored in an i32. */
    const schrage = (q: Int32Array, v: number): void => {
      for (let k = 0; k < 8; k++) {
        let m = v - k;
        for (let n = 0; n < 5; n++) {
          const hi = Math.floor(m / 127773);
          const lo = m % 127773;
          m = 16807 * lo - 2836 * hi;
          if (m <= 0) m += 2147483647;
        }
        q[k] = m;
      }
    };
    const [wanted, got] = [new Int32Array(8), new Int32Array(8)];
    schrage(wanted, 2147483647);
    run(define([array('i32', 8), 'i32'], schrage, { float: 'f32' }), [got, 2147483647]);
    expect([...got]).toEqual([...wanted]);
  });

  it('but floats that come of f32 stay such', () => {
    const x = field('x', 'f32');
    const half = define([x], fromText('(x) => { for (const i of range(3)) x[i] = Math.floor(x[i] / 2) * 3 + i; }'));
    expect(textOf(half, layout(dense(i, 3).place(x)))).not.toContain('f64');
  });

  it('of quotients that are cast, in kernels of f32 too', () => {
    const quotients = (f: Float32Array, q: Int32Array, v: number, by: number): void => {
      for (let k = 0; k < 8; k++) {
        const part = (v - k) / by;
        q[k] = i32((v - k) / 7) + i32(Math.floor((v - k) / 9)) - i32(part);
        f[k] = i32(v / (k + 2)) % 1000;
      }
    };
    const [wanted, got] = [new Int32Array(8), new Int32Array(8)];
    const [floats, others] = [new Float32Array(8), new Float32Array(8)];
    quotients(floats, wanted, 2147483647, 11);
    run(define([array('f32', 8), array('i32', 8), 'i32', 'i32'], quotients, { float: 'f32' }), [
      others,
      got,
      2147483647,
      11,
    ]);
    expect([...got]).toEqual([...wanted]);
    expect([...others]).toEqual([...floats]);
  });

  it('of u32 as the bounds of loops, also of loops within others', () => {
    const rows = (start: Uint32Array, sums: Float64Array): void => {
      for (const v of range(3)) for (const e of range(start[v], start[v + 1])) sums[v] += 10 ** e;
      for (const v of range(1)) for (const e of range(start[v], start[v + 3], start[1])) sums[3] += e;
    };
    const start = Uint32Array.of(0, 2, 2, 5);
    const [wanted, got] = [new Float64Array(4), new Float64Array(4)];
    rows(start, wanted);
    run(define([array('u32', 4), array('f64', 4)], rows), [start, got]);
    expect([...got]).toEqual([...wanted]);
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

  it('or of what does not fit typed arrays take the last bits, as in plain TypeScript', () => {
    agree((r, h, q) => {
      let n = 250;
      for (let j = 0; j < 10; j++) n++;
      h[0] = n;
      const own = new Uint8Array([300, n]);
      const words = new Int16Array(2);
      for (let i = 0; i < 8; i++) {
        h[i] += 0.75 * i + n;
        q[i] = -7.5 * i - h[i];
        own[1] = q[i] / 3;
        words[i % 2] -= q[i] + 40000;
        r[i] = own[0] + own[1] + h[i] + q[i] + words[0] + words[1];
        q[i] = 1e30 * i;
        r[i] += q[i];
      }
    });
    const put = (h: Uint8Array, x: number): void => {
      for (const i of range(8)) h[i] = x;
    };
    const h = new Uint8Array(8);
    run(define([array('u8', 8), 'f32'], put), [h, -1.5]);
    expect(h[0]).toBe(255);
    const add = (h: Uint8Array, x: number): void => {
      for (const i of range(8)) h[i] += x;
    };
    expect(problemsOf(define([array('u8', 8), 'f32'], add)).map((d) => d.code)).toEqual(['lang/narrowing']);
  });

  it('and bits beside 0 are an i32, `h | 0`, of whatever sign h is', () =>
    agree((r, h, q) => {
      for (const i of range(8)) {
        const bits = q[i] | 0;
        let n = q[i] * 3;
        n |= 0;
        r[i] = bits / 2 + (h[i] | 0) + n + (bits < 0 ? 1e9 : 0);
      }
    }));

  it('of a u32 are signed, as JavaScript has them, wherever their sign shows', () =>
    agree((r, h, q) => {
      for (const i of range(8)) {
        const [x, y] = [q[i], u32(h[i] * 16843009)];
        let state = x;
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        const turned = (x >>> 7) | (y << 25);
        const some = i % 2 ? x ^ y : 3;
        r[i] = (x ^ y) / 3 + (x << 3) / 5 + (x >> 4) / 7 + ~x / 11 + (x & y) / 13 + (x | y) / 17 + state / 19;
        r[i] += (turned < 0 ? 0.5 : turned) + Math.min(x ^ y, 5) + some / 23 + (~y > x ? 1 : 0);
        h[i] = (x ^ y) & 255;
        q[i] = (x & 0xff000000) === 0xff000000 ? 7 : u32(x ^ y);
        r[i] += h[i] + q[i] + ((x ^ y) % 1000) + (y >> 28);
      }
    }));

  it('of a u32 are cut to it where an element of one takes them, and by u32 and `>>> 0`', () => {
    const turn = (a: Uint32Array, b: Uint32Array): void => {
      for (const i of range(8)) {
        a[i] ^= a[i] << 13;
        a[i] = (a[i] >>> 7) | (a[i] << 25);
        b[i] = (u32(a[i] ^ 5) % 1000) + (((a[i] << 1) >>> 0) >>> 1);
        b[i] >>= 1;
      }
    };
    const start = Uint32Array.from({ length: 8 }, (_, n) => n * 715827883);
    const [a, b, c, d] = [start.slice(), start.slice(), start.slice(), start.slice()];
    run(define([array('u32', 8), array('u32', 8)], turn), [a, b]);
    turn(c, d);
    expect([[...a], [...b]]).toEqual([[...c], [...d]]);
  });

  it('of a u32 are refused by a field of u32, which holds no negative numbers, but where its own bits are changed', () => {
    const w = field('w', 'u32');
    const on = layout(dense(i, 8).place(w));
    const codes = (body: string): readonly string[] =>
      problemsOf(define([w], fromText(`(w) => { for (const i of range(8)) ${body} }`)), on).map((d) => d.code);
    expect(codes('w[i] = w[i] ^ (w[i] << 13);')).toEqual(['lang/narrowing']);
    expect(codes('w[i] = u32(w[i] ^ (w[i] << 13));')).toEqual([]);
    expect(codes('w[i] = (w[i] ^ (w[i] << 13)) >>> 0;')).toEqual([]);
    for (const order of ['range(8)', 'serially(range(8))']) {
      const own = (body: string): readonly string[] =>
        problemsOf(define([w], fromText(`(w) => { for (const i of ${order}) ${body} }`)), on).map((d) => d.code);
      expect(own('w[i] ^= w[i] << 13;')).toEqual([]);
      expect(own('w[i] ^= i64(i) << 40;')).toEqual(['lang/narrowing']);
      expect(own('w[i] |= -1;')).toEqual([]);
      expect(own('w[i] |= 4294967296;')).toEqual(['lang/literal']);
    }
  });

  it('of a u32 and of what is made of its bits are 32 in variables, where nothing else is used of these', () => {
    const hash = (r: Float64Array, _h: Uint8Array, q: Uint32Array): void => {
      for (const i of range(8)) {
        let x = q[i];
        for (const k of range(5)) {
          x ^= x << 13;
          x ^= x >>> 17;
          if (x & 1) x = x >>> 1;
          else x ^= k;
        }
        const y = x;
        q[i] = y;
        r[i] = (y >>> 8) / 16777216 + Math.imul(y, 3) + ~y + (y ? 1 : 2);
      }
    };
    agree(hash);
    expect(textOf(define([array('f64', 8), array('u8', 8), array('u32', 8)], hash))).not.toContain('i64');
    const shown = (r: Float64Array, _h: Uint8Array, q: Uint32Array): void => {
      for (const i of range(8)) {
        let x = q[i];
        let y = x;
        for (const k of range(3)) {
          if (k === 1) x ^= -1;
          y = x;
          x ^= x << 3;
        }
        r[i] = y < 0 ? 1 : 2;
        r[i] += y;
      }
    };
    agree(shown);
  });

  it('are chosen of literals of either size, whichever of them are no i32', () => {
    const turn = (a: Uint32Array, b: Uint32Array): void => {
      const keys = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 7];
      for (let k = 0; k < 5; k++) a[k] = keys[k];
      const code = (x: number): number => {
        if (x > 2 ** 31) return 0xffffffff;
        return x === 7 ? 3 : 0x80000000;
      };
      for (const k of range(8)) b[k] = a[k] > 2 ** 31 ? 0xffffffff : a[k] > 9 ? 1 : code(a[k]);
    };
    const [a, b, c, d] = [new Uint32Array(8), new Uint32Array(8), new Uint32Array(8), new Uint32Array(8)];
    turn(a, b);
    run(define([array('u32', 8), array('u32', 8)], turn), [c, d]);
    expect([[...c], [...d]]).toEqual([[...a], [...b]]);
  });

  it('that begin with a literal which is no i32 hold that, and what bits leave of it', () => {
    agree((r, h, q) => {
      for (const i of range(8)) {
        let fnv = 2166136261;
        for (const k of range(5)) {
          fnv ^= (q[i] >> k) & 255;
          fnv = Math.imul(fnv, 16777619);
        }
        h[i] = fnv >>> 0;
        let x = 2463534242;
        for (let k = 0; k < (q[i] & 7); k++) {
          x ^= x << 13;
          x ^= x >>> 17;
          x ^= x << 5;
        }
        r[i] = x;
        let below = 3000000000;
        below = below - (q[i] & 1023);
        below = below - 3000000001;
        r[i] += below < 0 ? 7 : 9;
        let most = 5000000000;
        if (q[i] % 2) most = i;
        r[i] += most > 6 ? most % 11 : 3;
      }
    });
  });

  it('that a loop takes from something wider, all at once, are negative there', () => {
    agree((r, h, q) => {
      let sum = 0.5;
      let whole = 0;
      let both = vec(0.5, 1);
      for (const i of range(8)) {
        sum -= q[i];
        sum = sum - h[i];
        whole -= q[i];
        whole += i - 5;
        both = both.sub(vec(q[i], h[i]));
        r[0] -= q[i];
        r[i] -= h[i];
        r[i] -= 3;
      }
      return sum + 3 * whole + 5 * both.x + 7 * both.y;
    });
    const wide = define([array('i64', 1), array('u32', 8), array('u8', 8), array('u8', 8)], fromText(`(r, q, h, b) => {
      for (const i of range(8)) { r[0] -= q[i]; b[i] -= h[i]; }
    }`)); // prettier-ignore
    const [r, b] = [BigInt64Array.of(1n), bytes.slice()];
    run(wide, [r, words.slice(), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), b]);
    expect([...r]).toEqual([1n - words.reduce((sum, x) => sum + BigInt(x), 0n)]);
    expect([...b]).toEqual([...bytes.map((x, k) => x - k - 1)]);
  });

  it('of elements are cleared, set and turned by numbers of as many bits, as `x &= ~1` does', () => {
    const numbers = [5, 42, 79, 116, 153, 190, 227, 264];
    const typed = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array] as const;
    const serially = (of: Iterable<number>): Iterable<number> => of;
    (['i8', 'u8', 'i16', 'u16', 'i32', 'u32'] as const).forEach((type, n) => {
      for (const order of ['range(8)', 'serially(range(8))'])
        for (const change of [
          '&= ~1',
          '&= ~6',
          '^= -1',
          '^= 1 << 7',
          '|= 0x80',
          '&= ~(1 << i)',
          '^= 1 << 31',
          '|= 0xffffffff',
        ]) {
          const text = `(a) => { for (const i of ${order}) a[i] ${change}; }`;
          const got = typed[n].from(numbers);
          run(define([array(type, 8)], fromText(text)), [got]);
          const wanted = typed[n].from(numbers);
          (new Function('range', 'serially', `return ${text}`)(range, serially) as (a: unknown) => void)(wanted);
          expect([type, text, ...got]).toEqual([type, text, ...wanted]);
        }
    });
    const b = field('b', 'u8');
    const codes = (body: string): readonly string[] =>
      problemsOf(define([b], fromText(`(b) => { for (const i of range(8)) b[i] ${body}; }`)), layout(dense(i, 8).place(b))).map((d) => d.code); // prettier-ignore
    expect(codes('&= ~1')).toEqual([]);
    expect(codes('&= ~256')).toEqual(['lang/literal']);
    expect(codes('|= 256')).toEqual(['lang/literal']);
    expect(codes('|= true')).toEqual(['lang/type']);
  });
});

it('bits of numbers that are known and no whole numbers of 32 bits', () =>
  agree((r, h) => {
    const far = Infinity;
    for (const i of range(r.length)) {
      r[i] = (far | 0) + (-far ^ 3) + ~~(NaN + 1) + (1e300 | 1) + (Math.sqrt(far) | h[i]) + (-2.75 | 0) + (far >> 1);
      r[i] += h[i] & (2 ** 53 * 1.5 + 4);
    }
  }));

describe('whole numbers of more digits than f32 has', () => {
  const points = Float32Array.of(0, 0.137, 0.274, 0.411, -0.548, 1.685, 9.822, -20.959);

  /** Runs a function as a kernel over f32 and as what it is, and wants the same integers. */
  const agreeOn = (fn: (x: Float32Array, n: Int32Array) => void): void => {
    const def = define([array('f32', 8), array('i32', 8)], fn, { name: 'k' });
    const [expected, got] = [new Int32Array(8), new Int32Array(8)];
    fn(points.slice(), expected);
    run(def, [points.slice(), got]);
    expect([...got]).toEqual([...expected]);
  };

  it('are hashed as in plain TypeScript, where they came of rounded floats', () => {
    agreeOn((x, n) => {
      for (const i of range(8)) n[i] = ((Math.floor(x[i] * 64) * 73856093) ^ (Math.round(x[i] * 32) * 19349663)) & 1023;
    });
    agreeOn((x, n) => {
      for (const i of range(8)) {
        const cell = Math.floor(x[i] * 8192);
        let h = cell * 92837111;
        h = h ^ (cell * 689287499);
        n[i] = Math.abs(h) % 1024;
      }
    });
  });

  it('are kept by variables that are floats at times and integers at others', () => {
    agreeOn((x, n) => {
      const spread = (v: number): number => {
        v = (v | (v << 16)) & 0x030000ff;
        v = (v | (v << 8)) & 0x0300f00f;
        v = (v | (v << 4)) & 0x030c30c3;
        return (v | (v << 2)) & 0x09249249;
      };
      for (const i of range(8)) n[i] = spread(Math.min(1023, Math.floor(Math.abs(x[i]) * 512)));
    });
    agreeOn((x, n) => {
      for (const i of range(8)) {
        let a = x[i] * 65536;
        a = a | 0;
        for (const k of range(3)) a = ((a * 48271) | 0) + k;
        n[i] = a;
      }
    });
    agreeOn((x, n) => {
      for (const i of range(8)) {
        let v = Math.floor(x[i] * 131072);
        v = (v << 9) | 5;
        n[i] = i32(v % 1000) + (v > 16777217 ? 1 : 0);
      }
    });
  });

  it('and what is no 32 bits, asked whether it is there, is no number of 32 bits', () =>
    agreeOn((x, n) => {
      for (const i of range(8)) {
        let v = x[i] * 0.25;
        if (i % 2 === 0) v = n[i] | 3;
        n[i] = v ? v | 4 : 9;
      }
    }));

  it('but stay f32 where no digits are lost', () => {
    const text = (fn: (x: Float32Array, n: Int32Array) => void): string =>
      textOf(define([array('f32', 8), array('i32', 8)], fn, { name: 'k' }));
    expect(
      text((x, n) => {
        for (const i of range(8)) n[i] = (Math.floor(x[i]) + 1) & 255;
      }),
    ).not.toContain('f64');
  });
});

describe('a product that is too large for what follows', () => {
  const warnings = (body: string): readonly (readonly [string, number | undefined])[] =>
    lowered(define(['i32', 'f64'], fromText(`(s, x) => {\n${body} }`))).signature.warnings.map((w) => [
      w.code,
      w.loc?.column,
    ]);

  it('wraps, which a warning says', () => {
    expect(warnings('return (s * 16807) % 2147483647;')).toEqual([['lang/wraps', 9]]);
    expect(warnings('return (1013904223 + 1664525 * s) % 4294967296;')).toEqual([['lang/wraps', 22]]);
    expect(
      warnings('let t = 0; for (const p of serially(range(s))) t = (t * 9301 + 49297) % 233280; return t;'),
    ).toEqual([['lang/wraps', 53]]);
    expect(warnings('const next = (n) => (n * 48271) % 2147483647; return next(s);')).toEqual([['lang/wraps', 22]]);
  });

  it('wraps of arrays around the kernel that say no type, as sums and differences do', () => {
    const scope = {
      large: [4000000000, 3000000000, 5],
      near: [2000000000, -1500000000, 3],
      small: [50000, -7, 3],
      typed: Uint32Array.of(4000000000, 1),
    };
    const columns = (body: string): readonly (number | undefined)[] =>
      lowered(define(['i32', 'f64'], fromText(`(s, x) => {\n${body} }`), { scope })).signature.warnings.map((w) =>
        w.code === 'lang/wraps' ? w.loc?.column : undefined,
      );
    for (const body of [
      'return large[s] * 2;',
      'return large[s] - large[0];',
      'return x * (near[s] + near[0]);',
      'return small[s] * small[0];',
      'let t = 0; for (let k = 0; k < s; k++) t += large[k]; return t;',
      'const t = large[s] + 500000000; return t > x ? 1 : 2;',
      'return -large[s];',
      'return Math.max(large[s], 5) * 2;',
      'return (large[s] % 7) - 5;',
    ])
      expect([body, columns(body).length]).toEqual([body, 1]);
    for (const body of [
      'return large[s] + 200000000;',
      'return (large[s] * 3 + s) >>> 0;',
      'return x + ((large[s] + near[s]) | 0);',
      'let h = u32(s); for (let k = 0; k < s; k++) h = h * 31 + large[k]; return h;',
      'return typed[s] * 2;',
      'return f64(large[s]) * 2 + large[s] * 0.5 + x * large[s];',
      'return small[s] + small[0];',
      'return (large[s] % 7) * 2 + Math.min(large[s], 9) * 3;',
      'return (-large[s]) & 255;',
      'let t = 0; for (let k = 0; k < s; k++) t += small[k]; return t;',
      `let t = 0; const v = large[s]; ${'t = t + v;\n'.repeat(2000)} return t & 255;`,
      'let h = 0; for (let k = 0; k < s; k++) h = (h ^ large[k]) + large[k] & 65535; return h;',
    ])
      expect([body, columns(body)]).toEqual([body, []]);
  });

  it('has its last bits, which JavaScript rounds off beyond 53', () => {
    expect(warnings('return (s * 1103515245 + 12345) & 0x7fffffff;')).toEqual([['lang/wraps', 9]]);
    expect(warnings('return (u32(s) * 1664525 + 1013904223) >>> 0;')).toEqual([]);
    expect(warnings('return (u32(s) * 22695477) >>> 0;')).toEqual([['lang/wraps', 9]]);
    for (const body of [
      'return (Math.imul(s, 1103515245) + 12345) & 0x7fffffff;',
      'return (s * 31 + 7) | 0;',
      'return (((s & 0x0f0f0f0f) * 0x01010101) >>> 24);',
      'return (s & 1023) * 1103515245 & 0xffff;',
    ])
      expect([body, warnings(body)]).toEqual([body, []]);
    /* The compiler's own products. */
    const drawn = define(['i32'], (s: number) => (random() < 0.5 ? (s * 31) % 65537 : Math.clz32(s)));
    expect(lowered(drawn).signature.warnings).toEqual([]);
  });

  it('but does not where 32 bits are enough, or it has more, or is meant to', () => {
    for (const body of [
      'return (s * 31 + 7) % 65537;',
      'return ((s & 1023) * 48271) % 65537;',
      'let t = 0; for (const p of serially(range(1000))) t += (p * 48271) % 65537; return t;',
      'return i32((i64(s) * 16807) % 2147483647);',
      'return Math.imul(s, 16807) % 2147483647;',
      'return i32((u32(s) * 1664525) % 1000003);',
      'return (x * 16807) % 2147483647;',
      'return (s * 16807) % s;',
    ])
      expect([body, warnings(body)]).toEqual([body, []]);
  });
});

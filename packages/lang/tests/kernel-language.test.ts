import {
  accumulate,
  array,
  atomicAdd,
  atomicXor,
  f32,
  i32,
  idiv,
  inlined,
  mat,
  ndrange,
  random,
  randomInt,
  range,
  seedRandom,
  serially,
  sum,
  svd2,
  svd3,
  polar2,
  unrolled,
  vec,
} from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree, N } from './agree.js';
import { define, fromText, problemsOf, run } from './kernel-run.js';

const smoothstep = (lo: number, hi: number, x: number): number => {
  if (x <= lo) return 0;
  if (x >= hi) return 1;
  const t = (x - lo) / (hi - lo);
  return t * t * (3 - 2 * t);
};

describe('a kernel computes what its function computes', () => {
  it('loops to bounds that are elements, which the loop changes or not', () =>
    agree((a, k) => {
      const bump = (at: number): number => {
        if (k[3] < 9) k[3] += 1;
        return a[at];
      };
      let [s, r] = [0, 0];
      for (let n = k[0]; n < k[1]; n++) s += a[n & 15];
      for (let n = k[k[2] & 7] - 1; n >= k[4]; n--) s = s * 0.5 + n;
      for (let n = 0; n < k[3]; n++) s += bump(n);
      for (let n = 0; n < k[r & 7]; n++) r += n % 3;
      for (let n = 0; n < k[99]; n++) s = 1e9;
      for (let n = 0; n < k[5]; n++) k[5] = 2;
      k[6] = r;
      return s;
    }));

  it('arithmetic, casts and Math', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const y = a[i];
        a[i] = Math.sqrt(Math.abs(y)) + Math.sin(x * y) / 2 - (y % 1.5) + Math.max(y, x, 0.25) ** 0.5;
        a[i] += Math.floor(y) + Math.ceil(x) - Math.round(y * 3) + Math.trunc(x * 2) + Math.sign(y) + Math.hypot(x, y);
        k[i] = ((k[i] * 3 + (k[i] >> 1)) ^ (k[i] << 2)) % 7;
        k[i] += i32(y) - idiv(k[i], 3) + (k[i] >>> 28) + ~k[i] + Math.abs(k[i]) + Math.min(k[i], 4);
      }
    }));

  it('what is added to an element that it changes itself', () =>
    agree((a, k, x) => {
      const half = (i: number): number => {
        a[i] /= 2;
        return a[i] + x;
      };
      for (const i of range(k.length)) {
        k[i] += (k[i] -= 3) * 2;
        a[i] -= half(i);
        k[i] ^= k[i]++ & 5;
      }
    }));

  it('logical assignments to variables, elements, items and components', () =>
    agree((a, k, x) => {
      const twice = (y: number, by?: number): number => {
        by ??= 2;
        return y * by;
      };
      const shifted = (y: number, by?: number): number => {
        if (by === undefined) by = x;
        return y + by;
      };
      for (const i of range(k.length)) {
        k[i] ||= 7;
        a[i] &&= x;
        const parts = [k[i] % 2, 1, k[i] % 3];
        parts[i % 3] ||= 5;
        parts[1] &&= i;
        const v = vec(parts[0], parts[2]);
        v.y ||= a[i];
        let rest = k[i] % 4;
        rest ||= -1;
        const kept = (k[i] &&= rest + 1);
        let unset: number | undefined;
        unset ??= rest;
        a[i] = twice(v.x) + twice(v.y, 3) + shifted(kept) + shifted(1, 0) + unset;
      }
    }));

  it('whole numbers from rounding are stored as integers, and what is asked of texts and maps is known', () => {
    const mode = 'fast';
    const factors = new Map([[mode, 4]]);
    const odd = new Set([1, 3]);
    const pairs = { odd: [1, [2]], even: [3, [4]] } as const;
    agree(
      (a, k, x) => {
        for (const i of range(k.length)) {
          k[i] = Math.floor(k[i] / 3) + Math.round(x) * (k[i] & 3) + Math.sign(k[i]);
          k[i] += Math.trunc(a[i]) + (a[i] > 0 ? Math.ceil(a[i]) : 0);
          const [low, [high]] = i % 2 > 0 ? pairs.odd : pairs.even;
          const named = { [mode]: low, ['other']: high };
          a[i] += named.fast * named.other;
          if (mode.startsWith('f') && Boolean(k[i])) a[i] *= mode.length + (factors.get(mode) ?? 0);
          if (odd.has(2) || !factors.has('slow')) a[i] += 1;
        }
      },
      { mode, factors, odd, pairs },
    );
  });

  it('real division of integers, and literals that adapt', () =>
    agree((a, k) => {
      for (const i of range(k.length)) {
        const third = k[i] / 3;
        let s = 0;
        s += third;
        s = s + 1 / 7;
        a[i] = s * k[i] + i / 2;
      }
    }));

  it('if, else, ternaries and short circuits', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        let y = a[i] > 0 ? a[i] : k[i] > 3 ? -x : 1;
        if (y > 2 && k[i] !== 0) y -= 1;
        else if (y < -1 || !(k[i] < 5)) {
          y *= 0.5;
          if (x > 0) y += 1;
        } else y = Math.min(y, x);
        const big = y > 1 && a[(i + 1) % a.length] > y;
        a[i] = big ? y : y + 10;
      }
    }));

  it('while, do, for, break and continue', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        if (k[i] === 7) continue;
        let steps = 0;
        let y = Math.abs(a[i]) + 1;
        while (y > 1.5) {
          if (steps >= 12) break;
          steps++;
          if (steps % 3 === 0) continue;
          y /= 1.7;
        }
        do {
          y += 0.75;
          if (y > 4) break;
        } while (y < 3 + x);
        for (let j = 10; j > k[i]; j -= 3) {
          if (j % 2 === 0) continue;
          if (y > 20) break;
          y += j;
        }
        for (let j = 0; j <= 4; j++) y += j * x;
        for (let j = 1; j < 20; j *= 2) y -= j;
        k[i] = steps;
        a[i] = y;
      }
    }));

  it('for loops that count, up or down, to what stays the same or does not', () =>
    agree((a, k, x) => {
      let [steps, end] = [0, 3];
      for (let i = a.length - 2; i >= 0; i--) a[i] += 0.5 * a[i + 1];
      for (let i = a.length - 1; i > end; i -= 3) a[i] -= a[i - 2] * i;
      for (let i = 1; i < a.length - 1; i++) a[i] += 0.25 * a[i - 1];
      for (let i = 0; Math.min(k[0], 5) > i; i += 2) steps += i;
      for (let i = 9; 2 * end <= i; --i) steps += 10 * i;
      /* What the loop changes is asked for again. */
      for (let i = 0; i < end; i++) if (a[i] > 0 && end < 9) end++;
      for (let i = 2; i < k[1] - 1; i++) k[1] -= k[i & 7] & 1;
      for (let i = 0; i < x / 2; i++) steps += 100;
      for (let i = 5; i > x; i--) steps += 1000;
      for (let i = 2147483647; i >= 0; i -= 1000000000) steps++;
      for (let i = 0; i < 6; i--) if (i < -3) break;
      for (let i = end; i > 8; i++) if (i > 20) break;
      return steps * 100 + end;
    }));

  it('labels, and loops within loops', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        let found = -1;
        outer: for (let p = 0; p < 6; p++) {
          for (const q of range(p, 6)) {
            if (k[p] + k[q] === 11) continue outer;
            if (k[p] - k[q] === k[i]) {
              found = 10 * p + q;
              break outer;
            }
            if (q === 5 && p === 3) break;
            found -= 1;
          }
          found -= 100;
        }
        a[i] = found;
        box: {
          if (found < -200) break box;
          a[i] += 0.5;
        }
      }
    }));
});
describe('expressions that stand for statements', () => {
  it('&& and || and ternaries, of any values and none', () => {
    /* As text, since a linter refuses them. */
    const text = `(a, k, x) => {
      let sum = 0;
      for (const i of range(k.length)) {
        const twice = () => { a[i] *= 2; };
        k[i] && a[i] > x && (sum += 1);
        k[i] > 0 ? (a[i] = x) : k[i]++;
        (k[i] > 5 || (a[i] -= 1), i > 9) && (k[i] = 3);
        3 > 2 && (a[i] += i);
        k[i] % 2 && twice();
        for (let j = 0; j < 4; j > 1 ? (j += 2) : j++) k[i] += j;
      }
      return sum;
    }`;
    agree(new Function('range', `return ${text}`)(range) as Parameters<typeof agree>[0]);
  });
});

describe('sums and returned values', () => {
  it('accumulates over a parallel loop', () =>
    agree((a, k, x) => {
      let s = 0;
      let n = 3;
      let most = -100;
      let least = x;
      for (const i of range(1, a.length)) {
        s += a[i] * x;
        s -= k[i];
        if (a[i] > 0) n++;
        most = Math.max(most, a[i]);
        least = Math.min(a[i - 1], least);
      }
      for (const i of range(a.length)) a[i] = s + n;
      return s * n + most - least;
    }));

  it('returns early, and different values', () =>
    agree((a, k, x) => {
      if (x > 3) return -1;
      let s = 0;
      for (const i of range(a.length)) s += a[i];
      if (s > 0) {
        if (k[0] > 0) return s;
      } else return x;
      return 2;
    }));

  it('runs what is not a loop once', () =>
    agree(
      (a, k, x) => {
        let p = 1;
        let q = 1;
        for (let j = 0; j < 10; j++) [p, q] = [q, p + q];
        a[0] = p;
        k[1] += q;
        a[2] = smoothstep(0, 1, x);
        k[3]++;
        ++k[4];
        a[5] = k[6]++ + --k[7];
      },
      { smoothstep },
    ));
});

describe('what is known when it is compiled', () => {
  it('unrolled loops, arrays of known length, branches', () => {
    const weights = [0.25, 0.5, 0.25];
    const offsets = [
      [0, 1],
      [1, 0],
      [2, 2],
    ];
    const mode = 'fast';
    agree(
      (a, k, x) => {
        for (const i of range(a.length - 4)) {
          let s = 0;
          for (const o of unrolled(range(3))) s += weights[o] * a[i + o];
          for (const [p, q] of offsets) s += a[i + p] * q;
          const pair = [x, k[i]];
          for (const y of pair) s -= y;
          for (const y of unrolled(pair)) s += 2 * y;
          for (const [p, q] of unrolled(offsets)) s += a[i + q] * p;
          if (mode === 'fast') a[i] = s;
          else a[i] = (s as unknown as { nothing: number }).nothing;
          for (const [p, q] of unrolled(ndrange(2, [1, 3]))) {
            if (p === 1 && q === 2) continue;
            a[i] += p * 10 + q * x;
          }
          k[i] = offsets[(k[i] + 20) % 3][1] + offsets.length;
        }
      },
      { weights, offsets, mode },
    );
  });

  it('arrays of its own, written and read at computed indices', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        const counts = [0, 0, 0];
        const m = [
          [1, 2],
          [3, a[i]],
        ];
        for (let j = 0; j < 6; j++) counts[((k[j] % 3) + 3) % 3] += 1;
        counts[1] -= 2;
        m[1][0] = counts[2];
        const row = m[1];
        row[0] += 1;
        let pair = [1, k[i]];
        const other = [k[i], 2];
        if (k[i] > 3) pair = other;
        const copy = [...counts];
        copy[0] += pair[0] - pair[1];
        k[(i + 1) % 3] += copy[0];
        k[i] = counts[0] * 100 + counts[1] * 10 + counts[2];
        a[i] = row[0] + row[1] + m[i % 2][1];
      }
    }));
});

describe('functions', () => {
  it('of the scope, of the kernel, and of one another are inlined', () => {
    const clamp = (x: number, lo = -1, hi = 1): number => Math.min(Math.max(x, lo), hi);
    function newton(x: number): number {
      let y = x;
      for (let j = 0; j < 20; j++) {
        const next = 0.5 * (y + x / y);
        if (Math.abs(next - y) < 1e-3) return next;
        y = next;
      }
      return y;
    }
    const geometry = { area: (w: number, h: number): number => w * clamp(h) };
    const minmax = (p: number, q: number): [number, number] => (p < q ? [p, q] : [q, p]);
    const polar = ({ x, y }: { x: number; y: number }): { r: number; t: number } => ({
      r: Math.hypot(x, y),
      t: Math.atan2(y, x),
    });
    agree(
      (a, k, x) => {
        const twice = (y: number): number => y * 2 + x;
        function limited(y: number): number {
          if (y > 5) return 5;
          return y;
        }
        for (const i of range(a.length)) {
          const [lo, hi] = minmax(a[i], x);
          const { r, t } = polar({ x: lo, y: hi });
          a[i] =
            newton(Math.abs(a[i]) + 1) +
            smoothstep(-1, 2, x) +
            geometry.area(a[i], k[i]) +
            twice(limited(hi)) +
            r * t +
            clamp(lo);
        }
      },
      { newton, smoothstep, geometry, clamp, minmax, polar },
    );
  });

  it('take objects with defaults, which are made of others', () => {
    const options: { readonly scale: number; readonly shift?: number } = { scale: 3 };
    const none = undefined as { readonly w?: number } | undefined;
    const area = ({ w = 2, h = 5 }: { w?: number; h?: number }): number => w * h;
    agree(
      (a, k, x) => {
        const { scale, shift = 4 } = options;
        for (const i of range(a.length)) {
          const p = { w: a[i], other: k[i] };
          const q = { ...p, ...options, other: 2 };
          p.other += 1;
          a[i] = area({ ...q }) + area({ h: x, ...none }) + q.other + p.other + q.scale * scale + shift;
        }
      },
      { options, none, area },
    );
  });

  it('that call what they are given may be called again by that', () => {
    const twice = (f: (x: number) => number, x: number): number => f(f(x));
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          a[i] = sum(range(3), (p) => a[i] * sum(range(p + 1), (q) => q * x + sum(range(2), (r) => r - p)));
          k[i] = twice((p) => p + twice((q) => 2 * q - p, i), i);
        }
        return sum(range(a.length), (i) => sum(range(4), (j) => a[i] * j));
      },
      { twice },
    );
  });

  it('marked by inlined() bring their own scope', () => {
    const factor = 3;
    const triple = inlined((x: number) => x * factor, { factor });
    agree(
      (a) => {
        for (const i of range(a.length)) a[i] = triple(a[i]);
      },
      { triple },
    );
  });
});

describe('vectors and matrices', () => {
  it('have the usual algebra', () =>
    agree((a, k, x) => {
      for (const i of range(idiv(a.length, 4))) {
        let v = vec(a[4 * i], a[4 * i + 1]);
        const m = mat([a[4 * i], x], [k[i], 2]);
        for (let j = 0; j < 3; j++) v = m.mul(v).mul(0.25).add(vec(1, j));
        const w = vec(v.x, v.y, x);
        const c = w.cross(vec(1, 2, 3)).normalized();
        const [p, q] = v;
        const big = m.determinant() > 1 ? m.inverse() : m.transpose();
        a[4 * i] = v.dot(v) + c[2] + c.norm();
        a[4 * i + 1] = p - q + big[0][1] + big.trace();
        a[4 * i + 2] = w[k[i] > 0 ? 1 : 2] + v.outer(w)[1][2];
        a[4 * i + 3] = v.div(3).sub(v.min(0)).sum();
      }
    }));

  it('decompose', () =>
    agree((a, k, x) => {
      for (const i of range(2)) {
        const [U, s, V] = svd2(mat([a[0], a[1]], [x, a[i]]));
        const [U3, s3, V3] = svd3(mat([a[0], a[1], a[2]], [x, a[3], a[4]], [a[5], a[i], k[0]]));
        const [R, S] = polar2(mat([a[0], 1], [x, a[3]]));
        for (const p of unrolled(range(2))) {
          a[6 + p + 8 * i] = U[p][0] + V[1][p];
          a[8 + p + 8 * i] = s[p];
        }
        a[10 + 8 * i] = s3.dot(vec(1, 2, 3)) + U3.trace() + V3[2][0];
        a[11 + 8 * i] = R.trace() + S[0][1];
      }
    }));
});

describe('order and chance', () => {
  it('serial loops run in order', () =>
    agree((a, k) => {
      let last = 0;
      for (const i of serially(range(a.length))) {
        a[i] += last;
        last = a[i] / 2;
        if (k[i] > 15) break;
      }
      for (const t of serially(range(3))) for (const i of range(2, a.length, 3)) a[i] += t * a[i - 1];
      for (const [p, q] of serially(ndrange(3, [1, 4]))) last = last * 0.5 + p - q;
      return last;
    }));

  it('boxes are visited whole, whatever their bounds', () =>
    agree((a, k) => {
      for (const [p, q] of ndrange(4, [1, 6])) a[p * 5 + q - 1] += p - q;
      for (const [p, q] of ndrange([k[0], k[1]], 3)) if (p >= 0 && p < 8) a[p * 3 + q] += 1;
      for (const [p, q] of ndrange(2, [k[2], k[3]])) if (q >= 0 && q < 8) a[p * 8 + q] *= 2;
    }));

  it('random numbers are those of the host for the same seed', () => {
    const fn = (a: Float64Array, k: Int32Array): number => {
      const first = random();
      for (const i of range(a.length)) {
        a[i] = random() + first;
        if (k[i] > 0) a[i] += random();
        k[i] = randomInt();
      }
      for (let j = 0; j < 2; j++) for (const i of range(3)) a[i] += random();
      /* Loops within an iteration go on with its numbers. */
      for (const j of serially(range(2))) for (const i of range(3)) for (const q of range(2)) a[i + j] += q + random();
      for (const [p, q] of ndrange(2, 2)) a[p + 2 * q] -= random();
      return random();
    };
    const def = define([array('f64', N), array('i32', N)], fn, { float: 'f64' });
    for (const seed of [0, 1, 4294967295]) {
      const [a, b] = [new Float64Array(N), new Float64Array(N)];
      const [k, l] = [Int32Array.from(a, (_, i) => i % 3), Int32Array.from(a, (_, i) => i % 3)];
      seedRandom(seed);
      const expected = fn(a, k);
      expect(run(def, [b, l], seed)).toBe(expected);
      expect([...b]).toEqual([...a]);
      expect([...l]).toEqual([...k]);
    }
  });
});

describe('arrays', () => {
  it('are made of a length, searched, cut and taken with their indices', () => {
    const primes = [2, 3, 5, 7];
    agree(
      (a, k, x) => {
        for (const i of range(k.length)) {
          const b = new Array(5).fill(0);
          b[i % 5] += 3;
          b[2] = k[i];
          const rows = Array.from({ length: 2 }, (_, n) => Array(3).fill(n * x));
          rows[i & 1][i % 3] += a[i];
          let sum = 0;
          for (const [n, t] of primes.entries()) sum += n * t;
          let calls = 0;
          const some = b.some((y) => {
            calls += 1;
            return y > 2;
          });
          const every = Array.from([1, 2, i], (y) => y - 2).every((y, n) => y < n);
          const known = [1, k[i], 7].includes(i) || primes.includes(4);
          const [last] = primes.slice(-1);
          a[i] = rows[0][0] + 2 * rows[0][1] + 3 * rows[1][2] + 5 * rows[1][0];
          k[i] =
            sum +
            last +
            7 * b[2] +
            11 * b[4] +
            100 * calls +
            (some ? 1000 : 0) +
            (every ? 2000 : 0) +
            (known ? 4000 : 0);
        }
      },
      { primes },
    );
  });

  it('are not written outside, and not a number there', () => {
    const fn = (a: Float64Array, k: Int32Array, x: number): void => {
      for (const i of range(k.length)) {
        a[k[i]] = i;
        k[i] = Number.isNaN(a[k[i] + 1] * 1) ? -1 : 1;
        a[k[i] * 100] += x;
      }
    };
    const def = define([array('f64', 4), array('i32', 4), 'f64'], fn);
    const [a, b] = [new Float64Array(4), new Float64Array(4)];
    const [k, l] = [Int32Array.of(-1, 3, 4, 1000), Int32Array.of(-1, 3, 4, 1000)];
    fn(a, k, 2);
    run(def, [b, l, 2]);
    expect([...b]).toEqual([...a]);
    expect([...l]).toEqual([...k]);
  });
});

describe('arrays in arrays', () => {
  it('are written at indices that are known only when the kernel runs', () =>
    agree((a, k, x) => {
      for (const i of range(k.length)) {
        const w = [
          [0, 0, 0],
          [0, 0, 0],
        ];
        for (let p = 0; p < 2; p++)
          for (let q = 0; q < 3; q++) {
            w[p][q] += p * q + i;
            w[p][(p + q) % 3]++;
          }
        const o = [
          { n: 1, of: [x, 2] },
          { n: i, of: [3, a[i]] },
        ];
        o[i % 2].n += 5;
        o[(i + 1) % 2].of[i % 2] *= 3;
        o[1].of[0] -= 1;
        w[1] = [k[i], 1, 2];
        w[i % 2][2] = 9;
        k[i] = w[0][0] + 3 * w[0][1] + 5 * w[1][2] + 7 * w[1][0] + o[0].n * 11 + o[1].n;
        a[i] = o[0].of[0] + o[0].of[1] + o[1].of[0] - o[1].of[1];
      }
    }));
});

describe('types', () => {
  const typeOf = (fn: (x: number, n: number) => number | boolean, scope: Record<string, unknown> = {}): unknown =>
    run(define(['f32', 'i32'], fn, { scope }), [0.1, 7]);

  it('f32 rounds after every operation, i32 wraps', () => {
    expect(typeOf((x, n) => x * 3 + n)).toBe(Math.fround(Math.fround(Math.fround(0.1) * 3) + 7));
    expect(typeOf((_, n) => n * 1000000007)).toBe(Math.imul(7, 1000000007));
    expect(typeOf((x) => x > 0)).toBe(true);
    expect(typeOf((x) => f32(0.1) === x)).toBe(true);
  });

  it('a local is the join of all it is assigned', () => {
    expect(
      typeOf((x, n) => {
        let s = 0;
        for (let j = 0; j < n; j++) s += x;
        return s;
      }),
    ).toBeCloseTo(0.7, 6);
  });
});

it('compound assignments of narrow and unsigned integers wrap as typed arrays do', () => {
  const fn = (a: Uint8Array, b: Uint32Array, c: Int16Array): void => {
    a[0] -= 1;
    a[1] += 250;
    a[2] *= 3;
    for (const q of range(3)) {
      a[q] -= 1;
      b[q] -= 2;
      b[q] -= b[3];
      c[q] -= c[3];
      c[q] += 5;
    }
  };
  const arrays = (): [Uint8Array, Uint32Array, Int16Array] => [
    Uint8Array.of(0, 100, 100, 9),
    Uint32Array.of(0, 5, 7, 3),
    Int16Array.of(-32768, 4, 5, 1),
  ];
  const [expected, got] = [arrays(), arrays()];
  fn(...expected);
  run(define([array('u8', 4), array('u32', 4), array('i16', 4)], fn), got);
  expect(got).toEqual(expected);
});

it('words for atomics wrap narrow integers in loops in sequence as in parallel ones', () => {
  const fn = (a: Uint8Array, b: Int16Array, old: Int32Array): void => {
    for (const q of range(2)) old[q] = atomicAdd(a, q, 200) + atomicAdd(b, q, 32000) + atomicXor(a, q, 3);
    for (const q of serially(range(2, 4))) old[q] = atomicAdd(a, q, 200) + atomicAdd(b, q, 32000) + atomicXor(a, q, 3);
    for (const q of serially(range(2, 4))) accumulate(b, q, -1);
  };
  const arrays = (): [Uint8Array, Int16Array, Int32Array] => [
    Uint8Array.of(9, 100, 9, 100),
    Int16Array.of(1, 2000, 1, 2000),
    new Int32Array(4),
  ];
  const [expected, got] = [arrays(), arrays()];
  fn(...expected);
  run(define([array('u8', 4), array('i16', 4), array('i32', 4)], fn), got);
  expect(got).toEqual(expected);
});

it('loops that are parallel may stand in branches', () =>
  agree((a, _, x) => {
    let s = 1;
    if (x > 0) {
      for (const q of range(a.length)) s += a[q];
    } else s = -1;
    for (let t = 0; t < 2; t++) for (const q of range(a.length)) a[q] += s;
    return s;
  }));

describe('functions of Math that are made of others', () => {
  const inverses = [Math.asinh, Math.acosh, Math.atanh];
  const samples = [0, 1, -1, 0.5, -0.5, 1e-9, -1e-9, 1e-30, 0.9999, 1.0001, 3, -3, 40.7, 1e5, -1e10, 1e30, 3e38];

  it.each([
    ['f64', 5e-16],
    ['f32', 3e-7],
  ] as const)('inverse hyperbolic functions of %s, near zero, near one and far away', (type, error) => {
    const compiled = [
      define([type], (x: number) => Math.asinh(x), { float: type }),
      define([type], (x: number) => Math.acosh(x), { float: type }),
      define([type], (x: number) => Math.atanh(x), { float: type }),
    ];
    for (const x of [...samples, 1.7e308, Infinity, -Infinity, NaN].map((x) => (type === 'f32' ? Math.fround(x) : x)))
      inverses.forEach((fn, k) => {
        const [expected, got] = [fn(x), Number(run(compiled[k], [x]))];
        if (Number.isFinite(expected)) expect(Math.abs(got - expected)).toBeLessThanOrEqual(error * Math.abs(expected));
        else expect(got).toBe(expected);
      });
  });

  it('of whole numbers, which are not summed as such', () => {
    const def = define(['i32'], (n: number) => Math.asinh(n) + Math.acosh(n), { float: 'f64' });
    for (const n of [1, 7, 46341, 2 ** 31 - 1]) expect(run(def, [n])).toBeCloseTo(Math.asinh(n) + Math.acosh(n), 12);
    expect(run(def, [-(2 ** 31)])).toBeNaN();
  });

  it('zeros before the first bit, of floats those of their whole part', () => {
    const def = define(['i32'], (n: number) => Math.clz32(n));
    for (const n of [0, 1, 2, 3, 255, 256, 12345, 2 ** 30, 2 ** 31 - 1, -1, -(2 ** 31)])
      expect(run(def, [n])).toBe(Math.clz32(n));
    expect(
      run(
        define(['u32'], (n: number) => Math.clz32(n) + Math.clz32(9)),
        [2 ** 31 + 5],
      ),
    ).toBe(28);
    for (const x of [0.5, 5.5, -1.5, 2 ** 40, NaN])
      expect(
        run(
          define(['f32'], (x: number) => Math.clz32(x)),
          [x],
        ),
      ).toBe(Math.clz32(x));
  });

  it('there is every function of Math but those that are for other things', () => {
    const other = ['random', 'f16round', 'sumPrecise'];
    const refused = Object.entries(Object.getOwnPropertyDescriptors(Math)).filter(([name, { value }]) => {
      if (typeof value !== 'function') return false;
      const args = Array.from({ length: Math.max(1, value.length) }, () => 'n');
      const fn = fromText(`(n) => Math.${name}(${args.join(', ')})`);
      return problemsOf(define(['i32'], fn)).length > 0;
    });
    expect(refused.map(([name]) => name).filter((name) => !other.includes(name))).toEqual([]);
  });
});

describe('fractions of an array of the surroundings', () => {
  const T = [0.1, 0.2, 1 / 3];

  it('are those of the array where they are used with f64, and rounded with f32', () => {
    const scope = { T };
    const wide = define(['f64', 'i32'], (x: number, n: number) => x + T[n], { scope });
    const narrow = define(['f32', 'i32'], (x: number, n: number) => x + T[n], { scope });
    const both = define(
      [array('f64', 3), array('f32', 3)],
      (a: Float64Array, b: Float32Array) => {
        for (const k of range(3)) {
          let s = 0;
          s += T[k];
          a[k] = s * 3;
          b[k] = T[k];
        }
      },
      { scope },
    );
    expect(run(wide, [1, 2])).toBe(1 + 1 / 3);
    expect(run(narrow, [1, 2])).toBe(Math.fround(1 + Math.fround(1 / 3)));
    const [a, b] = [new Float64Array(3), new Float32Array(3)];
    run(both, [a, b]);
    expect([...a]).toEqual(T.map((t) => t * 3));
    expect([...b]).toEqual(T.map(Math.fround));
  });
});

it('a range may begin at the least integer', () =>
  agree((a) => {
    let s = 0;
    for (const q of serially(range(-2147483648, 2147483647, 2000000000))) s += q / 2 ** 20;
    for (const q of range(-2147483648, -2147483646)) a[q & 1] = s;
  }));

describe('a step that is known when the kernel runs', () => {
  const trips = define(['i32', 'i32', 'i32'], (from: number, to: number, by: number) => {
    let count = 0;
    for (let once = 0; once < 1; once++) for (const i of range(from, to, by)) count += i >= from ? 1 : 100;
    return count;
  });

  it.each([
    [0, 10, 3, 4],
    [5, 5, 1, 0],
    [0, 10, 0, 0],
    [0, 10, -1, 0],
    [0, 10, -(2 ** 31), 0],
    [2_000_000_000, 2 ** 31 - 1, 2_000_000_000, 1],
    [-(2 ** 31), 2 ** 31 - 1, 2 ** 31 - 1, 3],
  ])('from %i to %i by %i', (from, to, by, count) => expect(run(trips, [from, to, by])).toBe(count));
});

it('what an object has is known: comparisons with null and undefined, and calls that may not be there', () => {
  const given: Record<string, unknown> = { v: 3, nul: null, twice: (x: number) => 2 * x };
  const compared = ['v', 'nul', 'none'].flatMap((name) =>
    ['===', '!==', '==', '!='].flatMap((op) =>
      ['undefined', 'void 0', 'null'].map((to) => `given.${name} ${op} ${to}`),
    ),
  );
  const calls = ['given.twice?.(k)', 'given.none?.(k)', 'given.none?.deep.twice(k)', 'given?.twice(k)'];
  const values = [...compared.map((c) => `(${c} ? 1 : 2)`), ...calls.map((c) => `(${c} ?? -1)`)];
  const text = `(k) => [${values.join(', ')}].reduce((s, x) => (3 * s + x) % 65536, 0)`;
  const plain = new Function('given', `return ${text}`)(given) as (k: number) => number;
  expect(run(define(['i32'], fromText(text), { scope: { given } }), [5])).toBe(plain(5));
});

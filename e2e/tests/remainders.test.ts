import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { array, dense, field, i, kernel, layout, program, range } from 'filigree';
import { describe, expect, it } from 'vitest';

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = [['wasm', wasm()] as const, ...(hasCompiler ? [['cpp', cpp()] as const] : [])];

/* Below the divisor, at it and beyond, of each sign, and at the ends. */
const ends = [0, 1, -1, 2, -2, 3, 7, -7, 8, 100, -100, 2147483647, -2147483648, -2147483647];
const pairs = ends.flatMap((a) => ends.filter((b) => b !== 0).map((b) => [a, b] as const));
const n = pairs.length;
const rest = field('rest', 'i32');
const whole = field('whole', 'u32');
const long = field('long', 'i64');

const divided = kernel(
  [
    rest,
    whole,
    long,
    array('i32', n),
    array('i32', n),
    array('u32', n),
    array('u32', n),
    array('i64', n),
    array('i64', n),
  ],
  (rest, whole, long, a, b, c, d, e, f) => {
    for (const k of range(a.length)) {
      rest[k] = a[k] % b[k];
      whole[k] = c[k] % d[k];
      long[k] = e[k] % f[k];
    }
  },
);

describe.each(backends)('remainders by numbers that are known when a kernel runs, on %s', (_, backend) => {
  it('are those of JavaScript, of every sign', async () => {
    const sim = await program({ layout: layout(dense(i, n).place(rest, whole, long)), kernels: { divided }, backend });
    const [a, b] = [0, 1].map((k) => Int32Array.from(pairs, (pair) => pair[k]));
    const [c, d] = [a, b].map((x) => Uint32Array.from(x));
    const [e, f] = [a, b].map((x) => BigInt64Array.from(x, (v) => BigInt(v) * 3001n));
    sim.run.divided(a, b, c, d, e as never, f as never);
    const all = (of: 'rest' | 'whole' | 'long'): readonly number[] =>
      pairs.map((_, k) => Number(sim.fields[of].get(k)));
    expect(all('rest')).toEqual(pairs.map(([x, y]) => (x % y) + 0));
    expect(all('whole')).toEqual(pairs.map(([x, y]) => (x >>> 0) % (y >>> 0)));
    expect(all('long')).toEqual(pairs.map(([x, y]) => Number((BigInt(x) * 3001n) % (BigInt(y) * 3001n))));
  });
});

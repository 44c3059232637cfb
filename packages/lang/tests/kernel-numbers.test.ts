import { array, i16, i32, i64, i8, ndrange, random, range, seedRandom, u16, u32, u64, u8 } from '@filigree/lang';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { define, fromText, problemsOf, run, textOf } from './kernel-run.js';

/** What a kernel over eight doubles leaves in them; its text is given where no tool may print it anew. */
const outcome = (
  fn: unknown,
  scope: Readonly<Record<string, unknown>> = {},
  float: 'f32' | 'f64' = 'f64',
): number[] => {
  const out = new Float64Array(8);
  run(
    define(
      [array('f64', 8)],
      typeof fn === 'string' ? fromText(`(o) => { for (const k of range(8)) { ${fn} } }`) : fn,
      { scope, float, name: 'k' },
    ),
    [out],
  );
  return [...out];
};

/** The problems of such a kernel. */
const codes = (body: string, scope: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  problemsOf(
    define([array('f64', 8)], fromText(`(o) => { for (const k of range(8)) { ${body} } }`), { scope, name: 'k' }),
  ).map((d) => `${d.code} ${d.loc?.line}:${d.loc?.column}`);

const of = (f: (k: number) => number): number[] => Array.from({ length: 8 }, (_, k) => f(k));

describe('shifts', () => {
  it('to the right with zeros keep u32 and u64, and make u32 of i32', () => {
    const shifted = (k: number): number => {
      let x = k + 1;
      for (let q = 0; q < 2; q++) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
      }
      return x >>> 0;
    };
    expect(shifted(0)).toBe(67634689);
    const body =
      'let x = u32(k + 1); for (let q = 0; q < 2; q++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } o[k] = f64(x);';
    expect(outcome(body)).toEqual(of(shifted));
    expect(outcome('const x = u32(k + 1) * 2654435769; o[k] = f64((x >>> 7) | (x << 25));')).toEqual(
      of((k) => {
        const x = Math.imul(k + 1, 2654435769 | 0);
        return (x >>> 7) | (x << 25);
      }),
    );
    expect(outcome('const n = k - 4; o[k] = f64((n >>> 0) + u32(0));')).toEqual(of((k) => (k - 4) >>> 0));
    expect(outcome('o[k] = f64(u64(3) << k) + f64((u64(3) << 60) >>> k);')).toEqual(
      of((k) => 3 * 2 ** k + Number(((3n << 60n) & 0xffffffffffffffffn) >> BigInt(k))),
    );
  });
});

describe('tables of the scope', () => {
  it('have the type of a typed array, and of others the least that holds them', () => {
    expect(outcome('o[k] = u32(T[k % 2]);', { T: Uint32Array.of(0xdeadbeef, 1) }, 'f32')).toEqual(
      of((k) => (k % 2 ? 1 : 3735928559)),
    );
    expect(outcome('o[k] = T[k % 2];', { T: [0xdeadbeef, 1] }, 'f32')).toEqual(of((k) => (k % 2 ? 1 : 3735928559)));
    expect(outcome('o[k] = f64(T[k % 2]);', { T: [2 ** 52 + 1, -1] }, 'f32')).toEqual(
      of((k) => (k % 2 ? -1 : 2 ** 52 + 1)),
    );
    expect(outcome('o[k] = f64(T[k % 2] >>> 60);', { T: BigUint64Array.of(2n ** 63n, 0n) }, 'f32')).toEqual(
      of((k) => (k % 2 ? 0 : 8)),
    );
    expect(outcome('o[k] = T[k % 2] * T[k % 2] * 1000;', { T: Float64Array.of(1e6, 3) })).toEqual(
      of((k) => (k % 2 ? 9e3 : 1e15)),
    );
    expect(outcome('o[k] = T[0] * T[0] * 1000;', { T: Float64Array.of(1e6, 3) })).toEqual(of(() => 1e15));
  });
});

describe('literals', () => {
  it('with a point are floats, and do not wrap', () => {
    expect(outcome('o[k] = 2.0 * k * 1000000000;')).toEqual(of((k) => 2e9 * k));
    expect(outcome('o[k] = k * 5e9;')).toEqual(of((k) => k * 5e9));
    expect(outcome('let s = 1.0; for (let q = 0; q < 40; q++) s *= 2; o[k] = s;')).toEqual(of(() => 2 ** 40));
  });

  it('are floats where the text was printed anew, as their author spelled them', () => {
    /* The tool that runs tests prints 1.0 as 1, and 1000 as 1e3. */
    const doubled = (o: Float64Array): void => {
      for (const k of range(8)) {
        let s = 1.0;
        for (let q = 0; q < 40; q++) s *= 2;
        o[k] = s + 1e9 * k;
      }
    };
    expect(outcome(doubled)).toEqual(of((k) => 2 ** 40 + 1e9 * k));
    const whole = (o: Float64Array): void => {
      for (const k of range(8)) o[k] = i32((k + 7) / 1000) + ((k + 1000) & 1023);
    };
    expect(outcome(whole)).toEqual(of((k) => (k + 1000) & 1023));
  });

  it('and folds that overflow are diagnostics', () => {
    expect(codes('o[k] = k * (i32(2000000000) * 2);')).toEqual([expect.stringContaining('lang/literal')]);
    expect(codes('let s = 3000000000; s += s; o[k] = i32(5) - 9007199254740993;')).not.toEqual([]);
    expect(codes('o[k] = f64(0x10000000000000000n);')).toEqual([expect.stringContaining('lang/literal')]);
  });

  it('of BigInt have 64 bits', () => {
    expect(outcome('o[k] = f64((3n << 40n) + i64(k));')).toEqual(of((k) => 3 * 2 ** 40 + k));
    expect(outcome('o[k] = f64(0xffffffffffffffffn - u64(k));')).toEqual(
      of((k) => Number(0xffffffffffffffffn - BigInt(k))),
    );
  });

  it('and constants of u64 that would be negative wrap', () => {
    expect(outcome('o[k] = f64(u64(1) - u64(2));')).toEqual(of(() => 2 ** 64));
    expect(outcome('o[k] = f64(u64(-1) / u64(2));')).toEqual(of(() => 2 ** 63));
    expect(outcome('o[k] = f64(idiv(u64(0) - u64(1), u64(16)) + u64(k));')).toEqual(of(() => 2 ** 60));
  });
});

it('norms of integers are floats', () => {
  expect(outcome('o[k] = vec(k + 60000, k + 60000).norm();')).toEqual(of((k) => Math.sqrt(2 * (k + 60000) ** 2)));
});

describe('variables', () => {
  it('are not read before they have a value', () => {
    expect(codes('let a; if (k > 1) a = 3; o[k] = a;')).toEqual(['lang/unassigned 1:70']);
    expect(outcome('let a; if (k > 1) a = 3; else a = 4; o[k] = a;')).toEqual(of((k) => (k > 1 ? 3 : 4)));
    expect(codes('let a; for (let q = 0; q < k; q++) a = q; o[k] = a;')).toEqual(['lang/unassigned 1:87']);
  });

  it('of var belong to their function', () => {
    expect(outcome('if (k > 2) { var t = 1; } else { var t = 2; } o[k] = t;')).toEqual(of((k) => (k > 2 ? 1 : 2)));
    expect(codes('if (k > 2) { var t = 1; } o[k] = t;')).toEqual(['lang/unassigned 1:71']);
    expect(outcome('for (var q = 0; q < k; q++) {} o[k] = q;')).toEqual(of((k) => k));
  });
});

it('functions that call themselves are named, with the place', () => {
  const problem = (scope: Readonly<Record<string, unknown>>, call: string): string => {
    const [d] = problemsOf(define([array('f64', 8)], fromText(`(o) => { o[0] = ${call}; }`), { scope }));
    return `${d.code} ${d.message} ${String(d.loc?.line !== undefined)}`;
  };
  const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));
  const even = (n: number): number => (n === 0 ? 1 : odd(n - 1));
  const odd = (n: number): number => (n === 0 ? 0 : even(n - 1));
  expect(problem({ factorial }, 'factorial(o[0])')).toMatch(/lang\/recursion `factorial` calls itself.* true/);
  expect(problem({ even, odd }, 'odd(o[0])')).toMatch(/lang\/recursion `odd` calls itself.* true/);
  expect(problem({ factorial }, 'factorial(300)')).toMatch(
    /lang\/recursion `factorial` calls itself more than 100 deep.* true/,
  );
  const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
  expect(problem({ fibonacci }, 'fibonacci(30)')).toMatch(/`fibonacci` calls itself more than 1000 times.* true/);
});

describe('boxes', () => {
  it('of more elements than an i32 counts are not counted by one', () => {
    const text = textOf(
      define([array('f64', 8)], fromText('(o) => { for (const [p, q] of ndrange(3, 1431655766)) o[p] += q; }')),
    );
    expect(text).toContain('1431655766');
    expect(text).not.toMatch(/\b2 : i32|: i32 = 2\b/);
  });

  it('are visited whole, in order of their axes', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.boolean()), { minLength: 2, maxLength: 4 }),
        (axes) => {
          const names = axes.map((_, a) => `x${a}`);
          const bounds = axes.map(([n, known], a) => (known ? String(n) : `n[${a}]`));
          const at = names.reduce((sum, x) => `(${sum}) * 6 + ${x}`);
          const text = `(o, n) => { for (const [${names.join(', ')}] of ndrange(${bounds.join(', ')})) o[${at}] += 1; }`;
          const [expected, found] = [new Float64Array(6 ** 4), new Float64Array(6 ** 4)];
          const sizes = Int32Array.from([...axes.map(([n]) => n), 0, 0, 0, 0].slice(0, 4));
          for (const place of ndrange(...axes.map(([n]) => n)))
            expected[(place as number[]).reduce((sum, x) => sum * 6 + x)] += 1;
          run(define([array('f64', 6 ** 4), array('i32', 4)], fromText(text)), [found, sizes]);
          expect([...found]).toEqual([...expected]);
        },
      ),
      { numRuns: 40 },
    ));
});

describe('casts', () => {
  it('are the same of known numbers, of numbers that become known when the kernel runs, and on the host', () => {
    const wholes = [-1, 0, 255, 256, -129, 65536, 2147483647, 4294967295, -2147483648, 2 ** 40 + 3, -(2 ** 33) - 7];
    const fractions = [-1.5, 0.5, 300.5, -129.5, 70000.5, 4294967296.5, -2147483649.5];
    const casts = { i8, i16, i32, i64, u8, u16, u32, u64 };
    for (const [name, cast] of Object.entries(casts))
      for (const x of [...wholes, ...fractions]) {
        const source = Number.isInteger(x) ? `T[k]` : 'F[k]';
        const scope = { T: wholes.slice(0, 8).fill(x), F: Float64Array.from({ length: 8 }, () => x) };
        const [found] = outcome(`o[k] = k % 2 === 0 ? f64(${name}(${x})) : f64(${name}(${source}));`, scope);
        const [, unfolded] = outcome(`o[k] = f64(${name}(${source}));`, scope);
        expect([name, x, found, unfolded]).toEqual([name, x, cast(x), cast(x)]);
      }
  });
});

describe('random numbers', () => {
  const draws = (o: Float64Array): void => {
    for (const k of range(8)) o[k] = random();
  };

  it('of f32 are those of f64, cut off', () => {
    const [double, single, host] = [outcome(draws), outcome(draws, {}, 'f32'), new Float64Array(8)];
    seedRandom(0);
    draws(host);
    expect(double).toEqual([...host]);
    expect(single).toEqual(double.map((x) => Math.floor(x * 2 ** 24) / 2 ** 24));
    expect(double.some((x) => (x * 2 ** 52) % 1 !== 0)).toBe(true);
  });

  it('refuse what is no seed', () => {
    expect(() => seedRandom(-1)).toThrow('a seed is a whole number');
  });
});

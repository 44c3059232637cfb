import { DiagnosticError } from '@filigree/ir';
import {
  active,
  assumeInRange,
  cache,
  hostGrid,
  inlined,
  ndrange,
  random,
  randomInt,
  range,
  launchSeed,
  seedRandom,
  serially,
  sparseGrid,
  unrolled,
  vec,
  type Grid2,
} from '@filigree/lang';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};

describe('loops', () => {
  it('run over ranges', () => {
    expect([...range(3)]).toEqual([0, 1, 2]);
    expect([...range(-1, 2)]).toEqual([-1, 0, 1]);
    expect([...range(1, 8, 3)]).toEqual([1, 4, 7]);
    expect([...range(2, 2)]).toEqual([]);
    expect([...serially(range(2)), ...unrolled(range(2)), ...serially(new Uint8Array([7, 8]))]).toEqual([
      0, 1, 0, 1, 7, 8,
    ]);
  });

  it('run over boxes, the last index fastest', () => {
    expect([...ndrange(2, [5, 7])]).toEqual([
      [0, 5],
      [0, 6],
      [1, 5],
      [1, 6],
    ]);
    const bounds = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 3 }));
    fc.assert(
      fc.property(bounds, bounds, bounds, (a, b, c) => {
        const expected: number[][] = [];
        for (let i = a[0]; i < a[1]; i++)
          for (let j = b[0]; j < b[1]; j++) for (let k = c[0]; k < c[1]; k++) expected.push([i, j, k]);
        expect([...ndrange(a, b, c)]).toEqual(expected);
      }),
    );
  });

  it('run over all elements of nested arrays', () => {
    expect([...active([4, 5])]).toEqual([0, 1]);
    expect([...active(new Float32Array(2))]).toEqual([0, 1]);
    expect([...active(hostGrid([2, 2], vec(0, 0)))]).toEqual([...ndrange(2, 2)]);
    expect([...active([[[7, 8]], [[]], [[9]]])]).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [2, 0, 0],
    ]);
  });

  it('do not run into what they append or activate', () => {
    const lists = [[1, 2], [3]];
    for (const [i, k] of active(lists)) lists[i].push(lists[i][k]);
    expect(lists).toEqual([
      [1, 2, 1, 2],
      [3, 3],
    ]);
    const line = sparseGrid([Infinity], 0);
    line[0] = 1;
    for (const i of active(line)) line[i + 1] = line[i] + 1;
    expect([...active(line)]).toEqual([0, 1]);
  });

  it('refuse bounds that are no whole numbers', () => {
    expect(codeOf(() => range(2.5))).toBe('lang/range');
    expect(codeOf(() => range(0, 4, 0))).toBe('lang/range');
    expect(codeOf(() => range(4, 0, -1))).toBe('lang/range');
    expect(codeOf(() => ndrange([0, NaN]))).toBe('lang/range');
    expect(codeOf(() => [...active(5 as never)])).toBe('lang/host-grid');
  });
});

describe('a kernel body as plain TypeScript', () => {
  const diffuse = (u: Grid2, v: Grid2, dt: number): void => {
    for (const [i, j] of active(u))
      v[i][j] = u[i][j] + dt * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j]);
  };

  it('computes the same on dense and sparse grids', () => {
    const n = 6;
    const [u, v] = [sparseGrid([Infinity, Infinity], 0), sparseGrid([Infinity, Infinity], 0)];
    for (const [i, j] of ndrange(n, n)) u[i][j] = (i * 7 + j * 3) % 5;
    diffuse(u, v, 0.1);
    /* A dense grid with a border of zeros. */
    const padded = hostGrid([n + 2, n + 2], (i, j) =>
      i > 0 && j > 0 && i <= n && j <= n ? ((i - 1) * 7 + (j - 1) * 3) % 5 : 0,
    );
    for (const [i, j] of ndrange(n, n)) {
      const at = (a: number, b: number): number => padded[i + 1 + a][j + 1 + b];
      expect(v[i][j]).toBe(at(0, 0) + 0.1 * (at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0)));
    }
  });

  it('takes hints, and checks promises', () => {
    const u = hostGrid([4], 1);
    cache(u);
    expect(assumeInRange(5, 3, 0, 3)).toBe(5);
    expect(codeOf(() => assumeInRange(6, 3, 0, 3))).toBe('lang/assume-in-range');
    expect(codeOf(() => assumeInRange(2, 3, 0, 3))).toBe('lang/assume-in-range');
  });

  it('calls inlined functions', () => {
    const half = inlined((x: number) => x / 2);
    expect(half(3)).toBe(1.5);
  });
});

describe('random numbers', () => {
  /* The specification once more, in another arithmetic. */
  const word = (x: bigint): bigint => x & 0xffffffffn;
  const mix = (x: bigint): bigint => {
    const a = word((x ^ (x >> 16n)) * 0x7feb352dn);
    const b = word((a ^ (a >> 15n)) * 0x846ca68bn);
    return b ^ (b >> 16n);
  };
  const rotate = (x: bigint, bits: bigint): bigint => word(x << bits) | (x >> (32n - bits));
  const stream = (seed: bigint, coordinates: readonly number[]): (() => bigint) & { readonly float: () => number } => {
    let a = mix(seed ^ 0x243f6a88n);
    let b = mix(word(seed + 0x85a308d3n));
    for (const c of coordinates.map((x) => word(BigInt(x)))) {
      a = mix(a ^ c);
      b = mix(word(b + c));
    }
    b = word(2n * b + 1n);
    const scrambled = (x: bigint): bigint => word(rotate(word(x * 0x9e3779bbn), 5n) * 5n);
    const next = (): bigint => {
      const bits = scrambled(a);
      b ^= a;
      a = rotate(a, 26n) ^ b ^ word(b << 9n);
      b = rotate(b, 13n);
      return bits;
    };
    const float = (): number => {
      const low = scrambled(b) >> 11n;
      return Number((next() << 21n) | low) / 2 ** 53;
    };
    return Object.assign(next, { float });
  };

  it('are those of the specification, in every iteration', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: -5, max: 5 }), (seed, from) => {
        seedRandom(seed);
        const body = stream(BigInt(launchSeed(seed, 0)), []);
        expect(randomInt()).toBe(Number(body() >> 1n));
        const loop = body();
        for (const [i, j] of ndrange([from, from + 2], 2)) {
          const iteration = stream(loop, [i, j]);
          expect(random()).toBe(iteration.float());
          for (const k of range(2)) expect([k, randomInt()]).toEqual([k, Number(iteration() >> 1n)]);
        }
        const second = body();
        for (const i of range(3)) {
          expect([i, randomInt()]).toEqual([i, Number(stream(second, [i])() >> 1n)]);
          if (i === 1) break;
        }
        for (const i of serially(range(2))) expect([i, randomInt()]).toEqual([i, Number(body() >> 1n)]);
      }),
      { numRuns: 20 },
    );
  });

  it('go on after an exception in a loop', () => {
    seedRandom(1);
    const body = stream(BigInt(launchSeed(1, 0)), []);
    body();
    expect(() => {
      for (const i of range(3)) throw new RangeError(`stopped at ${i}`);
    }).toThrow('stopped at 0');
    expect(randomInt()).toBe(Number(body() >> 1n));
  });

  /** χ² of values in [0, 1) over `cells` cells; with 99.99 % it lies within four and a half deviations of its mean. */
  const isUniform = (values: readonly number[], cells: number): void => {
    const counts = new Array<number>(cells).fill(0);
    for (const x of values) counts[Math.floor(x * cells)]++;
    const expected = values.length / cells;
    const chi2 = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(Math.abs(chi2 - (cells - 1))).toBeLessThan(4.5 * Math.sqrt(2 * (cells - 1)));
  };

  it('are uniform, along an iteration and across iterations', () => {
    seedRandom(2024);
    const [first, second, along]: number[][] = [[], [], []];
    for (const i of range(40000)) {
      first[i] = random();
      second[i] = random();
    }
    for (const i of serially(range(40000))) along[i] = random();
    for (const values of [first, second, along]) isUniform(values, 256);
    const pairs = (a: readonly number[], b: readonly number[]): number[] =>
      a.map((x, k) => (Math.floor(x * 16) + Math.floor(b[k] * 16) / 16) / 16);
    isUniform(pairs(first, second), 256);
    isUniform(pairs(first.slice(1), first), 256);
    isUniform(pairs(along.slice(1), along), 256);
    /* Low bits as well as high ones. */
    isUniform(
      first.map((x) => (x * 2 ** 16) % 1),
      256,
    );
  });

  it('differ between seeds', () => {
    const drawn = (seed: number): number[] => {
      seedRandom(seed);
      const values: number[] = [];
      for (const i of range(100)) values[i] = random();
      return values;
    };
    expect(drawn(1)).toEqual(drawn(1));
    const [a, b] = [drawn(1), drawn(2)];
    expect(a.filter((x, i) => x === b[i])).toEqual([]);
  });
});

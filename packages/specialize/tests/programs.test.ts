import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ARITHMETIC, symbolicMath as m, type Arithmetic, type Num } from '@filigree/ir';
import { defaultOptions, trace, type Program } from '@filigree/specialize';
import { numbers, relativeError, runProgram } from './support.js';

const list = (x: unknown): Num[] => x as Num[];

describe('numeric programs through all stages', () => {
  it('computes the toy example of §4.2.3', () => {
    const program: Program = {
      inputs: { v: 4 },
      run: ({ v }) => {
        const [a, b, c, d] = list(v);
        const r = m.sqrt(m.add(m.mul(a, a), m.mul(b, b)));
        const s = m.mul(c, m.add(a, d));
        return {
          out: [
            m.add(r, a),
            m.add(m.add(m.mul(s, r), s), m.sin(m.add(a, d))),
            m.add(m.add(m.mul(a, a), m.mul(b, b)), m.mul(a, b)),
          ],
        };
      },
    };
    const { outputs } = runProgram(program, { v: [3, 4, 2, 0.5] });
    expect(relativeError(outputs.out, [8, 2 * 3.5 * 5 + 2 * 3.5 + Math.sin(3.5), 25 + 12])).toBeLessThan(1e-15);
  });

  it('keeps few structures of springs along the edges of a mesh, step after step, however its boundary looks', () => {
    const n = 20;
    const springs: (readonly [number, number])[] = [];
    for (let i = 0; i + 1 < n; i++)
      for (let j = 0; j + 1 < n; j++) {
        const v = i * n + j;
        const faces =
          (7 * i + 3 * j) % 2 > 0
            ? [v, v + 1, v + n, v + 1, v + n + 1, v + n]
            : [v, v + 1, v + n + 1, v, v + n + 1, v + n];
        for (const k of [0, 3]) for (const e of [0, 1, 2]) springs.push([faces[k + e], faces[k + ((e + 1) % 3)]]);
      }
    const run = (given: Record<string, Num[]>): Record<string, Num[]> => {
      let [x, y, vx, vy] = [given.x, given.y, given.vx, given.vy];
      for (let step = 0; step < 3; step++) {
        const [fx, fy] = [x.map((): Num => 0), x.map((): Num => -9.8)];
        for (const [i, j] of springs) {
          const [dx, dy] = [m.sub(x[j], x[i]), m.sub(y[j], y[i])];
          const length = m.sqrt(m.add(m.mul(dx, dx), m.mul(dy, dy)));
          const c = m.div(m.mul(100, m.sub(length, 1)), length);
          fx[i] = m.add(fx[i], m.mul(c, dx));
          fy[i] = m.add(fy[i], m.mul(c, dy));
          fx[j] = m.sub(fx[j], m.mul(c, dx));
          fy[j] = m.sub(fy[j], m.mul(c, dy));
        }
        vx = vx.map((v, i) => m.add(v, m.mul(0.01, fx[i])));
        vy = vy.map((v, i) => m.add(v, m.mul(0.01, fy[i])));
        x = x.map((p, i) => m.add(p, m.mul(0.01, vx[i])));
        y = y.map((p, i) => m.add(p, m.mul(0.01, vy[i])));
      }
      return { endX: x, endY: y };
    };
    const size = n * n;
    const given = Object.fromEntries(['x', 'y', 'vx', 'vy'].map((name, k) => [name, numbers(size, k + 1)]));
    const program: Program = { inputs: { x: size, y: size, vx: size, vy: size }, run: (x) => run(x as never) };
    const { outputs, specialized } = runProgram(program, given, {}, 'exact');
    expect(specialized.kernels).toBeLessThan(64);
    const plain = run(Object.fromEntries(Object.entries(given).map(([name, of]) => [name, [...of]])));
    for (const [name, of] of Object.entries(plain)) expect([...outputs[name]], name).toEqual(of);
  });

  it('keeps few structures of steps on a graph whose vertices are neighbours of few or many others by chance', () => {
    const n = 1000;
    let seed = 7;
    const random = (below: number): number =>
      Math.floor((below * (seed = (seed * 1103515245 + 12345) % 2 ** 31)) / 2 ** 31);
    const neighbours = Array.from({ length: n }, (_, i) => [...new Set([0, 1, 2].map(() => (i + 1 + random(40)) % n))]);
    const run = (given: Record<string, Num[]>): Record<string, Num[]> => {
      let { x } = given;
      for (let step = 0; step < 10; step++) {
        const now = x;
        x = now.map((own, k) => {
          const [i, c] = [Math.floor(k / 2), k % 2];
          const sum = neighbours[i].reduce((s: Num, j) => m.add(s, m.mul(given.w[j], now[2 * j + c])), 0);
          const weight = neighbours[i].reduce((s: Num, j) => m.add(s, given.w[j]), 0);
          return m.add(own, m.mul(0.5, m.sub(m.div(sum, weight), own)));
        });
      }
      return { end: x };
    };
    const given = { x: numbers(2 * n, 1), w: numbers(n, 2).map((v) => 2 + Math.abs(v)) };
    const program: Program = { inputs: { x: 2 * n, w: n }, run: (x) => run(x as never) };
    const { outputs, specialized } = runProgram(program, given, {}, 'exact');
    expect(specialized.kernels).toBeLessThan(64);
    expect([...outputs.end]).toEqual(run({ x: [...given.x], w: [...given.w] }).end);
  });

  it('keeps few structures of powers of a band, of which the outer diagonals grow, and of a Fourier transform', () => {
    const n = 30;
    const band: Program = {
      inputs: { a: 3 * n },
      run: ({ a }) => {
        const of = list(a);
        let power = new Map<string, Num>(
          of.map((v, k) => [`${Math.floor(k / 3)} ${Math.floor(k / 3) + (k % 3) - 1}`, v]),
        );
        for (let k = 1; k < 12; k++) {
          const next = new Map<string, Num>();
          for (const [at, v] of power) {
            const [i, j] = at.split(' ').map(Number);
            for (const d of [-1, 0, 1]) {
              if (j < 0 || j >= n) continue;
              const to = `${i} ${j + d}`;
              const term = m.mul(v, of[3 * j + d + 1]);
              const before = next.get(to);
              next.set(to, before === undefined ? term : m.add(before, term));
            }
          }
          power = next;
        }
        return { power: [...power.values()] };
      },
    };
    const points = 128;
    const fourier: Program = {
      inputs: { re: points, im: points },
      run: ({ re, im }) => {
        const transform = (x: readonly (readonly [Num, Num])[]): readonly (readonly [Num, Num])[] => {
          if (x.length === 1) return x;
          const [even, odd] = [0, 1].map((k) => transform(x.filter((_, i) => i % 2 === k)));
          const turned = odd.map(([a, b], k): readonly [Num, Num] => {
            const [c, s] = [Math.cos((-2 * Math.PI * k) / x.length), Math.sin((-2 * Math.PI * k) / x.length)];
            return [m.sub(m.mul(a, c), m.mul(b, s)), m.add(m.mul(a, s), m.mul(b, c))];
          });
          return [
            ...even.map(([a, b], k): readonly [Num, Num] => [m.add(a, turned[k][0]), m.add(b, turned[k][1])]),
            ...even.map(([a, b], k): readonly [Num, Num] => [m.sub(a, turned[k][0]), m.sub(b, turned[k][1])]),
          ];
        };
        const found = transform(list(re).map((v, k) => [v, list(im)[k]] as const));
        return { real: found.map(([a]) => a), imaginary: found.map(([, b]) => b) };
      },
    };
    for (const program of [band, fourier]) {
      const given = Object.fromEntries(
        Object.entries(program.inputs).map(([name, length], k) => [name, numbers(length as number, k + 1)]),
      );
      const { outputs, specialized } = runProgram(program, given, {}, 'exact');
      expect(specialized.kernels).toBeLessThan(40);
      const plain = program.run(
        Object.fromEntries(Object.entries(given).map(([k, v]) => [k, [...v]])) as never,
        undefined!,
      );
      for (const [name, of] of Object.entries(plain)) expect([...outputs[name]], name).toEqual(of);
    }
  });

  it('finds the faces of a mesh as blocks without tags', () => {
    const n = 12;
    const faces: number[] = [];
    for (let i = 0; i + 1 < n; i++)
      for (let j = 0; j + 1 < n; j++) {
        const v = i * n + j;
        faces.push(v, v + 1, v + n, v + 1, v + n + 1, v + n);
      }
    const cotans = (V: Num[]): Num[] => {
      const sum: Num[] = new Array<Num>(n * n).fill(0);
      const sub = (p: number, q: number): Num[] => [0, 1, 2].map((k) => m.sub(V[3 * p + k], V[3 * q + k]));
      const dot = (a: Num[], b: Num[]): Num => m.add(m.add(m.mul(a[0], b[0]), m.mul(a[1], b[1])), m.mul(a[2], b[2]));
      for (let f = 0; f < faces.length; f += 3) {
        const [a, b, c] = [faces[f], faces[f + 1], faces[f + 2]];
        const u = sub(b, a);
        const v = sub(c, a);
        const cross = [0, 1, 2].map((k) =>
          m.sub(m.mul(u[(k + 1) % 3], v[(k + 2) % 3]), m.mul(u[(k + 2) % 3], v[(k + 1) % 3])),
        );
        const area = m.sqrt(dot(cross, cross));
        for (const [p, q, r] of [
          [a, b, c],
          [b, c, a],
          [c, a, b],
        ]) {
          const w = m.div(dot(sub(q, p), sub(r, p)), area);
          sum[q] = m.add(sum[q], w);
          sum[r] = m.add(sum[r], w);
        }
      }
      return sum;
    };
    const V = numbers(3 * n * n, 3);
    const { outputs, specialized } = runProgram(
      { inputs: { V: 3 * n * n }, run: ({ V: s }) => ({ w: cotans(list(s)) }) },
      { V },
    );
    expect(relativeError(outputs.w, cotans([...V]) as number[])).toBeLessThan(1e-12);
    /* Three cotangents a face are all that is kept; a corner's may be an output at once. */
    const kept = specialized.module.buffers.find((b) => b.role === 'temp')!.length;
    expect(kept).toBeLessThanOrEqual(faces.length);
    expect(specialized.launches).toBe(2);
  });

  it('evaluates a tagged block in one kernel (§4.2.4)', () => {
    const program: Program = {
      inputs: { v: 2 },
      run: ({ v }, { block }) => {
        const [a, b] = list(v);
        const r = m.sqrt(m.add(m.mul(a, a), m.mul(b, b)));
        return { out: block([m.add(m.mul(b, r), a), m.add(m.mul(a, r), b)]) };
      },
    };
    const { outputs, specialized } = runProgram(
      program,
      { v: [3, 4] },
      { decompose: { ...defaultOptions.decompose, detectBlocks: false } },
    );
    expect([...outputs.out]).toEqual([23, 19]);
    expect(specialized.kernels).toBe(1);
    expect(specialized.module.buffers.some((b) => b.role === 'temp')).toBe(false);
  });

  it('writes outputs that are inputs, numbers, or repeated', () => {
    const program: Program = {
      inputs: { v: 3 },
      run: ({ v }) => {
        const x = list(v);
        const p = m.mul(x[0], x[1]);
        return { out: [x[2], 7, p, p, p, p, p, p, x[0], 8, 8], none: [] };
      },
    };
    const { outputs } = runProgram(program, { v: [2, 3, 5] });
    expect([...outputs.out]).toEqual([5, 7, 6, 6, 6, 6, 6, 6, 2, 8, 8]);
    expect(outputs.none.length).toBe(0);
  });

  it('selects by symbolic conditions', () => {
    const f = (x: Num, y: Num): Num => m.select(m.and(m.lt(x, y), m.not(m.eq(x, 0))), m.div(y, x), m.max(x, y));
    const program: Program = {
      inputs: { x: 4, y: 4 },
      run: ({ x, y }) => ({ out: list(x).map((v, i) => f(v, list(y)[i])) }),
    };
    const x = [1, 0, 3, -2];
    const y = [2, 5, 1, 4];
    expect([...runProgram(program, { x, y }).outputs.out]).toEqual(x.map((v, i) => f(v, y[i])));
  });

  it('equals plain numbers on random straight-line programs', () => {
    const step = fc.tuple(
      fc.constantFrom('add', 'sub', 'mul', 'div', 'min', 'max', 'hypot'),
      fc.nat(1000),
      fc.nat(1000),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 6 }), (steps, copies) => {
        const run = (x: readonly Num[]): Num[] => {
          const values: Num[] = [...x, 2, 0.25];
          for (const [op, a, b] of steps)
            values.push(m[op as 'add'](values[a % values.length], values[b % values.length]));
          return values.slice(x.length);
        };
        const inputs = numbers(3 * copies, steps.length);
        const all = (x: readonly Num[]): Num[] =>
          Array.from({ length: copies }, (_, c) => run(x.slice(3 * c, 3 * c + 3))).flat();
        const expected = all([...inputs]) as number[];
        fc.pre(expected.every((v) => Number.isFinite(v) && Math.abs(v) < 1e6));
        const program: Program = { inputs: { x: inputs.length }, run: ({ x }) => ({ out: all(list(x)) }) };
        const traced = trace({ arithmetic: 'exact' }).run(program);
        expect(traced).toMatchObject({ _tag: 'Right' });
        expect([...runProgram(program, { x: inputs }, {}, 'exact').outputs.out]).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('trace', () => {
  const codeOf = (program: Program, arithmetic: Arithmetic = DEFAULT_ARITHMETIC): string => {
    const e = trace({ arithmetic }).run(program);
    return E.isLeft(e) ? e.left[0].code : 'none';
  };
  it('refuses what cannot be a number', () => {
    const byZero: Program = {
      inputs: { x: 1 },
      run: ({ x }) => ({ out: [m.div(list(x)[0], m.sub(list(x)[0], list(x)[0]))] }),
    };
    expect(codeOf(byZero, 'algebraic')).toBe('trace/not-a-number');
    /* Plain numbers give infinity for most. */
    expect(codeOf(byZero, 'exact')).toBe('none');
    expect(codeOf(byZero, 'range-keeping')).toBe('none');
    /* Comparisons with NaN are false, and hypot of an infinity is infinite. */
    expect(codeOf({ inputs: { x: 1 }, run: ({ x }) => ({ out: [m.select(m.lt(NaN, list(x)[0]), 1, 2)] }) })).toBe(
      'none',
    );
    expect(codeOf({ inputs: { x: 1 }, run: ({ x }) => ({ out: [m.hypot(NaN, list(x)[0])] }) })).toBe('none');
    expect(codeOf({ inputs: { x: 1 }, run: () => ({ out: [NaN] }) }, 'algebraic')).toBe('trace/not-a-number');
    const second = trace({ arithmetic: 'algebraic' }).run({
      inputs: { x: 1 },
      run: ({ x }) => ({ out: [1, m.mul(list(x)[0], m.div(1, 0 as Num)), m.log(m.sub(NaN, list(x)[0]))] }),
    });
    expect(E.isLeft(second) && second.left[0].message).toContain("element 2 of output 'out'");
    expect(codeOf({ inputs: { x: 1 }, run: () => ({ out: ['a' as unknown as number] }) })).toBe('trace/non-numeric');
    const holes = trace().run({
      inputs: { x: 2 },
      run: ({ x }) => ({ out: [list(x), [list(x)[0], list(x)[5]]] }),
    });
    expect(E.isLeft(holes) && holes.left[0].message).toBe("element [1][1] of output 'out' is undefined, not a number");
    expect(codeOf({ inputs: { x: 1 }, run: ({ x }) => ({ x: list(x) }) })).toBe('trace/name');
    expect(codeOf({ inputs: { x: -1 }, run: () => ({}) })).toBe('trace/shape');
    expect(codeOf({ inputs: { x: 1 }, run: ({ x }) => ({ out: [(list(x)[0] as unknown as number) + 1] }) })).toBe(
      'symbol/as-number',
    );
  });
  it('lets what is NaN in the plain program be NaN, and warns of it', () => {
    const program: Program = {
      inputs: { x: 2 },
      run: ({ x }) => ({
        out: [1, m.mul(list(x)[0], m.div(0, 0 as Num)), list(x)[1], m.log(m.sub(NaN, list(x)[1])), NaN],
        sound: list(x),
      }),
    };
    for (const arithmetic of ['exact', 'range-keeping'] as const) {
      const traced = trace({ arithmetic }).run(program);
      expect(E.isRight(traced) && traced.right.warnings).toMatchObject([
        {
          severity: 'warning',
          code: 'trace/not-a-number',
          message: "element 1 of output 'out' is NaN whatever the inputs, and so are 2 others of its elements",
        },
      ]);
      expect([...runProgram(program, { x: [3, 4] }, {}, arithmetic).outputs.out]).toEqual([1, NaN, 4, NaN, NaN]);
    }
  });
  it('lets a guarded division stand', () => {
    expect(
      codeOf({
        inputs: { x: 1 },
        run: ({ x }) => ({ out: [m.select(m.lt(list(x)[0], 0), m.div(1, m.sub(list(x)[0], list(x)[0])), 1)] }),
      }),
    ).toBe('none');
  });
});

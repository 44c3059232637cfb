import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, walk, type Num, type Region } from '@filigree/ir';
import { plainElements, trace, type ElementsWord, type Program } from '@filigree/specialize';
import { numbers, relativeError, right, runProgram } from './support.js';

const N = 5;
const COUNT = 6;

/** An energy of five numbers by elements: what they are, what is done with their sums, and whether the body says it in two parts. */
interface Recipe {
  readonly tables: readonly [readonly number[], readonly number[]];
  readonly body: number;
  readonly use: number;
  readonly passive: boolean;
}
const index = fc.array(fc.integer({ min: 0, max: N - 1 }), { minLength: COUNT, maxLength: COUNT });
const recipes: fc.Arbitrary<Recipe> = fc.record({
  tables: fc.tuple(index, index),
  body: fc.integer({ min: 0, max: 5 }),
  use: fc.integer({ min: 0, max: 6 }),
  passive: fc.boolean(),
});

const bodies: readonly ((a: Num, b: Num, k: Num) => Num)[] = [
  (a, b, k) => m.mul(k, m.pow(m.sub(a, b), 2)),
  (a, b, k) => m.mul(m.sin(m.mul(a, k)), m.exp(b)),
  (a, b, k) => m.hypot(m.add(a, 2), m.mul(k, b)),
  (a, b, k) => m.select(m.lt(a, 0.9), m.mul(a, m.mul(a, b)), m.add(m.mul(k, b), m.mul(a, a))),
  (a, b, k) => m.div(m.mul(a, k), m.add(b, 3)),
  (a, _, k) => m.mul(a, k),
];

/** The energy on numbers or symbols. */
const energyOf = (r: Recipe, x: readonly Num[], k: readonly Num[], elements: ElementsWord): Num => {
  const [i, j] = r.tables.map((t) => Int32Array.from(t));
  const sums: Num[] = new Array<Num>(N).fill(0);
  const total: Num[] = [0];
  const constants = r.passive ? Array.from(k, (v) => m.mul(v, m.add(v, 1))) : [1, 2, 1, 2, 0.25, 1];
  elements(COUNT, { x, constants, sums, total, i, j }, ({ x, constants, sums, total, i, j }, e) => {
    const value = bodies[r.body](x[i], x[j], constants[e]);
    total[0] = m.add(total[0], value);
    total[0] = m.sub(total[0], m.mul(value, x[j]));
    sums[i] = m.add(sums[i], value);
  });
  const whole = total[0];
  switch (r.use) {
    case 0:
      return whole;
    case 1:
      return m.sub(m.mul(k[0], m.mul(x[0], x[1])), m.mul(m.mul(2, k[1]), whole));
    case 2:
      return m.sqrt(m.add(m.mul(whole, whole), 1));
    case 3: {
      const again: Num[] = [0];
      elements(COUNT, { sums, x, again, i }, ({ sums, x, again, i }, e) => {
        again[0] = m.add(again[0], m.mul(sums[i], m.add(x[i], m.mul(1e-3, k[0]))));
        void e;
      });
      return again[0];
    }
    case 4:
      return sums.reduce((a, b) => m.add(a, b), whole);
    case 5:
      return m.add(whole, m.mul(sums[2], sums[3]));
    default: {
      const again: Num[] = [sums[1], whole];
      elements(COUNT, { x, again, i }, ({ x, again, i }) => {
        again[0] = m.add(again[0], m.sin(x[i]));
        again[1] = m.add(again[1], x[i]);
      });
      return m.add(again[0], again[1]);
    }
  }
};

describe.each(ARITHMETICS)('derivatives of what elements compute, %s arithmetic', (arithmetic) => {
  it('agree with differences of the plain energy', () => {
    fc.assert(
      fc.property(recipes, (r) => {
        const x = numbers(N, 3);
        const k = numbers(COUNT, 4);
        const plain = (at: ArrayLike<number>): number => energyOf(r, Array.from(at), [...k], plainElements) as number;
        const program: Program = {
          inputs: { x: N, k: COUNT },
          run: (given, { elements, gradient, hessian, jacobian }) => {
            const [xs, ks] = [given.x as Num[], given.k as Num[]];
            const energy = energyOf(r, xs, ks, elements);
            /* Of what does not depend on x there is none. */
            const g = gradient(m.add(energy, m.mul(xs[0], xs[0])), xs);
            const H = hessian(m.add(energy, m.mul(xs[0], xs[0])), xs);
            const again = jacobian(g, xs);
            return {
              g,
              H,
              rows: [...H.pattern.rowPtr],
              cols: [...H.pattern.colIdx],
              J: again,
              rowsJ: [...again.pattern.rowPtr],
              colsJ: [...again.pattern.colIdx],
            };
          },
        };
        const { outputs } = runProgram(program, { x, k }, {}, arithmetic);
        const whole = (v: ArrayLike<number>): number => plain(v) + v[0] * v[0];
        const moved = (...by: (readonly [number, number])[]): number =>
          whole(x.map((v, c) => by.reduce((s, [at, t]) => (at === c ? s + t : s), v)));
        const h = 1e-5;
        const slope = Array.from(x, (_, c) => (moved([c, h]) - moved([c, -h])) / (2 * h));
        expect(relativeError(outputs.g, slope)).toBeLessThan(1e-6);
        const t = 2e-4;
        const second = Array.from({ length: N * N }, (_, c) => {
          const [a, b] = [Math.floor(c / N), c % N];
          return (
            (moved([a, t], [b, t]) - moved([a, t], [b, -t]) - moved([a, -t], [b, t]) + moved([a, -t], [b, -t])) /
            (4 * t * t)
          );
        });
        expect(relativeError(dense(outputs.H, outputs.rows, outputs.cols), second)).toBeLessThan(1e-4);
        expect(relativeError(dense(outputs.J, outputs.rowsJ, outputs.colsJ), second)).toBeLessThan(1e-4);
      }),
      { numRuns: 30 },
    );
  });
});

const dense = (values: ArrayLike<number>, rows: ArrayLike<number>, cols: ArrayLike<number>): number[] => {
  const out = new Array<number>(N * N).fill(0);
  for (let i = 0; i < N; i++) for (let e = rows[i]; e < rows[i + 1]; e++) out[i * N + cols[e]] = values[e];
  return out;
};

describe('derivatives of many terms of one form', () => {
  /* Springs of a long chain, one of which is doubled: (x[i+1] − x[i])⁴ k/4, with second derivatives ±3k(x[i+1] − x[i])². */
  const LINKS = 700;
  const chain = (half: 'lower' | 'both'): Program => ({
    inputs: { x: LINKS + 1, k: LINKS },
    run: ({ x, k }, { gradient, hessian }) => {
      const [xs, ks] = [x as Num[], k as Num[]];
      let energy: Num = 0;
      ks.forEach((stiffness, i) => {
        energy = m.add(energy, m.div(m.mul(stiffness, m.pow(m.sub(xs[i + 1], xs[i]), 4)), 4));
      });
      return { g: gradient(energy, xs), H: hessian(energy, xs, { half }) };
    },
  });
  const x = numbers(LINKS + 1, 5);
  const k = numbers(LINKS, 6);

  it('are those by hand, and their templates are made once', () => {
    const { outputs, specialized } = runProgram(chain('lower'), { x, k });
    const bend = Array.from(k, (s, i) => 3 * s * (x[i + 1] - x[i]) ** 2);
    const rows = Array.from(x, (_, i) => {
      const diagonal = (bend[i - 1] ?? 0) + (bend[i] ?? 0);
      return i === 0 ? [diagonal] : [-bend[i - 1], diagonal];
    }).flat();
    const force = Array.from(x, (_, i) => {
      const pull = (l: number): number => (l < 0 || l >= LINKS ? 0 : k[l] * (x[l + 1] - x[l]) ** 3);
      return pull(i - 1) - pull(i);
    });
    expect(relativeError(outputs.H, rows)).toBeLessThan(1e-13);
    expect(relativeError(outputs.g, force)).toBeLessThan(1e-13);
    const traced = trace().run(chain('lower'));
    expect(traced._tag === 'Right' && traced.right.elements.map((e) => e.count)).toEqual([LINKS, LINKS]);
    expect(specialized.kernels).toBeLessThan(12);
  });

  it('have one node for the two entries that mirror each other', () => {
    const { outputs } = runProgram(chain('both'), { x, k });
    expect(outputs.H.length).toBe(3 * (LINKS + 1) - 2);
    /* Row 1: columns 0, 1, 2; row 0: columns 0, 1. */
    expect(outputs.H[1]).toBe(outputs.H[2]);
  });
});

describe('derivatives of functions of what elements add up to', () => {
  /* A torus of triangles in the plane; at each vertex the square of the sum of what faces pull, by the sum of their areas: every vertex has six faces, which it shares. */
  const SIDE = 17;
  const vertex = (i: number, j: number): number => ((i + SIDE) % SIDE) * SIDE + ((j + SIDE) % SIDE);
  const faces = Array.from({ length: SIDE * SIDE }, (_, f) => [Math.floor(f / SIDE), f % SIDE]).flatMap(([i, j]) => [
    [vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)],
    [vertex(i + 1, j + 1), vertex(i, j + 1), vertex(i + 1, j)],
  ]);
  const corners = [0, 1, 2].map((c) => Int32Array.from(faces, (f) => f[c]));
  const all = Int32Array.from({ length: SIDE * SIDE }, (_, v) => v);
  const program = (second: boolean): Program => ({
    inputs: { x: [SIDE * SIDE, 2] },
    run: ({ x }, { elements, gradient, hessian }) => {
      const points = x as Num[][];
      const pull = points.map((): Num[] => [0, 0]);
      const area: Num[] = points.map(() => 0);
      elements(faces.length, { points, pull, area, corners }, ({ points, pull, area, corners }) => {
        corners.forEach((i, c) => {
          const [j, k] = [corners[(c + 1) % 3], corners[(c + 2) % 3]];
          const [a, b] = [j, k].map((v) => points[v].map((p, d) => m.sub(p, points[i][d])));
          const size = m.sqrt(m.add(m.pow(m.sub(m.mul(a[0], b[1]), m.mul(a[1], b[0])), 2), 1));
          const weight = m.div(m.add(m.mul(a[0], b[0]), m.mul(a[1], b[1])), size);
          for (const d of [0, 1]) {
            const g = m.mul(weight, m.sub(points[j][d], points[k][d]));
            pull[j][d] = m.add(pull[j][d], g);
            pull[k][d] = m.sub(pull[k][d], g);
          }
          area[i] = m.add(area[i], size);
        });
      });
      const energy: Num[] = [0];
      elements(all.length, { pull, area, energy, all }, ({ pull, area, energy, all }) => {
        const [u, v] = pull[all];
        energy[0] = m.add(energy[0], m.div(m.add(m.mul(u, u), m.mul(v, v)), area[all]));
      });
      const [e] = energy;
      return { energy: [e], g: gradient(e, points), ...(second && { H: hessian(e, points) }) };
    },
  });
  const x = numbers(2 * all.length, 3);

  it('look at each face once, by one template', () => {
    const traced = right(trace().run(program(true)));
    /* The sums, their first and second derivatives, by faces; what of them is multiplied. */
    const byFaces = traced.elements.filter((e) => e.count === faces.length);
    expect(byFaces.length).toBe(4);
  });

  it('agree with central differences', () => {
    const traced = right(trace().run(program(true)));
    const { rowPtr, colIdx } = traced.outputs.find(({ name }) => name === 'H')!.pattern!;
    const along = numbers(x.length, 4);
    const moved = (t: number) => runProgram(program(t === 0), { x: x.map((v, i) => v + t * along[i]) }).outputs;
    const [{ g, H }, ahead, behind] = [moved(0), moved(1e-5), moved(-1e-5)];
    const product = x.map((_, i) =>
      colIdx.subarray(rowPtr[i], rowPtr[i + 1]).reduce((sum, j, e) => sum + H[rowPtr[i] + e] * along[j], 0),
    );
    expect(
      relativeError(
        product,
        ahead.g.map((g, i) => (g - behind.g[i]) / 2e-5),
      ),
    ).toBeLessThan(1e-7);
    const slope = g.reduce((sum, f, i) => sum + f * along[i], 0);
    expect(slope).toBeCloseTo((ahead.energy[0] - behind.energy[0]) / 2e-5, 3);
  });
});

it('derivatives by what elements compute count what their bodies compute from it, and what is computed again', () => {
  const at = Int32Array.of(2, 0, 1, 2);
  const program: Program = {
    inputs: { x: 3 },
    run: ({ x }, { elements, gradient, hessian, jacobian }) => {
      const y: Num[] = [0, 0, 0, 0];
      const [within, again]: Num[][] = [[0], [0]];
      const from = (v: Num): Num => m.mul(m.sin(v), v);
      elements(4, { x: x as Num[], at, y, within }, ({ x, at, y, within }, e) => {
        y[e] = from(x[at]);
        within[0] = m.add(within[0], m.mul(x[at], m.pow(from(x[at]), 3)));
      });
      elements(4, { x: x as Num[], at, again }, ({ x, at, again }) => {
        again[0] = m.add(again[0], m.mul(x[at], m.pow(from(x[at]), 3)));
      });
      /* Elements 0 and 3 compute the same: as nodes they are one value. */
      const by = y.slice(0, 3);
      return {
        within: gradient(within[0], by),
        again: gradient(again[0], by),
        H: hessian(again[0], by),
        J: jacobian([within[0], m.mul(again[0], 2)], by),
      };
    },
  };
  const x = numbers(3, 8);
  const { outputs } = runProgram(program, { x });
  const of = [2, 0, 1].map((i) => ({ x: x[i], y: Math.sin(x[i]) * x[i], times: i === 2 ? 2 : 1 }));
  const first = of.map(({ x, y, times }) => times * 3 * x * y ** 2);
  for (const name of ['within', 'again']) expect(relativeError(outputs[name], first)).toBeLessThan(1e-13);
  expect(relativeError(outputs.J, [...first, ...first.map((d) => 2 * d)])).toBeLessThan(1e-13);
  expect(
    relativeError(
      outputs.H,
      of.map(({ x, y, times }) => times * 6 * x * y),
    ),
  ).toBeLessThan(1e-13);
});

it('a factor of a term beside elements that is written as a variable is none', () => {
  const program: Program = {
    inputs: { x: 2, w: 2 },
    run: (given, { elements, gradient }) => {
      const [x, w] = [given.x as Num[], given.w as Num[]];
      const a = x.map((v, i) => m.mul(v, w[i]));
      const total: Num[] = [0];
      elements(2, { a, total }, ({ a, total }, e) => {
        total[0] = m.add(total[0], m.sin(a[e]));
      });
      return { g: gradient(m.add(total[0], m.mul(m.mul(a[0], w[0]), x[0])), a) };
    },
  };
  const [x, w] = [numbers(2, 3), numbers(2, 4)];
  const { outputs } = runProgram(program, { x, w });
  const expected = Array.from(x, (v, i) => Math.cos(v * w[i]) + (i === 0 ? v * w[i] : 0));
  expect(relativeError(outputs.g, expected)).toBeLessThan(1e-14);
});

describe('elements that compute much of the same', () => {
  const n = 200;
  const i = Int32Array.from({ length: n }, (_, e) => (7 * e) % 50);
  const j = Int32Array.from({ length: n }, (_, e) => (11 * e + 3) % 50);
  const x = numbers(50, 3);

  it('are one unit, as an energy and its gradient: functions are called once an element', () => {
    const program: Program = {
      inputs: { x: 50 },
      run: ({ x }, { elements, gradient }) => {
        const energy: Num[] = [0];
        elements(n, { x: x as Num[], energy, i, j }, ({ x, energy, i, j }) => {
          energy[0] = m.add(energy[0]!, m.mul(m.exp(m.mul(x[i]!, x[j]!)), m.sin(x[i]!)));
        });
        return { energy, g: gradient(energy[0]!, x as Num[]) };
      },
    };
    const { outputs, specialized } = runProgram(program, { x }, {}, 'exact');
    const g = new Array<number>(50).fill(0);
    let energy = 0;
    for (let e = 0; e < n; e++) {
      const [a, b] = [x[i[e]!]!, x[j[e]!]!];
      energy += Math.exp(a * b) * Math.sin(a);
      g[i[e]!]! += Math.exp(a * b) * (b * Math.sin(a) + Math.cos(a));
      g[j[e]!]! += Math.exp(a * b) * a * Math.sin(a);
    }
    expect([...outputs['energy']!]).toEqual([energy]);
    expect(relativeError(outputs['g']!, g)).toBeLessThan(1e-13);
    const calls = (name: string): number => JSON.stringify(specialized.module.kernels).split(`"${name}"`).length - 1;
    expect([calls('math.exp'), calls('math.sin'), calls('math.cos')]).toEqual([1, 1, 1]);
  });

  it('stay apart where they have leaves in common and no more', () => {
    const program: Program = {
      inputs: { x: 50 },
      run: ({ x }, { elements }) => {
        const [a, b]: [Num[], Num[]] = [new Array<Num>(50).fill(0), new Array<Num>(50).fill(0)];
        elements(n, { x: x as Num[], a, i, j }, ({ x, a, i, j }) => {
          a[j] = m.add(a[j]!, m.exp(m.sin(m.exp(m.mul(x[i]!, x[j]!)))));
          a[i] = m.add(a[i]!, m.sin(m.exp(m.mul(x[i]!, x[j]!))));
        });
        elements(n, { x: x as Num[], b, i, j }, ({ x, b, i, j }) => {
          b[j] = m.add(b[j]!, m.sqrt(m.abs(m.cos(m.add(x[i]!, x[j]!)))));
          b[i] = m.add(b[i]!, m.cos(m.cos(m.add(x[i]!, x[j]!))));
        });
        return { a, b };
      },
    };
    const { outputs, specialized } = runProgram(program, { x }, {}, 'exact');
    const plain = program.run({ x: [...x] } as never, { elements: plainElements } as never) as Record<string, number[]>;
    expect([...outputs['a']!]).toEqual(plain['a']);
    expect([...outputs['b']!]).toEqual(plain['b']);
    expect(loopsWith(specialized.module.kernels, ['math.exp'])).toBeGreaterThan(0);
    expect(loopsWith(specialized.module.kernels, ['math.cos'])).toBeGreaterThan(0);
    expect(loopsWith(specialized.module.kernels, ['math.exp', 'math.cos'])).toBe(0);
  });
});

/** Innermost loops in which all these functions are called. */
const loopsWith = (kernels: readonly { readonly body: Region }[], names: readonly string[]): number => {
  let found = 0;
  for (const { body } of kernels)
    walk(body, ({ name, regions }) => {
      const own = new Set(regions.flatMap(({ ops }) => ops.map((op) => op.name)));
      if (name === 'scf.for' && names.every((f) => own.has(f))) found++;
    });
  return found;
};

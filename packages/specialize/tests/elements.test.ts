import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import { defaultOptions, specialize, trace, type ElementsWord, type SpecializeOptions } from '@filigree/specialize';
import { both, relativeError } from './support.js';

const grid = (n: number): Int32Array[] => {
  const [a, b, c]: number[][] = [[], [], []];
  for (let i = 0; i + 1 < n; i++)
    for (let j = 0; j + 1 < n; j++) {
      const v = i * n + j;
      a.push(v, v + 1);
      b.push(v + 1, v + n + 1);
      c.push(v + n, v + n);
    }
  return [a, b, c].map((t) => Int32Array.from(t));
};

describe('elements', () => {
  for (const arithmetic of ARITHMETICS)
    it(`adds up over the vertices of faces (${arithmetic})`, () => {
      const n = 20;
      const faces = grid(n);
      const { outputs, plain, specialized } = both(
        { x: n * n, k: 1 },
        ({ x, k }, elements) => {
          const out: Num[] = new Array<Num>(n * n).fill(0);
          const stiff = m.mul(k[0], k[0]);
          elements(faces[0].length, { x, out, faces }, ({ x, out, faces: [a, b, c] }) => {
            const area = m.sqrt(m.add(m.mul(x[a], x[b]), m.mul(x[c], stiff)));
            out[a] = m.add(out[a], area);
            out[b] = m.sub(out[b], m.mul(area, x[a]));
            out[c] = m.add(out[c], area);
          });
          return { out, twice: out.map((v) => m.mul(2, v)) };
        },
        {},
        arithmetic,
      );
      if (arithmetic === 'exact') expect([...outputs.out]).toEqual(plain.out);
      expect(relativeError(outputs.out, plain.out)).toBeLessThan(1e-13);
      expect(relativeError(outputs.twice, plain.twice)).toBeLessThan(1e-13);
      expect(specialized.nodes).toBeLessThan(2000);
    });

  it('computes what plain code computes, whatever is read, written and mixed', () => {
    fc.assert(
      fc.property(
        recipe,
        fc.constantFrom(...ARITHMETICS),
        fc.constantFrom(...switches),
        (steps, arithmetic, options) => {
          const { outputs, plain } = both(
            { x: N, y: N },
            (x, elements) => runRecipe(steps, x, elements),
            options,
            arithmetic,
          );
          for (const [name, values] of Object.entries(plain)) {
            const error = relativeError(outputs[name], values);
            expect(error, name).toBeLessThan(1e-11);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('evaluates a template once, not once an element', () => {
    let runs = 0;
    both(
      { x: 500 },
      ({ x }, elements) => {
        const out = new Array<Num>(500).fill(0);
        const i = Int32Array.from({ length: 500 }, (_, k) => (k * 7) % 500);
        elements(500, { x, out, i }, ({ x, out, i }, e) => {
          if (m.isSymbolic(x[i])) runs++;
          out[e] = m.sin(x[i]);
        });
        return { out };
      },
      {},
      'algebraic',
    );
    expect(runs).toBe(1);
  });

  it('keeps to itself what equals, over the reals, an expression without its leaves', () => {
    /* y − (y + s) is −s, which others compute too: in a second body, and outside of both. */
    const n = 6;
    const { outputs, plain } = both(
      { x: n, y: n, s: 1 },
      ({ x, y, s }, elements) => {
        const [first, second] = [[0], [0]] as Num[][];
        const i = Int32Array.from({ length: n }, (_, k) => (k * 5) % n);
        elements(n, { x, y, first, i }, ({ x, y, first, i }) => {
          first[0] = m.add(first[0], m.mul(m.sub(y[i], m.add(y[i], s[0])), x[i]));
        });
        elements(n, { x, second }, ({ x, second }, e) => {
          second[0] = m.add(second[0], m.mul(m.neg(s[0]), m.sin(x[e])));
        });
        return { first, second, third: [m.exp(m.neg(s[0]))] };
      },
      {},
      'algebraic',
    );
    for (const name of ['first', 'second', 'third'])
      expect(relativeError(outputs[name], plain[name])).toBeLessThan(1e-12);
  });

  for (const arithmetic of ARITHMETICS)
    it(`adds up what is zero over the reals, to several arrays (${arithmetic})`, () => {
      const { outputs, plain } = both(
        { x: 4 },
        ({ x }, elements) => {
          const [sums, energy] = [[0, 0, 0, 0], [0]] as Num[][];
          elements(3, { x, sums, energy, i: Int32Array.of(0, 2, 1) }, ({ x, sums, energy, i }) => {
            const zero = m.sub(m.mul(2, x[i]), m.mul(2, x[i]));
            sums[i] = m.add(sums[i], zero);
            energy[0] = m.add(energy[0], m.mul(zero, x[i]));
          });
          return { sums, energy };
        },
        {},
        arithmetic,
      );
      expect([...outputs.sums]).toEqual(plain.sums);
      expect([...outputs.energy]).toEqual(plain.energy);
    });

  for (const arithmetic of ARITHMETICS)
    it(`reads and writes what objects hold, by the element's own (${arithmetic})`, () => {
      const { outputs, plain } = both(
        { x: 6, y: 6 },
        ({ x, y }, elements) => {
          const points = x.map((v, i) => new Point(v, y[i]));
          const sums = x.map((v) => ({ near: [0 as Num, v], count: 0 as Num }));
          const weights = [Float64Array.of(1, 2), Float64Array.of(3, 4), Float64Array.of(5, 6)];
          const twice = Object.freeze(x.map((v) => Object.freeze({ v: m.mul(2, v) })));
          const [a, b, c] = [Int32Array.of(0, 1, 5, 2), Int32Array.of(3, 3, 0, 1), Int32Array.of(2, 0, 1, 1)];
          elements(4, { points, sums, weights, twice, a, b, c }, ({ points, sums, weights, twice, a, b, c }) => {
            const { u, v } = points[a];
            const [first, ...rest] = weights[c];
            sums[b].near[1] = m.add(sums[b].near[1], m.mul(first, m.mul(u, points[b].length)));
            sums[a].near[0] = m.sub(sums[a].near[0], m.add(v, twice[b].v));
            sums[a].count = m.add(sums[a].count, rest[0]);
            for (const w of weights[c]) sums[b].count = m.add(sums[b].count, m.mul(w, points[b].scaled(2)));
          });
          return { near: sums.flatMap((s) => s.near), count: sums.map((s) => s.count) };
        },
        {},
        arithmetic,
      );
      for (const name of ['near', 'count']) expect(relativeError(outputs[name], plain[name])).toBeLessThan(1e-12);
    });

  for (const [what, code, body] of refused)
    it(`refuses ${what}`, () => {
      const traced = trace().run({
        inputs: { x: 4 },
        run: ({ x }, { elements }) => body(x as Num[], elements) as never,
      });
      const result = E.chainW(specialize())(traced);
      expect(E.isLeft(result) && result.left[0].code).toBe(code);
    });
});

/** With a length that is no number of entries. */
class Point {
  constructor(
    readonly u: Num,
    readonly v: Num,
  ) {}
  get length(): Num {
    return m.add(m.mul(this.u, this.u), m.mul(this.v, this.v));
  }
  scaled(s: number): Num {
    return m.mul(s, this.u);
  }
}

const i4 = Int32Array.of(0, 1, 2, 3);
const refused: readonly (readonly [string, string, (x: Num[], elements: ElementsWord) => unknown])[] = [
  [
    'an index out of range',
    'elements/range',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { x, out, i: Int32Array.of(0, 1, 2, 4) }, ({ x, out, i }, e) => void (out[e] = x[i]));
      return { out };
    },
  ],
  [
    'a table that is too short',
    'elements/table',
    (x, elements) => {
      elements(5, { x, i: i4 }, ({ x, i }) => void x[i]);
      return { x };
    },
  ],
  [
    'computing with an index',
    'elements/index',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { x, out, i: i4 }, ({ x, out, i }) => void (out[i] = x[3 - i]));
      return { out };
    },
  ],
  [
    'reading what elements write',
    'elements/order',
    (x, elements) => {
      const out = [...x];
      elements(3, { out, i: i4 }, ({ out, i }, e) => void (out[e] = m.mul(2, out[i])));
      return { out };
    },
  ],
  [
    'arrays that are not among the tables',
    'elements/foreign',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { x, i: i4 }, ({ x, i }) => void (out[i] = x[i]));
      return { out };
    },
  ],
  [
    'computing with what is read of an array that is not among the tables',
    'elements/foreign',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { out, i: i4 }, ({ out, i }) => void (out[i] = m.mul(2, x[i])));
      return { out };
    },
  ],
  [
    'taking an entry of what is an index already',
    'elements/index',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { x, out, i: i4 }, ({ x, out, i }, e) => void (out[e] = x[(i as unknown as Int32Array)[e]]));
      return { out };
    },
  ],
  [
    'rows of different lengths, of which the body asks the length',
    'elements/shape',
    (x, elements) => {
      const rows = [[x[0]], [x[0], x[1]], [x[2]], [x[3]]];
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { rows, out }, ({ rows, out }, e) => {
        for (const v of rows[e]) out[e] = m.add(out[e], v);
      });
      return { out };
    },
  ],
  [
    'objects of which some have an entry that the body asks for',
    'elements/shape',
    (x, elements) => {
      const rows: { v: Num; w?: Num }[] = [{ v: x[0] }, { v: x[1], w: x[2] }];
      const out = [0, 0] as Num[];
      elements(2, { rows, out }, ({ rows, out }, e) => void (out[e] = rows[e].w ?? rows[e].v));
      return { out };
    },
  ],
  [
    'values that leave the body',
    'elements/leak',
    (x, elements) => {
      let kept: Num = 0;
      elements(4, { x, i: i4 }, ({ x, i }) => void (kept = x[i]));
      return { kept };
    },
  ],
  [
    'a branch on a symbol',
    'symbol/as-number',
    (x, elements) => {
      const out = [0, 0, 0, 0] as Num[];
      elements(4, { x, out, i: i4 }, ({ x, out, i }) => void (out[i] = Number(x[i]) > 0 ? 1 : 2));
      return { out };
    },
  ],
  [
    'typed arrays as results',
    'elements/typed-array',
    (x, elements) => {
      const out = new Float64Array(4);
      elements(4, { x, out, i: i4 }, ({ x, out, i }) => void (out[i] = x[i] as number));
      return { out };
    },
  ],
];

const N = 12;

/** What one call of elements does, and what plain code does before it. */
interface Step {
  readonly count: number;
  readonly tables: readonly (readonly number[])[];
  readonly reads: readonly number[];
  readonly shape: number;
  readonly write: 'add' | 'sub' | 'set' | 'both';
  readonly target: number;
  readonly plain: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  count: fc.constantFrom(0, 1, 5, N, 80),
  tables: fc.array(fc.array(fc.nat(N - 1), { minLength: 80, maxLength: 80 }), { minLength: 2, maxLength: 2 }),
  reads: fc.array(fc.nat(5), { minLength: 2, maxLength: 2 }),
  shape: fc.nat(4),
  write: fc.constantFrom('add', 'sub', 'set', 'both'),
  target: fc.nat(2),
  plain: fc.boolean(),
});
const recipe = fc.array(step, { minLength: 1, maxLength: 4 });

const switches: readonly Partial<SpecializeOptions>[] = [
  {},
  { simplify: false },
  { decompose: { ...defaultOptions.decompose, detectBlocks: false } },
  { decompose: { ...defaultOptions.decompose, global: false, local: false } },
  { group: { ...defaultOptions.group, maxUnrolledTerms: 1, minUnrolledInstances: 64 } },
  { group: { ...defaultOptions.group, maxUnrolledTerms: 16, minUnrolledInstances: 1 } },
  { place: { ...defaultOptions.place, coherence: false, narrow: false } },
  { place: { ...defaultOptions.place, tileBytes: 256 } },
];

it.each([
  ['few operations on lanes, and all off them', 6, { emit: defaultOptions.emit }, 8],
  ['few operations on lanes, and all off them', 200, { emit: { ...defaultOptions.emit, simd: false } }, 8],
  /* Of bytes a compiler makes vectors of 64, and eight operations for each one on doubles. */
  ['many operations on lanes', 200, { emit: defaultOptions.emit }, 32],
])('tables are narrow for %s', (_name, operations, options, width) => {
  const at = Int32Array.from({ length: 200 }, (_, e) => (7 * e * e + 13 * e) % 200);
  const { outputs, plain, specialized } = both(
    { x: 200 },
    ({ x }, elements) => {
      const y: Num[] = x.map(() => 0);
      elements(200, { x, y, at }, ({ x, y, at }, e) => {
        let value: Num = x[at];
        for (let k = 0; k < operations; k++) value = m.sub(m.mul(value, x[at]), 0.25 + k / 512);
        y[e] = value;
      });
      return { y };
    },
    options,
  );
  expect([...outputs.y]).toEqual(plain.y);
  const tables = specialized.module.buffers.map(({ name }) => name);
  expect(tables.filter((name) => name.startsWith('index'))).toEqual([`index${width}`]);
});

const runRecipe = (steps: readonly Step[], { x, y }: Record<string, Num[]>, elements: ElementsWord) => {
  const numbersOnly = Array.from({ length: N }, (_, i) => 0.5 + i / N);
  const mixed: Num[] = x.map((v, i) => (i % 3 === 0 ? v : i % 3 === 1 ? y[i] : i / N));
  const outs: Num[][] = [0, 1, 2].map(() => new Array<Num>(N).fill(0));
  const pairs: Num[][] = x.map((v, i) => [v, m.mul(v, y[i])]);
  const shared = m.sqrt(m.add(m.mul(x[0], x[0]), y[1]));
  for (const { count, tables, reads, shape, write, target, plain } of steps) {
    const out = outs[target];
    if (plain) for (let i = 0; i < N; i += 2) out[i] = m.add(m.mul(out[i], 0.5), x[i]);
    const others = outs.filter((_, k) => k !== target);
    const arrays = [x, y, numbersOnly, mixed, ...others];
    const [p, q] = [arrays[reads[0]], arrays[reads[1]]];
    const [i, j] = tables.map((t) => Int32Array.from(t));
    elements(count, { p, q, pairs, out, i, j, x }, ({ p, q, pairs, out, i, j, x }) => {
      const [a, b] = [p[i], q[j]];
      const [c, d] = pairs[j];
      const value = [
        () => m.mul(a, b),
        () => m.add(m.mul(m.sin(a), shared), m.div(d, m.add(2, m.mul(b, b)))),
        () => a,
        () => m.select(m.lt(c, b), m.mul(a, shared), m.mul(x[0], shared)),
        () => m.mul(shared, shared),
      ][shape]();
      if (write === 'set') out[j] = value;
      else if (write === 'sub') out[i] = m.sub(out[i], value);
      else out[i] = m.add(out[i], value);
      if (write === 'both') {
        out[j] = m.add(m.sub(out[j], m.mul(value, c)), 1);
        out[3] = m.add(out[3], c);
      }
    });
  }
  return {
    first: outs[0],
    later: outs[1].map((v, i) => m.add(v, outs[2][i])),
    again: [...outs[1], ...outs[0], ...outs[0]],
  };
};

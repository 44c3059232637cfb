import { cpp } from '@filigree/backend-cpp';
import { active, kernel, ndrange, range, type Grid1, type Grid2 } from '@filigree/lang/kernels';
import { fixed, float, int } from '@filigree/quant';
import {
  bitArray,
  bitStruct,
  dense,
  field,
  fields,
  i,
  ij,
  j,
  layout,
  stored,
  type Format,
} from '@filigree/sparse/fields';
import { program } from 'filigree';
import { describe, expect, it } from 'vitest';
import { gallery } from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const formats: Readonly<Record<'f32' | 'f64', readonly Format[]>> = {
  f32: [
    fixed(16, 1),
    fixed(16, 4.1),
    fixed(24, 2, { signed: false }),
    fixed(28, 3),
    float(5, 10),
    float(8, 7),
    float(6, 9, { signed: false }),
    float(8, 23),
  ],
  f64: [fixed(16, 2), fixed(16, 0.1), fixed(40, 3, { signed: false }), float(11, 4), float(5, 10), float(11, 52)],
};

const n = 1 << 16;

/** Numbers of a format, the middles between them, and what lies next to both; and some that it has not. */
const valuesFor = (format: Format, type: 'f32' | 'f64'): readonly number[] => {
  const ulp = 2 ** (type === 'f32' ? -23 : -52);
  const rounded = (x: number): number => (type === 'f32' ? Math.fround(x) : x);
  const decoded = (code: number): number => Number(format.decode(format.bits > 32 ? BigInt(code) : code, type));
  const stride = Math.max(1, 2 ** format.bits / (n / 4));
  return Array.from({ length: n }, (_, k) => {
    const code = Math.floor(Math.floor(k / 4) * stride) % 2 ** format.bits;
    const [low, high] = [decoded(code), decoded(Math.min(code + 1, 2 ** format.bits - 1))];
    const middle = low / 2 + high / 2;
    if (k < 6) return [NaN, Infinity, -Infinity, -0, 3e38, -1e-30][k];
    return rounded([low, middle, middle * (1 + ulp), middle * (1 - ulp)][k % 4]);
  });
};

describe.each(backends)('on %s, with fast arithmetic', (backend) => {
  it.each(['f32', 'f64'] as const)('kernels store numbers of %s as the functions of formats do', async (type) => {
    const pairs = formats[type].map((format, k) => ({
      format,
      from: field(`from${k}`, type),
      to: field(`to${k}`, type),
    }));
    const copies = pairs.map(({ from, to }) =>
      kernel([from, to], { scope: { active } }, (from: Grid1, to: Grid1) => {
        for (const p of active(from)) to[p] = from[p];
      }),
    );
    const sim = await program({
      layout: layout(
        dense(i, n).place(
          ...pairs.flatMap(({ format, from, to }, k) => [
            from,
            k % 2 === 0 ? stored(to, format) : bitStruct(64, stored(to, format)),
          ]),
        ),
      ),
      kernels: { copies },
      fields: {},
      backend,
    });
    const box = { from: [0], to: [n] };
    const given = pairs.map(({ format }) => valuesFor(format, type));
    const Floats = type === 'f32' ? Float32Array : Float64Array;
    pairs.forEach(({ from }, k) => sim.field(from).fromArray(Floats.from(given[k]), box));
    sim.run.copies();
    for (const [k, { format, to }] of pairs.entries()) {
      const got = sim.field(to).toArray(box);
      const wrong = given[k].flatMap((x, at) => {
        const expected = format.decode(format.encode(Floats.of(x)[0], type), type);
        return Object.is(got[at], expected) ? [] : [`${format.name} of ${x} is ${got[at]}, not ${String(expected)}`];
      });
      expect(wrong.slice(0, 5)).toEqual([]);
    }
    sim.dispose();
  });

  it.each(['f32', 'f64'] as const)('kernels count terms of sums of %s as the functions of formats do', async (type) => {
    const sums = formats[type].flatMap((format, k) => {
      const [from, alone, met] = ['from', 'alone', 'met'].map((name) => field(`${name}${k}`, type));
      return format.addend ? [{ format, from, alone, met, code: format.addend }] : [];
    });
    /* Each element of one field is of its own iteration; of the other nobody knows. */
    const adds = sums.map(({ from, alone, met }) =>
      kernel([from, alone, met], { scope: { active, n } }, (from: Grid1, alone: Grid1, met: Grid1) => {
        for (const p of active(from)) {
          alone[p] += from[p];
          met[n - 1 - p] -= from[p];
        }
      }),
    );
    const sim = await program({
      layout: layout(
        dense(i, n).place(
          ...sums.flatMap(({ format, from, alone, met }, k) => [
            from,
            stored(alone, format),
            ...(k % 2 === 0 ? [stored(met, format)] : [bitStruct(64, stored(met, format))]),
          ]),
        ),
      ),
      kernels: Object.fromEntries(adds.map((add, k) => [`add${k}`, add])),
      fields: {},
      backend,
      threads: 2,
    });
    const box = { from: [0], to: [n] };
    const Floats = type === 'f32' ? Float32Array : Float64Array;
    for (const [k, { format, from, alone, met, code }] of sums.entries()) {
      /* Some far beyond the range, and in the middle between two steps there. */
      const values = Floats.from(valuesFor(format, type).map((x, p) => (p % 5 === 4 ? x * 2 ** (p % 40) : x)));
      sim.field(from).fromArray(values as never, box);
      sim.run[`add${k}`]();
      const [one, other] = [alone, met].map((f) => sim.field(f).toArray(box));
      const wrong = Array.from(values).flatMap((x, at) =>
        [
          [one[at], x],
          [other[n - 1 - at], -x],
        ].flatMap(([got, term]) => {
          const expected = format.decode(code.encode(Number(term), type), type);
          return Object.is(got, expected) ? [] : [`${format.name} of ${term} is ${got}, not ${String(expected)}`];
        }),
      );
      expect(wrong.slice(0, 5)).toEqual([]);
    }
    sim.dispose();
  });

  it('floats that share an exponent are stored together, and one by one with what is there', async () => {
    const format = float(5, 7, { shared: 'v' });
    const kind = field('kind', 'i32');
    const { v } = fields('f32', i, { v: 3 });
    const { a } = fields('f32', i, { a: 3 });
    const { x, y } = fields('f32', i, ['x', 'y']);
    const other = float(4, 11, { shared: 'w' });
    const kernels = {
      whole: kernel([v, a, kind], { scope: { active } }, (v, a, kind) => {
        for (const p of active(v)) {
          v[p] = a[p];
          kind[p] = -1;
        }
      }),
      single: kernel([x, y, a], { scope: { active } }, (x, y, a) => {
        for (const p of active(a)) {
          x[p] = a[p].x;
          y[p] = a[p].y;
        }
      }),
    };
    const count = 4096;
    const sim = await program({
      layout: layout(
        dense(i, count).place(
          a,
          bitStruct(32, stored(v, format), stored(kind, int(2))),
          bitStruct(32, stored(x, other), stored(y, other)),
        ),
      ),
      kernels,
      fields: { v, a, kind, x, y },
      backend,
      threads: 2,
    });
    const together = (values: readonly number[], { joint }: Format = format): readonly number[] => {
      const { shared, codes } = joint!.encode(values, 'f32');
      return codes.map((c) => joint!.decode(c, shared, 'f32'));
    };
    const given = Array.from({ length: count }, (_, p) =>
      [p, 3 * p + 1, 7 * p + 2].map((q) => Math.fround(Math.sin(q) * 2 ** ((q % 37) - 18))),
    );
    given.forEach((value, p) => sim.fields.a.set([p], value));
    const now = (): readonly (readonly number[])[] =>
      given.map((_, p) => Array.from(sim.fields.v.get([p]) as ArrayLike<number>));
    const first = given.map((values) => together(values));
    sim.run.whole();
    expect(now()).toEqual(first);
    sim.run.single();
    sim.run.single();
    const pair = (p: number): readonly number[] => {
      let [one, two] = [0, 0];
      for (let turn = 0; turn < 2; turn++) {
        [one, two] = together([given[p][0], two], other);
        [one, two] = together([one, given[p][1]], other);
      }
      return [one, two];
    };
    expect(given.map((_, p) => [sim.fields.x.get([p]), sim.fields.y.get([p])])).toEqual(given.map((_, p) => pair(p)));
    sim.fields.v.set([7], [1e-3, 300, -2]);
    expect(now()[7]).toEqual(together([Math.fround(1e-3), 300, -2]));
    sim.dispose();
  });

  it.each([32, 64] as const)(
    'integers in a word of %i bits that two threads add to wrap, and touch no other',
    async (word) => {
      const { low, middle, top } = fields('i32', i, ['low', 'middle', 'top']);
      const bits = word === 32 ? [9, 8, 15] : [20, 14, 30];
      const add = kernel([low, middle, top], { scope: { range, n } }, (low, middle, top) => {
        for (const p of range(n)) {
          low[p & 15] += p;
          middle[p & 15] += 3 - p;
          top[p & 15] += 77 * p;
        }
      });
      const all = [low, middle, top].map((f, k) => stored(f, int(bits[k])));
      const sim = await program({
        layout: layout(dense(i, 16).place(bitStruct(word, ...all))),
        kernels: { add },
        fields: { low, middle, top },
        backend,
        threads: 2,
      });
      sim.run.add();
      const sums = [(p: number) => p, (p: number) => 3 - p, (p: number) => 77 * p].map((f, k) =>
        Array.from({ length: 16 }, (_, at) => {
          let sum = 0n;
          for (let p = at; p < n; p += 16) sum += BigInt(f(p));
          return Number(BigInt.asIntN(bits[k], sum));
        }),
      );
      const box = { from: [0], to: [16] };
      expect([sim.fields.low, sim.fields.middle, sim.fields.top].map((f) => [...f.toArray(box)])).toEqual(sums);
      sim.dispose();
    },
  );

  it('two threads that write different fields of one word lose no bit', async () => {
    const [x, y] = [field('x', 'i32'), field('y', 'i32')];
    const shift = kernel([x, y], { scope: { active, n } }, (x: Grid1, y: Grid1) => {
      for (const p of active(x)) {
        x[p] = p & 1023;
        y[(p * 5) % n] = p & 4095;
      }
    });
    const sim = await program({
      layout: layout(dense(i, n).place(bitStruct(32, stored(x, int(16)), stored(y, int(16))))),
      kernels: { shift },
      fields: { x, y },
      backend,
      threads: 2,
    });
    for (let turn = 0; turn < 5; turn++) sim.run.shift();
    const [xs, ys] = [sim.fields.x, sim.fields.y].map((f) => f.toArray({ from: [0], to: [n] }));
    const expected = new Int32Array(n);
    for (let p = 0; p < n; p++) expected[(p * 5) % n] = p & 4095;
    expect([...xs]).toEqual(Array.from({ length: n }, (_, p) => p & 1023));
    expect([...ys]).toEqual([...expected]);
    sim.dispose();
  });

  it.each([
    ['rows', () => dense(i, 50)],
    ['blocks', () => dense(ij, [10, 1]).pointer().dense(i, 5)],
  ])('a loop over a box writes neighbours in one word of a bit array, in %s', async (_, above) => {
    const [x, y] = [field('x', 'i32'), field('y', 'i32')];
    const kernels = {
      all: kernel([x], { scope: { ndrange } }, (x: Grid2) => {
        for (const [p, q] of ndrange(50, 96)) x[p][q] = (p * p + 3 * q) % 7 < 3 ? 1 : 0;
      }),
      some: kernel([y], { scope: { ndrange } }, (y: Grid2) => {
        for (const [p, q] of ndrange(50, 96)) if ((p + q * q) % 5 < 2) y[p][q] = (p ^ q) & 3;
      }),
    };
    const arrays = [
      bitArray(j, 96, 32).place(stored(x, int(1, { signed: false }))),
      bitArray(j, 96, 16).place(stored(y, int(2, { signed: false }))),
    ];
    const sim = await program({ layout: layout(above().fork(...arrays)), kernels, fields: { x, y }, backend });
    sim.run.all();
    sim.run.some();
    const box = { from: [0, 0], to: [50, 96] };
    const each = (f: (p: number, q: number) => number): readonly number[] =>
      Array.from({ length: 50 * 96 }, (_, k) => f(Math.floor(k / 96), k % 96));
    expect([...sim.fields.x.toArray(box)]).toEqual(each((p, q) => ((p * p + 3 * q) % 7 < 3 ? 1 : 0)));
    expect([...sim.fields.y.toArray(box)]).toEqual(each((p, q) => ((p + q * q) % 5 < 2 ? (p ^ q) & 3 : 0)));
    sim.dispose();
  });

  it('there is no atomic operation on numbers that share an exponent', async () => {
    const { v } = fields('f32', i, { v: 2 });
    const add = kernel([v], { scope: { range } }, (v) => {
      for (const p of range(8)) v[p & 1].x += 1;
    });
    const branch = dense(i, 2).place(bitStruct(32, stored(v, float(5, 9, { shared: 'v' }))));
    await expect(program({ layout: layout(branch), kernels: { add }, fields: {}, backend })).rejects.toMatchObject({
      diagnostics: [
        { code: 'lang/atomic', loc: { line: expect.any(Number) }, remedy: expect.stringContaining('u[i] = u[i] + x') },
      ],
    });
  });

  it.each([
    ['quant-store', 'on'],
    ['quant-store', 'off'],
    ['quant-partial-store', 'on'],
    ['quant-partial-store', 'off'],
    ['quant-matmul', 'on'],
    ['quant-matmul', 'off'],
    ['quant-saxpy', 'on'],
    ['quant-saxpy', 'off'],
  ])('%s with quant %s leaves every element as it should, on two threads', async (name, quant) => {
    const { check, metrics } = await gallery[name].run({
      args: { size: '100000', quant },
      backend,
      dtype: 'f32',
      threads: 2,
      seed: 1,
      bench: false,
      ablate: [],
      progress: () => undefined,
    });
    expect(check.passed).toBe(true);
    const bytes = { 'quant-matmul': [20, 36], 'quant-saxpy': [4, 8] }[name] ?? [4, 4];
    expect(metrics.bytesPerElement).toBeCloseTo(bytes[quant === 'on' ? 0 : 1], 1);
    expect(Number(metrics.linesChanged) / Number(metrics.lines)).toBeLessThanOrEqual(0.03);
  });
});

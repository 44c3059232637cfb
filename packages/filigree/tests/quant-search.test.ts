import { wasm } from '@filigree/backend-wasm';
import { defineElementwise, dialect, type Extension } from '@filigree/ir';
import type { Word } from '@filigree/lang/kernels';
import { describe, expect, it } from 'vitest';
import {
  active,
  atomicAdd,
  bitStruct,
  dense,
  DiagnosticError,
  fields,
  fixed,
  float,
  hash,
  i,
  int,
  kernel,
  layout,
  packed,
  program,
  quantSearch,
  quantSearchText,
  stored,
  type Branch,
  type QuantSearchOptions,
} from 'filigree';
import { workingBackends } from './support.js';

const n = 32;
const { x, v, y } = fields('f32', i, { x: 2, v: 2, y: 2 });
const { kind, total } = { ...fields('i32', i, ['kind']), ...fields('f32', i, ['total']) };

const step = kernel([x, v, kind, 'f32'], { scope: { active } }, (x, v, kind, dt) => {
  for (const p of active(x)) {
    v[p] = v[p].sub(x[p].mul(dt * kind[p]));
    x[p] = x[p].add(v[p].mul(dt));
  }
});
const look = kernel([x, v, y, total], { scope: { active } }, (x, v, y, total) => {
  for (const p of active(x)) {
    y[p] = x[p].mul(3).add(v[p]);
    total[p] = y[p].dot(y[p]);
  }
});

/** Springs of three kinds, by plain numbers. */
const plain = (steps: number): Float64Array => {
  const found: number[] = [];
  for (let p = 0; p < n; p++)
    for (const c of [0, 1]) {
      let [x, v] = [Math.cos(p + c), 0.25 * Math.sin(3 * p + c)];
      for (let s = 0; s < steps; s++) {
        v -= x * 0.1 * ((p % 3) + 1);
        x += v * 0.1;
      }
      found.push(3 * x + v);
    }
  return Float64Array.from(found);
};

const shapes: Readonly<Record<string, Branch>> = {
  'an array': dense(i, n).place(x, v, kind, y, total),
  'cells of a hash table': hash(i, 8).dense(i, 4).pointer().place(x, v, kind, y, total),
  'arrays of their own': dense(i, n / 8).fork(...[x, v, kind, y, total].map((f) => dense(i, 8).place(f))),
};

const steps = 12;

const task = (branch: Branch, backend: string): QuantSearchOptions => ({
  layout: layout(branch),
  kernels: { step, look },
  backend,
  store: [x, v, kind],
  outputs: [y],
  error: 1e-3,
  inputs: ({ field }) => {
    for (let p = 0; p < n; p++) {
      field(x).set(p, [Math.cos(p), Math.cos(p + 1)]);
      field(v).set(p, [0.25 * Math.sin(3 * p), 0.25 * Math.sin(3 * p + 1)]);
      field(kind).set(p, (p % 3) + 1);
    }
  },
  launch: ({ run }) => {
    for (let s = 0; s < steps; s++) run.step(0.1);
    run.look();
  },
});

const off = (found: ArrayLike<number>, exact: Float64Array): number =>
  Math.sqrt(exact.reduce((sum, e, k) => sum + (found[k] - e) ** 2, 0) / exact.reduce((sum, e) => sum + e * e, 0));

const cases = workingBackends.flatMap((backend) => Object.keys(shapes).map((shape) => [shape, backend] as const));

describe('quantSearch', () => {
  it.each(cases)(
    'finds a layout of fewer bytes within the bound: %s, on %s',
    { timeout: 120_000 },
    async (shape, backend) => {
      const given = task(shapes[shape], backend);
      const found = await quantSearch(given);
      const { best, fullBytes, curve } = found;
      expect(found.refused).toBeUndefined();
      expect(best.error).toBeLessThanOrEqual(given.error);
      expect(best.bytes).toBeLessThan(0.9 * fullBytes);
      expect(curve).toContain(best);
      for (const t of curve) if (t.error <= given.error) expect(t.bytes).toBeGreaterThanOrEqual(best.bytes);

      /* The layout itself, against plain numbers, and nothing but the layout has changed. */
      const sim = await program({ layout: best.layout, kernels: { step, look }, backend });
      (given.inputs as (s: unknown) => void)(sim);
      given.launch(sim as never);
      expect(off(sim.field(y).toArray({ from: [0], to: [n] }), plain(steps))).toBeLessThanOrEqual(1.01 * given.error);
      sim.dispose();

      const text = quantSearchText(found);
      for (const t of curve) expect(text).toContain(String(t.bytes));
      expect(text).toContain(best.text);
    },
  );

  it('says the layout as code', { timeout: 120_000 }, async () => {
    const { best } = await quantSearch(task(shapes['arrays of their own'], 'wasm'));
    const scope = { bitStruct, dense, fixed, float, i, int, packed, stored, x, v, kind };
    const build = new Function(...Object.keys(scope), `return [${best.text}];`) as (...all: unknown[]) => Branch[];
    const branches = build(...Object.values(scope));
    const pasted = layout(dense(i, n / 8).fork(...branches, dense(i, 8).place(y), dense(i, 8).place(total)));
    for (const { field, path } of best.layout.fields.values()) {
      const there = pasted.fields.get(field.name)!;
      const [here, other] = [best.layout.nodes[path[path.length - 1]], pasted.nodes[there.path[there.path.length - 1]]];
      expect([field.name, other.stored?.format.attrs, other.stored?.wordBits, other.stored?.shift]).toEqual([
        field.name,
        here.stored?.format.attrs,
        here.stored?.wordBits,
        here.stored?.shift,
      ]);
    }
  });

  it('needs more bytes for a smaller error', { timeout: 120_000 }, async () => {
    const bounds = [0.03, 1e-3, 1e-5];
    const bytes = [];
    for (const error of bounds) {
      const { best } = await quantSearch({ ...task(shapes['arrays of their own'], 'wasm'), error });
      expect(best.error).toBeLessThanOrEqual(error);
      bytes.push(best.bytes);
    }
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    expect(bytes[0]).toBeLessThan(bytes[2]);
  });

  it('sees what a launch stores and reads again', { timeout: 120_000 }, async () => {
    const relax = kernel([x, v, y], { scope: { active } }, (x, v, y) => {
      for (const p of active(x)) v[p] = x[p].add(x[p + 1].sub(x[p]).mul(0.1));
      for (const p of active(v)) y[p] = v[p].mul(3);
      for (const p of active(v)) x[p] = v[p];
    });
    const given: QuantSearchOptions = {
      ...task(shapes['an array'], 'wasm'),
      kernels: { relax },
      launch: ({ run }) => {
        for (let s = 0; s < steps; s++) run.relax();
      },
      store: [x, v, y],
    };
    const { best, fullBytes } = await quantSearch(given);
    expect(best.error).toBeLessThanOrEqual(given.error);
    expect(best.bytes).toBeLessThan(0.7 * fullBytes);
  });

  it('takes differences where launches have no tangents', { timeout: 120_000 }, async () => {
    /* What an update returns while other iterations run has no tangent. */
    const number = kernel([x, total], { scope: { active, atomicAdd } }, (x, total) => {
      for (const p of active(x)) x[p] = x[p].add(1e-30 * atomicAdd(total, 0, x[p][0]));
    });
    const given = task(shapes['arrays of their own'], 'wasm');
    const found = await quantSearch({
      ...given,
      kernels: { ...given.kernels, number },
      launch: (sim) => {
        (sim.run as Readonly<Record<string, () => void>>).number();
        given.launch(sim);
      },
    });
    expect(found.refused?.code).toBe('tangent/lost');
    expect(found.best.error).toBeLessThanOrEqual(given.error);
    expect(found.best.bytes).toBeLessThan(0.9 * found.fullBytes);
  });
});

describe('a search among kernels with words of an extension', () => {
  /* Without a text, so that only the extension says what it is. */
  const halved = ((value: number): number => value / 2).bind(undefined);
  const own: Extension = {
    name: 'own',
    dialects: [
      dialect('own', [
        defineElementwise(
          {
            name: 'own.half',
            summary: 'half of it',
            verify: () => [],
            resultTypes: ([v]) => [v.type],
          },
          () => (v) => halved(v as number),
        ),
      ]),
    ],
    intrinsics: { halved: { fn: halved, op: 'own.half' } satisfies Word },
    spellings: { 'own.half': { core: (b, { operands: [v] }) => b.mul(v, b.constant(0.5, v.type as 'f32')) } },
  };

  it('finds what it finds for the same in plain words', { timeout: 120_000 }, async () => {
    const given = (half: (value: number) => number): QuantSearchOptions => ({
      ...task(shapes['an array'], 'wasm'),
      kernels: {
        step,
        look: kernel([x, y], { scope: { active, half } }, (x, y) => {
          for (const p of active(x)) y[p][0] = half(x[p][0]);
        }),
      },
    });
    const words = await quantSearch({ ...given(halved), backend: wasm({ extensions: [own] }), extensions: [own] });
    const plainly = await quantSearch(given((value) => value / 2));
    expect([words.best.text, words.best.bytes]).toEqual([plainly.best.text, plainly.best.bytes]);
    expect(words.best.error).toBeCloseTo(plainly.best.error, 6);
  });
});

describe('a search that cannot be', () => {
  const refusal = async (change: Partial<QuantSearchOptions>): Promise<string> => {
    try {
      await quantSearch({ ...task(shapes['an array'], 'wasm'), ...change });
    } catch (e) {
      if (e instanceof DiagnosticError) return e.diagnostics[0].code;
      throw e;
    }
    return 'nothing';
  };
  const { elsewhere } = fields('f32', i, ['elsewhere']);

  it.each([
    ['search/error', { error: 0 }],
    ['option/value', { error: NaN }],
    ['option/value', { inputs: [] }],
    ['option/value', { inputs: [x] }],
    ['search/fields', { outputs: [] }],
    ['search/fields', { outputs: [elsewhere] }],
    ['search/fields', { store: [elsewhere] }],
    ['search/values', { launch: () => undefined }],
    [
      'search/values',
      {
        inputs: ({ field }: { field: (f: typeof x) => { set: (p: number, v: number[]) => void } }) =>
          field(x).set(0, [Infinity, 0]),
      },
    ],
  ])('%s: %o', async (code, change) => {
    expect(await refusal(change as never)).toBe(code);
  });

  it.each(['layout', 'kernels', 'inputs', 'launch', 'outputs', 'error'])('search/form: no %s', async (name) => {
    expect(await refusal({ [name]: undefined })).toBe('search/form');
  });
});

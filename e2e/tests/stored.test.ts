import { cpp } from '@filigree/backend-cpp';
import { active, atomicMax, kernel, u64 } from '@filigree/lang/kernels';
import { float } from '@filigree/quant';
import {
  bitStruct,
  dense,
  fields,
  hash,
  i,
  layout,
  stored,
  type Branch,
  type Placeable,
} from '@filigree/sparse/fields';
import { program } from 'filigree';
import { describe, expect, it } from 'vitest';
import { low, top } from '../../packages/sparse/tests/sample-formats.js';
import { thrown } from '../../packages/sparse/tests/support.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const n = 4096;
const { u } = fields('f32', i, ['u'], { ambient: 3.14159 });
const { count } = fields('u32', i, ['count']);
const { most } = fields('i32', i, ['most']);
const { total } = fields('u64', i, ['total']);

const places: Readonly<Record<string, readonly Placeable[]>> = {
  'one word': [
    bitStruct(64, stored(u, top(12)), stored(count, low(15)), stored(most, low(14)), stored(total, low(20))),
  ],
  'small words': [
    bitStruct(16, stored(u, top(12))),
    bitStruct(8, stored(count, low(8))),
    stored(most, low(16)),
    stored(total, low(33)),
  ],
};

const under: Readonly<Record<string, (p: readonly Placeable[]) => Branch>> = {
  dense: (p) => dense(i, n).place(...p),
  pointers: (p) =>
    dense(i, n / 64)
      .pointer()
      .dense(i, 64)
      .place(...p),
  'a hash table': (p) =>
    hash(i, n / 64)
      .dense(i, 64)
      .place(...p),
};

/* Every iteration writes its own element, and adds to those of others, in the same words. */
const mix = kernel([u, count, most, total], { scope: { n, atomicMax, u64 } }, (u, count, most, total) => {
  for (const p of active(u)) {
    u[p] = p * 0.37;
    count[p % 8] += 1;
    atomicMax(most, p % 16, p);
    total[(p * 7) % 32] += u64(p);
  }
});

describe.each(backends)('fields stored in formats, on %s', (backend) => {
  describe.each(Object.entries(places))('in %s', (_, p) => {
    it.each(Object.entries(under))('under %s, lose nothing that threads write at once', async (_name, node) => {
      const sim = await program({
        layout: layout(node(p)),
        kernels: { mix },
        fields: { u, count, most, total },
        backend,
        threads: 4,
      });
      const box = { from: [0], to: [n] };
      sim.fields.u.fromArray(new Float32Array(n), box);
      sim.run.mix();
      const bits = p.length === 1 ? 15 : 8;
      const [us, counts, mosts, totals] = [u, count, most, total].map((f) =>
        Array.from(sim.field(f).toArray(box), Number),
      );
      expect(us).toEqual(
        Array.from({ length: n }, (_, k) =>
          top(12).decode(top(12).encode(Math.fround(k) * Math.fround(0.37), 'f32'), 'f32'),
        ),
      );
      expect(counts.slice(0, 9)).toEqual([...Array<number>(8).fill((n / 8) % 2 ** bits), 0]);
      expect(mosts.slice(0, 17)).toEqual([...Array.from({ length: 16 }, (_, k) => n - 16 + k), 0]);
      const sums = Array<number>(32).fill(0);
      for (let k = 0; k < n; k++) sums[(k * 7) % 32] += k;
      expect(totals.slice(0, 33)).toEqual(
        [...sums.map((s) => s % 2 ** 20), 0].map((s, k) => (p.length === 1 ? s : [...sums, 0][k])),
      );

      sim.fields.count.set([5], 77);
      expect(sim.fields.count.get([5])).toBe(77);
      expect(sim.fields.u.get([5])).toBe(us[5]);
      expect([...sim.fields.count.entries()].find(([[k]]) => k === 5)?.[1]).toBe(77);
      expect(thrown(() => sim.fields.u.view())).toMatchObject({ code: 'field/not-dense' });
      sim.dispose();
    });
  });

  it('hold their ambient value as it is rounded, and come back from a file', async () => {
    const of = layout(under.pointers(places['one word']));
    const [one, other] = await Promise.all(
      [0, 1].map(() => program({ layout: of, kernels: { mix }, fields: { u, count }, backend })),
    );
    expect(one.fields.u.get([70])).toBe(top(12).decode(top(12).encode(3.14159, 'f32'), 'f32'));
    one.fields.count.set([70], 9);
    expect(one.fields.u.get([71])).toBe(one.fields.u.get([7]));
    other.load(one.save());
    expect(other.fields.count.get([70])).toBe(9);
    const third = await program({
      layout: layout(under.pointers(places['small words'])),
      kernels: { mix },
      fields: {},
      backend,
    });
    expect(thrown(() => third.load(one.save()))).toMatchObject({ code: 'arena/layout' });
    for (const p of [one, other, third]) p.dispose();
  });
});

describe('vectors with one exponent', () => {
  const { v } = fields('f32', i, { v: 3 });
  const half = float(6, 12, { shared: 'v' });
  const size = 60;
  const keep = kernel([v], { scope: { active } }, (v) => {
    for (const p of active(v)) v[p] = v[p].mul(1);
  });
  /* Of the last ones the largest is rounded to a power of two: what is encoded first, and alone, would be rounded twice. */
  const values = Float32Array.from({ length: 3 * size }, (_, k) => Math.sin(k) * (k % 3 === 2 ? 1 - 2 ** -20 : 0.37));

  it('are encoded together however the host writes them', async () => {
    const sim = await program({
      layout: layout(dense(i, size).place(bitStruct(64, stored(v, half)))),
      kernels: { keep },
      fields: { v },
      backend: 'wasm',
    });
    const box = { from: [0], to: [size] };
    const expected = Array.from({ length: size }, (_, p) => {
      const given = [...values.subarray(3 * p, 3 * p + 3)];
      const { shared, codes } = half.joint!.encode(given, 'f32');
      return codes.map((code) => half.joint!.decode(code, shared, 'f32'));
    });
    const all = (): unknown => Array.from({ length: size }, (_, p) => [...(sim.fields.v.get([p]) as Iterable<number>)]);
    sim.fields.v.fromArray(values, box);
    expect(all()).toEqual(expected);
    for (let p = 0; p < size; p++) sim.fields.v.set([p], [...values.subarray(3 * p, 3 * p + 3)]);
    expect(all()).toEqual(expected);
    sim.run.keep();
    expect(all()).toEqual(expected);
    sim.fields.v.fill(expected[7]);
    expect(all()).toEqual(Array.from({ length: size }, () => expected[7]));
    sim.dispose();
  });
});

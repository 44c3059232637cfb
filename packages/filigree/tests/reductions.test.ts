import { describe, expect, it } from 'vitest';
import { watched } from '@filigree/backend';
import { wasm } from '@filigree/backend-wasm';
import { walk, type Module } from '@filigree/ir';
import { compile } from 'filigree';
import { workingBackends } from './support.js';

/* Plain numeric code, which tests run on numbers too. */
const n = 4000;
const programs: Readonly<Record<string, (input: { x: number[] }) => Record<string, number[]>>> = {
  'the energy of springs, their greatest stretch, and sums of regions': ({ x }) => {
    let energy = 0;
    let most = 0;
    const regions = [0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
      const [dx, dy] = [x[(i + 1) % n] - x[i], x[(i + 5) % n] + x[i]];
      const stretch = Math.sqrt(dx * dx + dy * dy) / (1 + (i % 3)) - 1;
      energy += 0.5 * stretch * stretch;
      most = Math.max(most, Math.abs(stretch));
      regions[Math.floor(i / 1000)] += stretch * x[i];
    }
    return { energy: [energy, most], regions };
  },
  'moments about the mean': ({ x }) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += x[i];
    const mean = sum / n;
    let squares = 0;
    for (let i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return { moments: [mean, squares / n], z: x.map((v) => (v - mean) / Math.sqrt(squares)) };
  },
  recurrences: ({ x }) => {
    const sums: number[] = [];
    let [s, a, b] = [0, 1, 0];
    for (let i = 0; i < n; i++) {
      s += x[i];
      sums.push(s);
      [a, b] = [0.6 * a - 0.8 * b, 0.8 * a + 0.6 * b + 0.001 * x[i]];
    }
    return { sums, state: [a, b] };
  },
  'steps on a grid, with a sum in each': ({ x }) => {
    let u = x;
    for (let t = 0; t < 12; t++) {
      let s = 0;
      for (let i = 0; i < n; i++) s += u[i] * u[i];
      const length = Math.sqrt(s);
      const next: number[] = [];
      for (let i = 0; i < n; i++) next.push((u[i] + 0.5 * Math.sin(u[(i + 1) % n])) / length);
      u = next;
    }
    return { u };
  },
};

describe.each(workingBackends)('long sums and recurrences on %s', (backend) => {
  it.each(Object.keys(programs))('computes %s, on any number of threads', async (name) => {
    const x = Array.from({ length: n }, (_, i) => 1 + 0.4 * Math.sin(7 * i));
    const expected = programs[name]({ x });
    const p = await compile({ inputs: { x: n }, run: programs[name] }, { backend, scope: { n } });
    p.set('x', x);
    const results = [1, 2, 3].map((threads) => {
      p.run({ threads });
      return Object.fromEntries(Object.entries(p.outputs).map(([output, values]) => [output, [...values]]));
    });
    for (const [output, values] of Object.entries(expected)) {
      const size = Math.max(...values.map(Math.abs));
      results[0][output].forEach((v, i) => expect(Math.abs(v - values[i]) / size).toBeLessThan(1e-12));
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(p.stats.kernels).toBeLessThanOrEqual(24);
    p.dispose();
  });
});

describe('steps of recurrences', () => {
  const m = 300;
  const run = ({ x }: { x: number[] }): Record<string, number[]> => {
    const y = [x[0], x[1]];
    for (let i = 2; i < m; i++) y.push(0.3 * y[i - 1] - 0.2 * y[i - 2] + x[i]);
    const back = new Array<number>(m).fill(0);
    back[m - 1] = y[m - 1];
    for (let i = m - 2; i >= 0; i--) back[i] = Math.sqrt(1 + back[i + 1] * back[i + 1]) - x[i];
    return { y, back };
  };

  it('carry what they have stored to those that read it, and give the same numbers', async () => {
    const modules: Module[] = [];
    const watch = {
      after: ({ pass, output }: { pass: { name: string }; output: unknown }): void => {
        if (pass.name === 'carry-stores') modules.push(output as Module);
      },
    };
    const x = Array.from({ length: m }, (_, i) => Math.cos(3 * i));
    const p = await compile({ inputs: { x: m }, run }, { backend: watched(wasm(), watch), scope: { m } });
    p.set('x', x);
    p.run();
    for (const [name, values] of Object.entries(run({ x }))) expect([...p.outputs[name]]).toEqual(values);
    p.dispose();
    const readBack: string[] = [];
    let loops = 0;
    for (const { body } of modules.at(-1)!.kernels)
      walk(body, ({ name, regions }) => {
        const buffersOf = (access: string): readonly unknown[] =>
          regions.flatMap(({ ops }) => ops.filter((op) => op.name === access).map((op) => op.attrs['buffer']));
        const stored = buffersOf('mem.store');
        if (name !== 'scf.for' || stored.length === 0) return;
        loops++;
        readBack.push(...(buffersOf('mem.load').filter((buffer) => stored.includes(buffer)) as string[]));
      });
    expect(loops).toBeGreaterThan(1);
    expect(readBack).toEqual([]);
  });
});

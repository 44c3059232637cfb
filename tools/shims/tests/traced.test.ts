import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { compile } from 'filigree';
import { describe, expect, it } from 'vitest';
import { cudaInterleaved, cudaOnCpu, hipOnCpu64, metalOnCpu } from '../src/index.js';
import { changed } from './changed.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const N = 200;

/* Levels that depend on one another, of which each is small. */
const levels = (x: number[]): number[] => {
  let u = x;
  for (let t = 0; t < 3; t++) u = u.map((v, i) => Math.sqrt(1 + v * v + u[(i * 7 + t) % N]! * u[(i * 11) % N]!));
  return u;
};

/* Steps of time on a grid, which are a loop. */
const steps = (x: number[]): number[] => {
  let u = x;
  for (let t = 0; t < 60; t++) u = u.map((v, i) => 0.25 * (u[(i + N - 1) % N]! + 2 * v + Math.sin(u[(i + 1) % N]!)));
  return u;
};

/* Sums of different lengths, some of them long. */
const sums = (x: number[]): number[] =>
  x.map((v, i) => {
    let sum = v;
    for (let k = 0; k < (i * i) % 90; k++) sum += x[(i + k * k) % N]! * x[k]!;
    return sum;
  });

const programs = { levels, steps, sums };

/** By how much a program on a backend is off, in parts of its largest value. */
const off = async (name: keyof typeof programs, backend: Backend, dtype: 'f32' | 'f64'): Promise<number> => {
  const run = programs[name];
  const x = Array.from({ length: N }, (_, i) => Math.sin(3 * i) / 2);
  const program = await compile(
    { inputs: { x: N }, run: ({ x }: { x: number[] }) => ({ y: run(x) }) },
    { backend, dtype, scope: { run, N } },
  );
  try {
    program.set('x', x);
    program.run();
    const found = program.buffer('y').read() as Float64Array;
    const wanted = run(x);
    return Math.max(...wanted.map((w, i) => Math.abs(w - found[i]!))) / Math.max(...wanted.map(Math.abs));
  } finally {
    program.dispose();
  }
};

const names = Object.keys(programs) as (keyof typeof programs)[];

describe.skipIf(!usable).each([
  ['cuda, threads in any order', cudaOnCpu({ seed: 71 }), 'f64'],
  ['cuda, threads that take turns at memory', cudaInterleaved({ seed: 72 }), 'f64'],
  ['hip, 64 in step, the last thread first', hipOnCpu64('backward'), 'f64'],
  ['metal', metalOnCpu({ seed: 73 }), 'f32'],
] as const)('traced programs on %s', (_, backend, dtype) => {
  it.each(names)('%s: teams compute what one after the other does', async (name) => {
    expect(await off(name, backend, dtype)).toBeLessThan(dtype === 'f32' ? 1e-4 : 1e-12);
  });
});

it.skipIf(!usable).each(['levels', 'steps'] as const)('%s: a team that does not wait goes wrong', async (name) => {
  const hasty = changed(cudaOnCpu('backward'), (text) => text.replace(/__syncthreads\(\);/g, ''));
  expect(await off(name, hasty, 'f64')).toBeGreaterThan(1e-6);
});

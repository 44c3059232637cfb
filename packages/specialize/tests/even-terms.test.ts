import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import { defaultOptions } from '@filigree/specialize';
import { both, relativeError, type Body } from './support.js';

const sum = (terms: readonly Num[]): Num => terms.reduce<Num>((a, b) => m.add(a, b), 0);
const upTo = <T>(n: number, f: (k: number) => T): T[] => Array.from({ length: n }, (_, k) => f(k));

/** Sums whose terms read at even distances, and what their tables would take. */
const programs: readonly {
  readonly name: string;
  readonly inputs: Record<string, number>;
  readonly body: Body;
  readonly bytes: number;
}[] = [
  {
    name: 'a filter',
    inputs: { x: 300, h: 70 },
    body: ({ x, h }) => ({ y: upTo(231, (i) => sum(upTo(70, (k) => m.mul(h[k], x[i + k])))) }),
    bytes: 2000,
  },
  {
    name: 'a convolution, whose sums are shorter at its ends',
    inputs: { x: 200, h: 80 },
    body: ({ x, h }) => ({
      y: upTo(279, (i) => {
        const from = Math.max(0, i - 199);
        return sum(upTo(Math.min(80, i + 1) - from, (k) => m.mul(h[from + k], x[i - from - k])));
      }),
    }),
    bytes: 5000,
  },
  {
    name: 'products of matrices, by columns of one',
    inputs: { a: 20 * 70, b: 70 * 22 },
    body: ({ a, b }) => ({
      c: upTo(20 * 22, (e) => sum(upTo(70, (k) => m.mul(a[70 * Math.floor(e / 22) + k], b[22 * k + (e % 22)])))),
    }),
    bytes: 6000,
  },
  {
    name: 'windows in two directions, of which one has a table',
    inputs: { x: 900, w: 81 },
    body: ({ x, w }) => ({
      y: upTo(400, (e) =>
        sum(upTo(81, (k) => m.mul(w[k], x[30 * (Math.floor(e / 20) + Math.floor(k / 9)) + (e % 20) + (k % 9)]))),
      ),
    }),
    bytes: 70_000,
  },
  {
    name: 'sums of two kinds of terms in turns',
    inputs: { x: 500, h: 90 },
    body: ({ x, h }) => ({
      y: upTo(200, (i) => sum(upTo(90, (k) => (k % 2 === 0 ? m.mul(h[k], x[i + k]) : m.sub(h[k], x[2 * i - k + 90]))))),
    }),
    bytes: 24_000,
  },
  {
    name: 'steps that are sums of what the step before has made',
    inputs: { x: 70, a: 70 * 70 },
    body: ({ x, a }) => {
      let u = x;
      for (let t = 0; t < 8; t++) {
        const v = u;
        u = upTo(70, (i) => m.mul(0.02, sum(upTo(70, (k) => m.mul(a[70 * i + k], v[k])))));
      }
      return { u };
    },
    bytes: 2000,
  },
];

describe('sums whose terms read at even distances', () => {
  for (const { name, inputs, body, bytes } of programs)
    for (const arithmetic of ARITHMETICS)
      for (const teams of [false, true])
        it(`have no entry a term: ${name} (${arithmetic}${teams ? ', on teams' : ''})`, () => {
          const options = { emit: { ...defaultOptions.emit, teams } };
          const { outputs, plain, specialized } = both(inputs, body, options, arithmetic);
          for (const [output, values] of Object.entries(plain)) {
            if (arithmetic === 'exact') expect([...outputs[output]]).toEqual(values);
            expect(relativeError(outputs[output], values)).toBeLessThan(1e-12);
          }
          expect(specialized.indexBytes).toBeLessThan(bytes);
        });
});

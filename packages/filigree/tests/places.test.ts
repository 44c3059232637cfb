import { compile, DiagnosticError, type NumericContext } from 'filigree';
import { expect, it } from 'vitest';

type Inputs = { readonly x: number[]; readonly p: number[][] };
type Run = (inputs: Inputs, context: NumericContext) => Record<string, number | number[]>;

const far = Int32Array.of(0, 1, 2, 9);
const swapped = Int32Array.of(1, 0, 3, 2);
const halves = Float64Array.of(0, 0.5, 1, 1.5);
const numbers = new Float64Array(4);
const kept: { x?: number[] } = {};
const keep = (x: number[]): void => void (kept.x = x);
const deeper = (rows: number[][], k: number): number => {
  const row = rows[k];
  return row[0] + 1; // deeper
};
const scope = { far, swapped, halves, numbers, kept, keep, deeper };

/* In each the line that is meant says so. */
const cases: Readonly<Record<string, readonly [code: string, run: Run]>> = {
  'throws an error of its own': [
    'program/threw',
    ({ x }) => {
      if (x.length === 4) throw new Error('own'); // here
      return { x };
    },
  ],
  'reads what there is not': ['program/threw', ({ p }) => ({ y: p.map((_, i) => p[i + 1][0]) /* here */ })],
  'calls a function that does': ['program/threw', ({ p }) => ({ y: deeper(p, 7) })],
  'gives sparse algebra what is no matrix': [
    'program/matrix',
    ({ x }, { sparse }) => {
      const y = x[0];
      sparse.neg(x as never); // here
      return { y };
    },
  ],
  'differentiates no number': [
    'derivative/of',
    ({ x }, { gradient }) => ({
      y: x,
      g: gradient(x as never, x), // here
    }),
  ],
  'has elements that read an array of another length': [
    'elements/range',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0, 0];
      elements(5, { x, y }, ({ x, y }, k) => {
        const here = x[k]; // here
        y[k] = 2 * here;
      });
      return { y };
    },
  ],
  'has an index out of range that is found later': [
    'elements/range',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      elements(4, { x, y, far }, ({ x, y, far }, k) => {
        const here = x[far]; // here
        y[k] = 2 * here;
      });
      return { y };
    },
  ],
  'has an index out of range that is written': [
    'elements/range',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      elements(4, { x, y, far }, ({ x, y, far }, k) => {
        const here = x[k];
        y[far] += here; // here
      });
      return { y };
    },
  ],
  'has an index that is not whole': [
    'elements/table',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      elements(4, { x, y, halves }, ({ x, y, halves }, k) => {
        y[k] = x[halves as never]; // here
      });
      return { y };
    },
  ],
  'reads what elements write': [
    'elements/order',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      const z = [0, 0, 0, 0];
      elements(4, { x, y, z, swapped }, ({ x, y, z, swapped }, k) => {
        y[k] = x[k];
        z[k] = y[swapped]; // here
      });
      return { z };
    },
  ],
  'takes an array from outside with an index': [
    'elements/foreign',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      const other = [1, 2, 3, 4];
      elements(4, { x, y }, ({ x, y }, k) => {
        y[k] = x[k];
        y[k] += other[k]; // here
        y[k] += x[k];
      });
      return { y };
    },
  ],
  'writes symbols to a typed array': [
    'elements/typed-array',
    ({ x }, { elements }) => {
      elements(4, { x, y: numbers }, ({ x, y }, k) => {
        y[k] = x[k]; // here
      });
      return { y: x };
    },
  ],
  'mixes symbols of two traces': [
    'symbol/two-traces',
    ({ x }, { elements }) => {
      const y = [0, 0, 0, 0];
      const { x: old } = kept as { x: number[] };
      elements(4, { x, y, old }, ({ x, y, old }, k) => {
        y[k] = x[k];
        y[k] += old[k]; // here
      });
      return { y };
    },
  ],
};

it.each(Object.entries(cases))('a program that %s is told its line', async (name, [code, run]) => {
  const inputs = { x: 4, p: [4, 2] } as const;
  await compile({ inputs, run: ({ x }) => (keep(x), { y: x }) }, { backend: 'wasm', scope });
  const thrown: unknown = await compile({ inputs, run }, { backend: 'wasm', scope }).catch((e: unknown) => e);
  expect(thrown).toBeInstanceOf(DiagnosticError);
  const { diagnostics } = thrown as DiagnosticError;
  expect(diagnostics.map((d) => d.code)).toEqual([code]);
  expect(diagnostics[0].loc?.file).toContain('places.test.ts');
  expect(diagnostics[0].frame).toMatch(name.includes('calls') ? /^> .*deeper$/m : /^> .*here/m);
});

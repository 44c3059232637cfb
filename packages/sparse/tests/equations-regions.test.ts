import { describe, expect, it } from 'vitest';
import { coreDialects, interpret } from '@filigree/ir';
import { builtinPrograms, checkRegions, resultPattern, type Regions } from '@filigree/sparse/equations';
import { codesOf, iterationsOf, randomInputs, randomSource, regionsOf, right, valuesOf } from './equations-support.js';

type Sizes = Record<string, number>;
type Arrays = Record<string, Float64Array>;
/** Says that a statement computed something other than zero at an iteration. */
type Mark = (statement: number, ...at: number[]) => void;

const range = (from: number, to: number, body: (i: number) => void): void => {
  for (let i = from; i < to; i++) body(i);
};

/** Every program once more, over all iterations, as plain loops. */
const plain: Record<string, (n: Sizes, a: Arrays, mark: Mark) => void> = {
  gemm: ({ I, J, K }, { A, B }, mark) =>
    range(0, I, (i) =>
      range(0, J, (j) => range(0, K, (k) => void (A[i * K + k] * B[k * J + j] !== 0 && mark(0, i, j, k)))),
    ),
  mm: (n, a, mark) => plain.gemm(n, a, mark),
  syrk: ({ N, K }, { A }, mark) =>
    range(0, N, (i) =>
      range(0, i + 1, (j) => range(0, K, (k) => void (A[i * K + k] * A[j * K + k] !== 0 && mark(0, i, j, k)))),
    ),
  syr2k: ({ N, K }, { A, B }, mark) =>
    range(0, N, (i) =>
      range(0, i + 1, (j) =>
        range(0, K, (k) => {
          if (A[i * K + k] * B[j * K + k] + B[i * K + k] * A[j * K + k] !== 0) mark(0, i, j, k);
        }),
      ),
    ),
  jacobi1d: ({ N, T }, { A }, mark) => {
    const [a, b] = [A.slice(), new Float64Array(N)];
    const sweep = (s: number, t: number, from: Float64Array, to: Float64Array): void =>
      range(1, N - 1, (i) => {
        to[i] = from[i - 1] + from[i] + from[i + 1];
        if (to[i] !== 0) mark(s, t, i);
      });
    range(0, T, (t) => {
      sweep(0, t, a, b);
      sweep(1, t, b, a);
    });
  },
  jacobi2d: ({ N, M, T }, { A }, mark) => {
    const [a, b] = [A.slice(), new Float64Array(N * M)];
    const sweep = (s: number, t: number, from: Float64Array, to: Float64Array): void =>
      range(1, N - 1, (i) =>
        range(1, M - 1, (j) => {
          const c = i * M + j;
          to[c] = from[c] + from[c - 1] + from[c + 1] + from[c + M] + from[c - M];
          if (to[c] !== 0) mark(s, t, i, j);
        }),
      );
    range(0, T, (t) => {
      sweep(0, t, a, b);
      sweep(1, t, b, a);
    });
  },
  '2mm': ({ I, J, K, L }, { A, B, C }, mark) => {
    const T = new Float64Array(I * J);
    range(0, I, (i) =>
      range(0, J, (j) =>
        range(0, K, (k) => {
          const x = A[i * K + k] * B[k * J + j];
          if (x !== 0) mark(1, i, j, k);
          T[i * J + j] += x;
        }),
      ),
    );
    range(0, I, (i) =>
      range(0, L, (l) => range(0, J, (k) => void (T[i * J + k] * C[k * L + l] !== 0 && mark(3, i, l, k)))),
    );
  },
  trisolve: ({ N }, { A, b }, mark) => {
    /* Values that never cancel. */
    const x = new Float64Array(N);
    range(0, N, (i) => {
      x[i] = b[i];
      if (x[i] !== 0) mark(0, i);
      range(0, i, (j) => {
        const y = A[i * N + j] * x[j];
        if (y !== 0) mark(1, i, j);
        x[i] = Math.max(x[i], Math.min(y, 1));
      });
      if (x[i] !== 0) mark(2, i);
    });
  },
  stencil: ({ N, M, T }, { In }, mark) => {
    let last: Float64Array = In;
    range(0, T, (t) => {
      const next = new Float64Array(N);
      range(M, N - M, (i) =>
        range(-M, M + 1, (k) => {
          if (last[i + k] !== 0) mark(0, t, i, k);
          next[i] += last[i + k];
        }),
      );
      last = next;
    });
  },
};

const sizesFor = (name: string, random: () => number): Sizes => {
  const program = builtinPrograms.find((p) => p.name === name)!;
  return Object.fromEntries(
    Object.keys(program.sizes).map((s) => [
      s,
      s === 'T' ? 3 : s === 'M' && name === 'stencil' ? 2 : 5 + Math.floor(random() * 7),
    ]),
  );
};

describe.each(builtinPrograms.map((p) => p.name))('%s', (name) => {
  const program = builtinPrograms.find((p) => p.name === name)!;

  it('has the regions of a run over all iterations, on 20 random inputs', () => {
    let found = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomSource(seed);
      const sizes = sizesFor(name, random);
      const regions = regionsOf(program.module(sizes), (s) => randomInputs(s, random, 0.05 + 0.3 * random()));
      const arrays = Object.fromEntries(Object.entries(regions.inputs).map(([a, p]) => [a, valuesOf(p, random)]));
      const expected = regions.statements.map(() => new Set<string>());
      plain[name](sizes, arrays, (s, ...at) => void expected[s].add(at.join()));
      regions.statements.forEach((r, s) => {
        expect(new Set(iterationsOf(r)), `statement ${s}, seed ${seed}`).toEqual(expected[s]);
        expect(r.count).toBe(expected[s].size);
        found += r.count;
      });
      expect(checkRegions(regions)).toMatchObject({ passed: true });
    }
    expect(found).toBeGreaterThan(50);
  });

  it('leaves arrays with the non-zeros that the interpreter finds', () => {
    for (let seed = 31; seed <= 36; seed++) {
      const random = randomSource(seed);
      const module = program.module(sizesFor(name, random));
      const regions = regionsOf(module, (s) => randomInputs(s, random, 0.2));
      expectResults(regions, random);
    }
  });
});

const expectResults = (regions: Regions, random: () => number): void => {
  const { module } = regions.solved;
  const memory = Object.fromEntries(
    module.buffers.map((b) => [
      b.name,
      b.name in regions.inputs ? valuesOf(regions.inputs[b.name], random) : new Float64Array(b.length),
    ]),
  );
  /* Where a program divides by its diagonal there is one. */
  const n = regions.inputs.A?.rows;
  if (module.name === 'trisolve') for (let i = 0; i < n; i++) memory.A[i * n + i] = 1;
  right(interpret(module, coreDialects, memory));
  for (const b of module.buffers.filter((x) => x.role !== 'input')) {
    const expected = [...memory[b.name].keys()].filter((c) => memory[b.name][c] !== 0);
    expect(codesOf(right(resultPattern(regions, b.name))), b.name).toEqual(expected);
  }
};

describe('nearly full matrices', () => {
  it.each(['gemm', 'syrk', '2mm'])('have the regions and results of %s', (name) => {
    const program = builtinPrograms.find((p) => p.name === name)!;
    for (const density of [0.5, 0.97]) {
      const random = randomSource(7);
      /* Rows of more than a word of bits, which fill up long before all has been added. */
      const sizes = Object.fromEntries(Object.keys(program.sizes).map((s) => [s, 33 + Math.floor(random() * 10)]));
      const regions = regionsOf(program.module(sizes), (s) => randomInputs(s, random, density));
      const check = checkRegions(regions);
      expect(check).toMatchObject({ passed: true });
      expect(check.compared).toBeGreaterThan(10_000);
      expectResults(regions, random);
    }
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { evaluateKernel, type KernelDecl } from '@filigree/tensor';
import { DiagnosticError } from 'filigree';
import {
  SEISSOL_LAYOUTS,
  acousticWaves,
  cellsSetup,
  compileCells,
  compileKernels,
  compileTets,
  dubinerMatrices,
  elasticWaves,
  gallery,
  linaKernels,
  nodalBasis,
  nodalError,
  observedOrder,
  periodicTets,
  planeWave,
  randomNumbers,
  readMatrices,
  referenceCells,
  referenceTets,
  seissolKernels,
  simulation,
  starPattern,
  tetsSetup,
  travel,
  type Matrices,
  type Travelled,
} from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = [...(hasCompiler ? ['cpp'] : []), 'wasm'];
/** The backend whose turn it is: what a case proves of kernels, and not of a backend, it proves once. */
const inTurn = (k: number): string => backends[k % backends.length];
const SLOW = 300_000;

const elastic = elasticWaves({ lambda: 2, mu: 1, rho: 1 });
const oblique = (k: readonly number[]): readonly number[] => k.map((x) => 2 * Math.PI * x);

const farthest = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [apart, largest] = [0, 0];
  for (let i = 0; i < b.length; i++) {
    apart = Math.max(apart, Number.isNaN(a[i]) ? Infinity : Math.abs(a[i] - b[i]));
    largest = Math.max(largest, Math.abs(b[i]));
  }
  return a.length === b.length ? apart / largest : Infinity;
};

describe('the mesh of tetrahedra', () => {
  it.each([1, 2, 3])('of %i³ cubes is one that neighbours agree about, and fills the cube', (n) => {
    const mesh = periodicTets(n, { seed: 4 });
    const ways = new Set<number>();
    let volume = 0;
    for (let at = 0; at < 4 * mesh.size; at++) {
      const back = 4 * mesh.neighbours[at] + mesh.sides[at];
      expect([mesh.neighbours[back], mesh.sides[back], mesh.turns[back]]).toEqual([at >> 2, at & 3, mesh.turns[at]]);
      ways.add(12 * (at & 3) + 3 * mesh.sides[at] + mesh.turns[at]);
    }
    for (let e = 0; e < mesh.size; e++) {
      const [a, b, c] = [1, 2, 3].map((k) =>
        [0, 1, 2].map((d) => mesh.corners[12 * e + 3 * k + d] - mesh.corners[12 * e + d]),
      );
      const six =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
      expect(six).toBeGreaterThan(0);
      volume += six / 6;
    }
    expect(volume).toBeCloseTo(1, 12);
    // All 48 ways to meet occur in a mesh that is not tiny, so the solver below is right about each.
    if (n === 3) expect(ways.size).toBe(48);
  });
});

describe('the plain solvers', () => {
  it('carry elastic waves with the order of the basis', () => {
    const solution = planeWave(elastic, oblique([1, 0, 0]));
    const waves = [2, 4].map((n): Travelled => {
      const setup = tetsSetup({ order: 2, n, waves: elastic, solutions: [solution] });
      const solver = referenceTets(setup);
      const steps = travel(solver, setup.dt, 0.05);
      return { n, steps, errors: [setup.modes.error(solver.coefficients(), solution, 0.05)] };
    });
    expect(observedOrder(waves[0], waves[1])).toBeGreaterThan(1.5);
  });

  it.each([
    [2, 3],
    [2, 5],
    [3, 2],
  ] as const)('carry sound in %i dimensions with order %i', (dimensions, order) => {
    const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
    const solution = planeWave(waves, oblique([1, 1, 0].slice(0, dimensions)));
    const found = [4, 6].map((n): Travelled => {
      const setup = cellsSetup({ order, n, waves, solution });
      const solver = referenceCells(setup);
      const steps = travel(solver, setup.dt, 0.05);
      return { n, steps, errors: [nodalError(setup.basis, waves, n, solver.coefficients(), solution, 0.05)] };
    });
    expect(observedOrder(found[0], found[1])).toBeGreaterThan(order - 0.5);
  });
});

describe('the kernels of SeisSol in Einstein notation', () => {
  it.each([2, 4, 6])('of order %i deduce the patterns of the derivatives', (order) => {
    const { derivatives } = seissolKernels({ order, matrices: dubinerMatrices(order), star: starPattern(elastic) });
    // (N − δ + 3 choose 3) coefficients a quantity (§5.1.2).
    expect(derivatives.map((d) => d.assignments[0].target.tensor.pattern!.bits.reduce((a, b) => a + b, 0) / 9)).toEqual(
      Array.from({ length: order - 1 }, (_, k) => ((order - k - 1) * (order - k) * (order - k + 1)) / 6),
    );
  });

  it('are the families of 48 neighbour fluxes and four local ones', () => {
    const kernels = seissolKernels({ order: 2, matrices: dubinerMatrices(2), star: starPattern(elastic) });
    expect(kernels.neighbourFlux.map((k) => k.name)).toContain('neighbourFlux(2,3,1)');
    expect(new Set(kernels.neighbourFlux.map((k) => k.name)).size).toBe(48);
    expect(kernels.localFlux.map((k) => k.name)).toEqual([0, 1, 2, 3].map((i) => `localFlux(${i})`));
  });
});

/** Compiles kernels into one program, runs each on random values, and compares with nested loops. */
const worstOf = async (kernels: readonly KernelDecl[], dtype: 'f32' | 'f64', backend: string): Promise<number> => {
  const { program } = await compileKernels(kernels, { kind: 'one' }, { dtype, backend });
  const random = randomNumbers(7);
  let worst = 0;
  for (const { name } of kernels) {
    const { plan, run } = program.kernels[name];
    const values: Record<string, Float64Array> = {};
    for (const { tensor } of plan.tensors) {
      const size = tensor.shape.reduce((n, x) => n * x, 1);
      values[tensor.name] = Float64Array.from({ length: size }, (_, i) =>
        tensor.pattern?.bits[i] === 0 ? 0 : Math.fround(random() - 0.5),
      );
      if (!tensor.values) program.tensors[tensor.name].set(values[tensor.name]);
    }
    const scalars = Object.fromEntries(plan.scalars.map((s, k) => [s, 1 / (1 << k)]));
    run({ scalars });
    const expected = evaluateKernel(
      kernels.find((k) => k.name === name)!,
      values,
      scalars,
    );
    for (const [tensor, entries] of Object.entries(expected))
      worst = Math.max(worst, farthest(program.tensors[tensor].get(), entries));
  }
  program.dispose();
  return worst;
};

/* Each order, type, number of simulations and of dimensions occurs; of high orders, which take long, one kernel or a few. */
describe('kernels compute what nested loops compute', () => {
  it.each([
    [3, 1, 'f64', inTurn(0)],
    [2, 8, 'f32', inTurn(1)],
    [4, 16, 'f64', 'wasm'],
    [5, 32, 'f32', 'wasm'],
    [6, 1, 'f32', inTurn(0)],
    [7, 1, 'f64', 'wasm'],
  ] as const)(
    'SeisSol, order %i, %i simulations, %s on %s',
    async (order, simulations, dtype, backend) => {
      const k = seissolKernels({
        order,
        simulations,
        matrices: dubinerMatrices(order),
        star: starPattern(elastic),
        layouts: SEISSOL_LAYOUTS,
      });
      const some =
        order < 4
          ? [...k.derivatives, k.taylor, k.volume, k.localFlux[2], k.neighbourFlux[17], k.neighbourFlux[46]]
          : [order % 2 === 0 ? k.derivatives[order - 3] : k.localFlux[order - 4]];
      expect(await worstOf(some, dtype, backend)).toBeLessThan(dtype === 'f32' ? 1e-5 : 1e-13);
    },
    SLOW,
  );

  it.each([
    [3, 2, 'f32', inTurn(0)],
    [2, 4, 'f64', inTurn(1)],
    [2, 8, 'f32', 'wasm'],
    [3, 5, 'f64', 'wasm'],
  ] as const)(
    'LinA in %i dimensions, order %i, %s on %s',
    async (dimensions, order, dtype, backend) => {
      const star = starPattern(acousticWaves(dimensions, { bulk: 2, rho: 1 }));
      const all = Array.from({ length: dimensions }, () => star);
      const full = { shape: star.shape, bits: star.bits.map(() => 1) };
      const k = linaKernels({
        basis: nodalBasis(order),
        dimensions,
        star: all,
        flux: [...all, ...all].map(() => full),
      });
      const some =
        order < 5
          ? [...k.derivatives, k.taylor, k.volume, ...k.sides, ...k.flux]
          : [k.derivatives[0], k.volume, k.sides[1], k.flux[2]];
      expect(await worstOf(some, dtype, backend)).toBeLessThan(dtype === 'f32' ? 1e-5 : 1e-12);
    },
    SLOW,
  );
});

describe.each(backends)('solvers on compiled kernels on %s', (backend) => {
  it.each([
    [3, 1, 'f64', 1],
    [2, 8, 'f32', backend === 'cpp' ? 2 : 1],
    [2, 16, 'f64', 1],
  ] as const)(
    'take the steps that the plain one takes: tetrahedra, order %i, %i simulations, %s, %i threads',
    async (order, simulations, dtype, threads) => {
      const solutions = Array.from({ length: simulations }, (_, s) => planeWave(elastic, oblique([1, s % 3, s % 2])));
      const setup = tetsSetup({ order, n: 2, waves: elastic, solutions });
      const compiled = await compileTets({ ...setup, capacity: 60, dtype, backend, threads });
      const [ours, plain] = [compiled.start(setup), referenceTets(setup)];
      for (const solver of [ours, plain]) for (let k = 0; k < 2; k++) solver.step(setup.dt);
      expect(farthest(ours.coefficients(), plain.coefficients())).toBeLessThan(dtype === 'f32' ? 1e-5 : 1e-12);
      const first = simulation(ours.coefficients(), 0, simulations);
      expect(setup.modes.error(first, solutions[0], 2 * setup.dt)).toBeLessThan(0.5);
      compiled.close();
    },
    SLOW,
  );

  it.each([
    [2, 4, 'f64'],
    [3, 2, 'f32'],
  ] as const)(
    'take the steps that the plain one takes: %i dimensions, order %i, %s',
    async (dimensions, order, dtype) => {
      const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
      const solution = planeWave(waves, oblique([1, 1, 1].slice(0, dimensions)));
      const compiled = await compileCells({ order, waves, capacity: 30, dtype, backend });
      // The second grid takes the memory of the first.
      for (const n of [3, 2]) {
        const setup = cellsSetup({ order, n, waves, solution });
        const [ours, plain] = [compiled.start(setup), referenceCells(setup)];
        for (const solver of [ours, plain]) for (let k = 0; k < 2; k++) solver.step(setup.dt);
        expect(farthest(ours.coefficients(), plain.coefficients())).toBeLessThan(dtype === 'f32' ? 1e-5 : 1e-12);
      }
      compiled.close();
    },
    SLOW,
  );
});

const out = mkdtempSync(join(tmpdir(), 'filigree-tensors-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const options = (backend: string, args: Readonly<Record<string, string>>, bench = false) => ({
  args: { ...args, out },
  backend,
  dtype: 'f64' as const,
  threads: 1,
  seed: 1,
  bench,
  ablate: [],
  progress: () => undefined,
});

describe('the applications of tensors', () => {
  it.each([
    ['seissol', { order: '2', fused: '4', dtype: 'f32', size: '1' }, 'svg', inTurn(1)],
    ['lina', { dim: '3', order: '2', size: '2' }, 'svg', inTurn(0)],
    ['plane-wave', { method: 'seissol', order: '2', size: '3' }, 'png', inTurn(0)],
    ['plane-wave', { method: 'lina', order: '4', size: '4' }, 'png', inTurn(1)],
  ] as const)(
    '%s %j passes its checks and draws a picture',
    async (name, args, extension, backend) => {
      const result = await gallery[name].run(options(backend, args));
      expect(result.check).toEqual({ passed: true });
      expect(existsSync(join(out, `${name}.${extension}`))).toBe(true);
      if (name === 'plane-wave') expect(result.metrics.observedOrder).toBeGreaterThan(Number(args.order) - 0.5);
      else {
        expect(result.metrics.hardwareGflops).toBeGreaterThan(0);
        expect(Number(result.metrics.hardwareFlops)).toBeGreaterThanOrEqual(Number(result.metrics.nonzeroFlops));
      }
    },
    SLOW,
  );
});

describe('baselines of the applications of tensors', () => {
  it.each([
    ['seissol', { order: '2', fused: '2', size: '1' }, ['libxsmm', 'single']],
    ['lina', { dim: '2', order: '3', size: '2' }, ['libxsmm', 'native']],
    ['lina', { dim: '3', order: '4', size: '3', dtype: 'f32' }, ['libxsmm', 'native']],
  ] as const)(
    '%s %j is timed beside others that come to the same, or says why not',
    async (name, args, expected) => {
      const said: string[] = [];
      const { check, metrics, baselines } = await gallery[name].run({
        ...options(inTurn(0), args, true),
        warn: (all) => said.push(...all.map(({ code, severity }) => `${severity} ${code}`)),
      });
      expect(check).toEqual({ passed: true });
      const missing = baselines?.libxsmm === undefined;
      if (process.env.CI === 'true') expect(missing).toBe(false);
      const explained = /^(warning (cpp\/plugin-missing|runtime\/backend|example\/baseline),?)+$/;
      if (missing) expect(said.join()).toMatch(explained);
      else {
        expect(metrics.productsByLibxsmm).toMatch(/^[1-9]\d* of \d+$/);
        expect(metrics['difference with LIBXSMM']).toBeLessThan('dtype' in args ? 1e-5 : 1e-12);
      }
      if (hasCompiler && name === 'lina')
        expect(metrics['difference from native']).toBeLessThan('dtype' in args ? 1e-5 : 1e-12);
      const possible: Readonly<Record<string, boolean>> = { libxsmm: !missing, native: hasCompiler };
      expect(Object.keys(baselines ?? {})).toEqual(expected.filter((b) => possible[b] ?? true));
    },
    SLOW,
  );
});

/* The high orders take minutes, most of them for setting up; `FILIGREE_LONG=1` runs them. */
describe.runIf(process.env.FILIGREE_LONG === '1')('plane waves of high order', () => {
  it.each([
    ['lina', 6, { dim: '2' }],
    ['lina', 7, { dim: '2' }],
    ['lina', 6, { dim: '3', size: '2' }],
    ['lina', 7, { dim: '3', size: '2' }],
    ['seissol', 6, {}],
    ['seissol', 7, {}],
  ] as const)(
    '%s, order %i, %j converge at the order of the scheme',
    async (method, order, more) => {
      const args = { method, order: String(order), ...more };
      const { check, metrics } = await gallery['plane-wave'].run(options(inTurn(0), args));
      expect(check).toEqual({ passed: true });
      expect(metrics.observedOrder).toBeGreaterThan(order - 0.5);
    },
    4 * SLOW,
  );
});

describe('the arguments of the applications of tensors', () => {
  const refusal = (name: string, args: Readonly<Record<string, string>>): Promise<unknown> =>
    gallery[name].run(options('wasm', args)).then(
      () => undefined,
      (e: unknown) => (e instanceof DiagnosticError ? e.diagnostics[0] : e),
    );

  it.each([
    ['seissol', { order: '8' }],
    ['seissol', { order: '1' }],
    ['seissol', { fused: 'many' }],
    ['seissol', { dtype: 'f16' }],
    ['lina', { dim: '4' }],
    ['plane-wave', { method: 'fem' }],
    ['plane-wave', { method: 'lina', fused: '8' }],
  ] as const)('%s refuses %j', async (name, args) => {
    expect(await refusal(name, args)).toMatchObject({
      code: 'example/argument',
      remedy: expect.stringMatching(/give/),
    });
  });

  it('seissol takes matrices of its order only', async () => {
    const file = join(out, 'matrices.xml');
    const text = xmlOf(dubinerMatrices(3));
    expect(readMatrices(file, text)).toEqual(dubinerMatrices(3));
    writeFileSync(file, text);
    expect(await refusal('seissol', { order: '2', matrices: file })).toMatchObject({
      code: 'example/matrices',
      remedy: expect.stringContaining('4 basis functions'),
    });
    expect(await refusal('seissol', { order: '2', matrices: join(out, 'none.xml') })).toMatchObject({
      severity: 'error',
    });
    expect(readFileSync(file, 'utf8').length).toBe(text.length);
  });
});

const xmlOf = (matrices: Matrices): string =>
  `<matrices>${Object.values(matrices)
    .map(({ name, shape: [rows, columns], pattern, values }) => {
      const entries = [...values!].flatMap((x, at) =>
        pattern!.bits[at]
          ? [`<entry row="${(at % rows) + 1}" column="${Math.floor(at / rows) + 1}" value="${x}"/>`]
          : [],
      );
      return `<matrix name="${name}" rows="${rows}" columns="${columns}">${entries.join('')}</matrix>`;
    })
    .join('')}</matrices>`;

import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { PlacedTensor } from '@filigree/tensor/einsum';
import { compileKernels, slotsFor, type CompileKernelsOptions } from '../compile-kernels.js';
import type { ElementLayouts } from '../element-kernels.js';
import { flopsOf, gathered, taylorScalars, type Solver, type SolverProgram } from '../solver.js';
import type { Waves } from '../waves.js';
import { cellCoefficients, cellNeighbours } from './cells.js';
import { linaKernels } from './kernels.js';
import { nodalBasis } from './nodal-matrices.js';
import type { CellsSetup } from './setup.js';

/** The two parts of a step in time. */
export const CELL_PARTS = ['local', 'meet'] as const;
export type CellPart = (typeof CELL_PARTS)[number];

export interface CellsProgramOptions extends CompileKernelsOptions {
  readonly order: number;
  readonly waves: Waves;
  /** Cells that there is memory for. */
  readonly capacity: number;
  readonly layouts?: ElementLayouts;
}

/** The scheme of LinA on compiled kernels: what cells do by themselves, in chunks, then the fluxes between them. */
export const compileCells = async (options: CellsProgramOptions): Promise<SolverProgram<CellsSetup, CellPart>> => {
  const { order, waves, capacity, threads = 1 } = options;
  const { dimensions } = waves;
  const quantities = waves.quantities.length;
  const pattern = (...all: readonly Float64Array[]): BooleanTensor => ({
    shape: [quantities, quantities],
    bits: all[0].reduce(
      (bits, _, i) => (all.some((a) => a[i] !== 0) && (bits[i] = 1), bits),
      new Uint8Array(all[0].length),
    ),
  });
  const unit = cellCoefficients(waves, 1);
  const kernels = linaKernels({
    basis: nodalBasis(order),
    dimensions,
    star: unit.star.map((a) => pattern(a)),
    flux: unit.own.map((a, side) => pattern(a, unit.neighbour[side])),
    layouts: options.layouts ?? LINA_LAYOUTS,
  });
  const placed: Record<string, PlacedTensor> = { I: { kind: 'indexed', by: 'slot' } };
  for (let d = 1; d < order; d++) placed[`dQ(${d})`] = { kind: 'indexed', by: 'slot' };
  unit.star.forEach((_, d) => (placed[`star(${d})`] = { kind: 'shared' }));
  unit.own.forEach((_, side) => {
    const [letter, end] = ['XYZ'[side >> 1], side & 1];
    placed[`Aplus(${side})`] = { kind: 'shared' };
    placed[`Aminus(${side})`] = { kind: 'shared' };
    // What the neighbour has on its opposite side.
    placed[`${letter}Neighbour(${end})`] = { kind: 'indexed', by: `neighbour_${side}`, buffer: `${letter}_${1 - end}` };
  });
  const { program, planMs } = await compileKernels(
    [kernels.local, kernels.meet],
    { kind: 'many', count: capacity, placed },
    options,
  );
  const slots = slotsFor(program, /^(dQ|I)/, capacity) * threads;
  program.setIndices(
    'slot',
    Array.from({ length: capacity }, (_, e) => e % slots),
  );

  const start = (setup: CellsSetup): Solver<CellPart> => {
    const { n, coefficients } = setup;
    const cells = n ** dimensions;
    const count = setup.start.length / cells;
    const { tensors } = program;
    const neighbours = coefficients.own.map(() => new Int32Array(cells));
    for (let cell = 0; cell < cells; cell++) {
      tensors.Q.set(setup.start.subarray(cell * count, (cell + 1) * count), cell);
      cellNeighbours(dimensions, n, cell).forEach((other, side) => (neighbours[side][cell] = other));
    }
    neighbours.forEach((others, side) => program.setIndices(`neighbour_${side}`, others));
    /* Derivatives are taken by a step instead of a second: by a second, those of high orders leave the range of f32. */
    let taken: number | undefined;
    const measureBy = (dt: number): void => {
      if (dt === taken) return;
      const times = (a: Float64Array): Float64Array => a.map((x) => dt * x);
      coefficients.star.forEach((a, d) => tensors[`star(${d})`].set(times(a)));
      coefficients.own.forEach((a, side) => tensors[`Aplus(${side})`].set(times(a)));
      coefficients.neighbour.forEach((a, side) => tensors[`Aminus(${side})`].set(times(a)));
      taken = dt;
    };
    const scalars = taylorScalars(order, 1);
    const local = (dt: number): void => {
      measureBy(dt);
      for (let first = 0; first < cells; first += slots)
        program.kernels.local.run({ first, last: Math.min(first + slots, cells), scalars });
    };
    const meet = (dt: number): void => {
      measureBy(dt);
      program.kernels.meet.run({ first: 0, last: cells });
    };
    return {
      coefficients: () => gathered(program, cells, setup.start.length),
      step: (dt) => {
        local(dt);
        meet(dt);
      },
      parts: CELL_PARTS,
      part: (part, dt) => (part === 'local' ? local(dt) : meet(dt)),
      flops: () => ({
        local: flopsOf([[cells, program.kernels.local.flops]]),
        meet: flopsOf([[cells, program.kernels.meet.flops]]),
      }),
      close: () => undefined,
    };
  };
  return { program, planMs, start, close: program.dispose };
};

/** Jacobians and flux solvers by their non-zeros, as §6.5 found best; the rest dense, in whole vectors. */
export const LINA_LAYOUTS: ElementLayouts = { star: 'csc', flux: 'csc' };

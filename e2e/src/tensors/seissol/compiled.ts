import { orThrow } from '@filigree/ir';
import type { TensorProgram } from 'filigree';
import { planKernel, planStages, type Flops, type PlacedTensor } from '@filigree/tensor/einsum';
import { compileKernels, slotsFor, type CompileKernelsOptions } from '../compile-kernels.js';
import type { ElementLayouts } from '../element-kernels.js';
import { flopsOf, gathered, taylorScalars, type Solver, type SolverProgram } from '../solver.js';
import { seissolKernels, transposedIf, type SeissolOptions } from './kernels.js';
import type { TetsSetup } from './setup.js';
import { type SimulationGroups, simulationGroups } from './simulation-groups.js';

/** The three parts of a step in time. */
export const TET_PARTS = ['predictor', 'local', 'neighbour'] as const;
export type TetPart = (typeof TET_PARTS)[number];

export interface TetsProgramOptions extends CompileKernelsOptions, SeissolOptions {
  /** Elements that there is memory for. */
  readonly capacity: number;
}

/**
 * The ADER-DG scheme of SeisSol on compiled kernels: for chunks of elements the predictor and what each does by itself, then the flux from
 * the neighbours, whose matrices each side finds by how it meets its neighbour.
 */
export const compileTets = async (options: TetsProgramOptions): Promise<SolverProgram<TetsSetup, TetPart>> => {
  const { order, simulations = 1, matrices, threads = 1 } = options;
  const groups = simulationGroups(simulations, options.dtype);
  // What kernels run for is a group of an element. The matrices of neighbours lie in buffers that have as many places as there are such.
  const capacity = Math.max(options.capacity * groups.count, 4);
  const kernels = seissolKernels({ layouts: SEISSOL_LAYOUTS, ...options, simulations: groups.size });
  const placed: Record<string, PlacedTensor> = {};
  for (const i of SIDES) {
    placed[`INeighbour(${i})`] = { kind: 'indexed', by: `neighbour_${i}`, buffer: 'I' };
    placed[`rTAt(${i})`] = { kind: 'indexed', by: `side_${i}`, buffer: 'rT' };
    placed[`fPAt(${i})`] = { kind: 'indexed', by: `turn_${i}`, buffer: 'fP' };
  }
  for (let d = 1; d < order; d++) placed[`dQ(${d})`] = { kind: 'indexed', by: 'slot' };
  if (groups.count > 1)
    for (const name of ['star(0)', 'star(1)', 'star(2)', ...SIDES.flatMap((i) => [`AplusT(${i})`, `AminusT(${i})`])])
      placed[name] = { kind: 'indexed', by: 'element' };
  const { program, planMs } = await compileKernels(
    [kernels.predictor, kernels.local, kernels.neighbour],
    { kind: 'many', count: capacity, placed },
    options,
  );
  const { tensors, indices } = program;
  const number = (by: string, f: (at: number) => number): void => {
    if (by in indices)
      program.setIndices(
        by,
        Array.from({ length: capacity }, (_, at) => f(at)),
      );
  };
  for (const [name, count] of [['rT', 4] as const, ['fP', 3] as const])
    for (let k = 0; k < count; k++)
      tensors[`${name}At(0)`].set(transposedIf(simulations > 1, matrices[`${name}(${k})`], 1).values, k);
  const slots = slotsFor(program, /^dQ/, capacity) * threads;
  number('slot', (at) => at % slots);
  number('element', (at) => Math.floor(at / groups.count));
  const { predictor, local, neighbour } = program.kernels;

  const start = (setup: TetsSetup): Solver<TetPart> => {
    const runs = setup.mesh.size * groups.count;
    fill(program, groups, setup);
    const chunks = (run: (first: number, last: number) => void): void => {
      for (let first = 0; first < runs; first += slots) run(first, Math.min(first + slots, runs));
    };
    const predict = (dt: number): ((first: number, last: number) => void) => {
      const scalars = taylorScalars(order, dt);
      return (first, last) => predictor.run({ first, last, scalars });
    };
    const neighbours = (): void => neighbour.run({ first: 0, last: runs });
    return {
      coefficients: () => groups.together(gathered(program, runs, setup.start.length), setup.mesh.size),
      step: (dt) => {
        const run = predict(dt);
        chunks((first, last) => {
          run(first, last);
          local.run({ first, last });
        });
        neighbours();
      },
      parts: TET_PARTS,
      part: (part, dt) => {
        if (part === 'predictor') chunks(predict(dt));
        else if (part === 'local') local.run({ first: 0, last: runs });
        else neighbours();
      },
      // What is non-zero of the neighbour's flux is that of the very matrices that each side needs, none of them multiplied beforehand.
      flops: () => {
        const counts = meetingsOf(setup);
        const each = kernels.neighbourFlux.flatMap((k, v): [number, Flops][] =>
          counts[v] > 0
            ? [[groups.count * counts[v], orThrow(planKernel(k, { type: options.dtype }, AS_WRITTEN)).flops]]
            : [],
        );
        const needed = flopsOf(each);
        return {
          predictor: flopsOf([[runs, predictor.flops]]),
          local: flopsOf([[runs, local.flops]]),
          neighbour: { ...needed, hardware: runs * neighbour.flops.hardware },
        };
      },
      close: () => undefined,
    };
  };
  return { program, planMs, start, close: program.dispose };
};

const SIDES = [0, 1, 2, 3];
const AS_WRITTEN = planStages.filter((s) => s.name !== 'fold-known');

const fill = (
  { tensors, setIndices }: TensorProgram,
  groups: SimulationGroups,
  { mesh, elements, start, star }: TetsSetup,
): void => {
  const width = star.shape[0] ** 2;
  const block = (all: Float64Array, at: number): Float64Array => all.subarray(at * width, (at + 1) * width);
  const state = groups.apart(start, mesh.size);
  const count = state.length / mesh.size / groups.count;
  const numbers = (of: (e: number, g: number) => number): Int32Array =>
    Int32Array.from({ length: groups.count * mesh.size }, (_, at) =>
      of(Math.floor(at / groups.count), at % groups.count),
    );
  for (const i of SIDES) {
    setIndices(
      `neighbour_${i}`,
      numbers((e, g) => groups.count * mesh.neighbours[4 * e + i] + g),
    );
    setIndices(
      `side_${i}`,
      numbers((e) => mesh.sides[4 * e + i]),
    );
    setIndices(
      `turn_${i}`,
      numbers((e) => mesh.turns[4 * e + i]),
    );
  }
  for (let e = 0; e < mesh.size; e++) {
    for (let c = 0; c < 3; c++) tensors[`star(${c})`].set(block(elements.star, 3 * e + c), e);
    for (const i of SIDES) {
      tensors[`AplusT(${i})`].set(block(elements.own, 4 * e + i), e);
      tensors[`AminusT(${i})`].set(block(elements.neighbour, 4 * e + i), e);
    }
    for (let g = 0; g < groups.count; g++) {
      const at = groups.count * e + g;
      tensors.Q.set(state.subarray(at * count, (at + 1) * count), at);
    }
  }
};

/**
 * Flux solvers dense, Jacobians by their non-zeros (§6.2). Matrices on the reference element lie whole, in whole vectors: the planner knows their
 * zeros and leaves out those that its model of the processor says are worth it. Stored by their non-zeros, which leaves it no choice, a step
 * of 8 fused simulations in f64 takes 1.01, 0.98, 0.97 and 1.05 times as long at orders 2 to 5.
 */
export const SEISSOL_LAYOUTS: ElementLayouts = { state: 'aligned', reference: 'aligned', star: 'csc' };

/** How many sides meet their neighbours in each of the 48 ways, by the number of the neighbour flux. */
const meetingsOf = ({ mesh }: TetsSetup): Int32Array => {
  const counts = new Int32Array(48);
  for (let at = 0; at < 4 * mesh.size; at++) counts[mesh.turns[at] + 3 * (mesh.sides[at] + 4 * (at & 3))]++;
  return counts;
};

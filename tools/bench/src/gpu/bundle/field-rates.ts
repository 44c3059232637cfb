import { byteSize } from '@filigree/ir';
import {
  accumulate,
  active,
  append,
  at,
  cache,
  clear,
  dense,
  dynamic,
  field,
  fields,
  i,
  idiv,
  ij,
  ijk,
  k,
  kernel,
  layout,
  program,
  quadraticSpline,
  range,
  splineNodes,
  vec,
  type Grid1,
} from 'filigree';
import type { BundledProgram, LeftOut } from './bundled-program.js';
import type { Recorder } from './recorder.js';
import type { Float } from './rates.js';
import type { DataType, Part } from './recording.js';
import { byRelative } from './relative.js';

/** Loops over sparse blocks, scattering to a grid with scratchpads and without, activation of cells. */
export async function* fieldRates(elements: number, recorder: Recorder): AsyncGenerator<BundledProgram | LeftOut> {
  for (const [name, { make, kind }] of Object.entries(fieldPrograms)) {
    const made = await make(elements, recorder, 'f64');
    const program = recorded(name, kind, recorder, made.close);
    yield isRight(made) ? program : { name, reason: 'its result is wrong' };
  }
}

/** Whether sums are what they should be, but for rounding: thousands of numbers are added up in one type. */
export const isRight = ({ sums, type }: Made): boolean =>
  sums.every(([found, expected]) => Math.abs(found - expected) <= NEAR[type] * Math.abs(expected));

const NEAR: Readonly<Record<Float, number>> = { f32: 1e-3, f64: 1e-9 };

/* The calls of a program that was made on the recorder, which ends with them. */
const recorded = (
  name: string,
  kind: BundledProgram['kind'],
  { take }: Recorder,
  close: () => void,
): BundledProgram => {
  const recording = take();
  close();
  take();
  return { name, kind, recording, tolerance };
};

/* The numbers of cells that the host reads follow the order in which threads took them. */
const tolerance = (type: DataType): string => (type === 'bytes' ? 'any 0' : byRelative(type));

/** A program of fields on a backend, what it found and should have, and how it is let go of. */
interface Made {
  readonly sums: readonly (readonly [found: number, expected: number])[];
  /** The type in which they are added up, or one that holds them. */
  readonly type: Float;
  readonly close: () => void;
}

type Make = (elements: number, on: Pick<Recorder, 'backend' | 'part'>, type: Float) => Promise<Made>;

/** y = x / 2 + y over every other block of 256, in which the elements of each field lie side by side. */
const structFor: Make = async (elements, { backend, part }, type) => {
  const [x, y] = [field('x', type), field('y', type)];
  const block = 256;
  const blocks = Math.ceil(elements / block);
  const scope = { block };
  const sim = await program({
    layout: layout(
      dense(i, 2 * blocks)
        .pointer()
        .fork(dense(i, block).place(x), dense(i, block).place(y)),
    ),
    kernels: {
      fill: kernel([x, y, 'i32'], { scope }, (x: Grid1, y: Grid1, n: number) => {
        for (const k of range(n)) {
          const at = 2 * block * idiv(k, block) + (k % block);
          x[at] = k % 97;
          y[at] = 1;
        }
      }),
      add: kernel([x, y], (x: Grid1, y: Grid1) => {
        for (const k of active(x)) y[k] += 0.5 * x[k];
      }),
      total: kernel([y], (y: Grid1) => {
        let sum = 0;
        for (const k of active(y)) sum += y[k];
        return sum;
      }),
    },
    backend,
  });
  sim.run.fill(blocks * block);
  const amount = 3 * byteSize(type) * blocks * block;
  part({ part: 'launch', calls: 'launches', amount, unit: 'bytes' }, () => sim.run.add());
  const expected = Array.from({ length: blocks * block }, (_, k) => 1 + 0.5 * (k % 97)).reduce((a, b) => a + b);
  return { sums: [[sim.run.total(), expected]], type, close: () => sim.dispose() };
};

/** Mass and momentum of particles, four in each cell, go to the nodes of a grid around them. */
const scatter: Make = async (elements, { backend, part }) => {
  const side = 8 * Math.max(2, Math.min(64, Math.round(Math.sqrt(elements) / 32)));
  const count = 4 * (side - 8) ** 2;
  const { x } = fields('f32', i, { x: 2 });
  const { g } = fields('f32', ij, { g: 3 });
  const { list } = fields('i32', ijk, ['list']);
  const along = 2 * (side - 8);
  const scope = { side, along };
  const sim = await program({
    layout: layout(
      dense(i, count).place(x),
      dense(ij, side / 8)
        .pointer()
        .fork(dense(ij, 8).place(g), dynamic(k, 1024).place(list)),
    ),
    kernels: {
      /* In rows, each a little off its place. */
      fill: kernel([x, list], { scope: { ...scope, count } }, (x, list) => {
        for (const p of range(count)) {
          x[p] = vec((p % along) / 2 + (p % 7) / 20, idiv(p, along) / 2 + (p % 5) / 15)
            .add(4)
            .div(side);
          append(at(list, idiv(quadraticSpline(x[p].mul(side)).base, 8)), p);
        }
      }),
      empty: kernel([g], (g) => {
        for (const [i, j] of active(g)) for (const c of range(3)) g[i][j][c] = 0;
      }),
      cached: kernel([x, g, list], { scope }, (x, g, list) => {
        for (const [i, j, k] of active(list)) {
          cache(g);
          const p = list[i][j][k];
          for (const [node, weight, away] of splineNodes(x[p].mul(side), [8 * i, 8 * j], 8))
            accumulate(g, node, vec(away, 1).mul(weight));
        }
      }),
      direct: kernel([x, g, list], { scope }, (x, g, list) => {
        for (const [i, j, k] of active(list)) {
          const p = list[i][j][k];
          for (const [node, weight, away] of splineNodes(x[p].mul(side), [8 * i, 8 * j], 8))
            accumulate(g, node, vec(away, 1).mul(weight));
        }
      }),
      mass: kernel([g], (g) => {
        let sum = 0;
        for (const [i, j] of active(g)) sum += g[i][j][2];
        return sum;
      }),
    },
    backend,
  });
  sim.run.fill();
  const ways = { 'with scratchpads': sim.run.cached, without: sim.run.direct };
  const sums = Object.entries(ways).map(([way, run]): Made['sums'][number] => {
    sim.run.empty();
    part({ part: way, calls: 'launches', amount: count, unit: 'particles' }, () => run());
    return [sim.run.mass(), count];
  });
  return { sums, type: 'f32', close: () => sim.dispose() };
};

/** Every cell of 16 elements is written, of which none is there. */
const activation: Make = async (elements, { backend, part }) => {
  const x = field('x', 'i32');
  const cells = Math.min(elements, 1 << 20);
  const scope = { cells };
  const sim = await program({
    layout: layout(dense(i, cells).pointer().dense(i, 16).place(x)),
    kernels: {
      empty: kernel([x], (x: Grid1) => {
        clear(x);
      }),
      write: kernel([x], { scope }, (x: Grid1) => {
        for (const k of range(cells)) x[16 * k] = 1;
      }),
      total: kernel([x], (x: Grid1) => {
        let sum = 0;
        for (const k of active(x)) sum += x[k];
        return sum;
      }),
    },
    backend,
  });
  const cellsOf: Omit<Part, 'part'> = { calls: 'launches', amount: cells, unit: 'cells' };
  part({ part: 'empty and activate', ...cellsOf }, () => {
    sim.run.empty();
    sim.run.write();
  });
  return { sums: [[sim.run.total(), cells]], type: 'f64', close: () => sim.dispose() };
};

/** What is measured of fields, and among which rates its time stands. */
export const fieldPrograms: Readonly<Record<string, { readonly make: Make; readonly kind: 'rate' | 'fields' }>> = {
  'struct-for': { make: structFor, kind: 'rate' },
  p2g: { make: scatter, kind: 'fields' },
  activate: { make: activation, kind: 'fields' },
};

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
import { fail } from '@filigree/ir';
import type { BundledProgram } from './programs.js';
import type { Recorder } from './recorder.js';
import type { DataType, Part } from './recording.js';
import { byRelative } from './relative.js';

/** Loops over sparse blocks, scattering to a grid with scratchpads and without, activation of cells. */
export async function* fieldRates(elements: number, recorder: Recorder): AsyncGenerator<BundledProgram> {
  for (const [name, make] of Object.entries({ 'struct-for': structFor, p2g: scatter, activate: activation }))
    yield recorded(name, recorder, await make(elements, recorder));
}

/* The calls of a program that was made on the recorder, which ends with them. */
const recorded = (name: string, { take }: Recorder, close: () => void): BundledProgram => {
  const recording = take();
  close();
  take();
  return { name, kind: name === 'struct-for' ? 'rate' : 'fields', recording, tolerance };
};

/* The numbers of cells that the host reads follow the order in which threads took them. */
const tolerance = (type: DataType): string => (type === 'bytes' ? 'any 0' : byRelative(type));

type Make = (elements: number, recorder: Recorder) => Promise<() => void>;

/** y = x / 2 + y over every other block of 256, in which the elements of each field lie side by side. */
const structFor: Make = async (elements, { backend, part }) => {
  const [x, y] = [field('x', 'f64'), field('y', 'f64')];
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
        for (const k of active(x)) y[k] = 0.5 * x[k] + y[k];
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
  part({ part: 'launch', calls: 'launches', amount: 3 * 8 * blocks * block, unit: 'bytes' }, () => sim.run.add());
  sim.run.total();
  return () => sim.dispose();
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
  for (const [way, run] of [
    ['with scratchpads', sim.run.cached],
    ['without', sim.run.direct],
  ] as const) {
    sim.run.empty();
    part({ part: way, calls: 'launches', amount: count, unit: 'particles' }, () => run());
    const mass = sim.run.mass();
    if (!(Math.abs(mass - count) < 1e-3 * count))
      fail('gpu/rates', `${way}: ${count} particles came to the grid as ${mass}`);
  }
  return () => sim.dispose();
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
  sim.run.total();
  return () => sim.dispose();
};

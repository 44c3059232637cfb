import {
  active,
  compileExpression,
  dense,
  field,
  i,
  kernel,
  layout,
  program,
  session,
  type CompiledProgram,
  type Csr,
  type ExampleOptions,
  type FieldDecl,
  type GraphPass,
  type Grid1,
} from 'filigree';
import { vertexCount, type Mesh } from '../meshes/index.js';
import { cotanAssembly, cotanLaplacian, nonZeros } from '../programs/index.js';
import { columnOf } from './column-of.js';
import { farthest } from './farthest.js';
import type { CaseOutcome } from './run-case.js';

/** How the example is run. */
export interface PatternsOptions extends Pick<ExampleOptions, 'backend' | 'dtype' | 'threads' | 'emit' | 'warn'> {
  readonly mesh: Mesh;
  readonly steps: number;
  readonly queue: boolean;
  readonly without: readonly GraphPass[];
}

/**
 * Two substances that react and spread over a surface (Gray and Scott): how each spreads is a product with the surface's Laplacian, an expression of sparse algebra;
 * how they react is a kernel on fields. Both are programs of one session, the products bound to the fields. What the products leave in a
 * stretch of vertices only the kernel reads, and only there: the three launches of a step become one loop. The next step reads neighbours, and stays
 * apart.
 */
export const runSurfacePatterns = async (options: PatternsOptions): Promise<CaseOutcome> => {
  const { steps, queue, without, dtype, threads, backend } = options;
  const mesh = withoutLoneVertices(options.mesh);
  const n = vertexCount(mesh);
  const matrix = spreading(mesh);
  const together = await session({ queue: queue && { without }, ...(backend === undefined ? {} : { backend }) });
  const [u, v, nextU, nextV, spreadU, spreadV] = ['u', 'v', 'nextU', 'nextV', 'spreadU', 'spreadV'].map((name) =>
    field(name, dtype),
  );
  const fields = { u, v, nextU, nextV, spreadU, spreadV };
  const sim = await program({
    layout: layout(...Object.values(fields).map((f) => dense(i, n).place(f))),
    kernels: {
      react: reaction([u, v, spreadU, spreadV, nextU, nextV]),
      reactBack: reaction([nextU, nextV, spreadU, spreadV, u, v]),
    },
    fields,
    session: together,
    threads,
    queue: queue && { without },
  });
  const column = columnOf(n);
  let values: CompiledProgram | undefined;
  const product = async (from: keyof typeof fields, to: keyof typeof fields): Promise<CompiledProgram> => {
    const made = await compileExpression(
      'A*X',
      { A: matrix, X: column },
      {
        session: together,
        dtype,
        threads,
        bind: {
          X: sim.fields[from].buffer(),
          result: sim.fields[to].buffer(),
          ...(values && { A: values.buffer('A') }),
        },
      },
    );
    values ??= made;
    return made;
  };
  const there = [await product('u', 'spreadU'), await product('v', 'spreadV')];
  const back = [await product('nextU', 'spreadU'), await product('nextV', 'spreadV')];
  options.emit?.('surface-patterns', there[0].sources);
  const start = startOn(mesh);
  sim.fields.u.fromArray(start.u);
  sim.fields.v.fromArray(start.v);
  const take = (count: number): void => {
    for (let k = 0; k < count; k++) {
      for (const one of there) one.run();
      sim.run.react();
      for (const one of back) one.run();
      sim.run.reactBack();
      together.flush();
    }
  };
  const launchesOfStep = there.length + back.length + 2;
  try {
    for (let k = 0; k < WARM; k++) {
      take(1);
      await together.sync({ compiled: true });
    }
    const before = together.queued();
    const begin = performance.now();
    take(steps);
    const wallMs = performance.now() - begin;
    const after = together.queued();
    options.warn?.([...sim.warnings, ...after.warnings]);
    const launches = steps * launchesOfStep;
    const wanted = plainPatterns(matrix, start, 2 * (WARM + steps));
    return {
      backend: there[0].backend,
      metrics: {
        vertices: n,
        launches,
        tasksLaunched: queue ? after.tasksLaunched - before.tasksLaunched : launches,
        tasksCompiled: launchesOfStep + after.tasksCompiled,
        plans: after.plans,
        planMs: after.planMs,
        compileMs: after.compileMs,
        wallMs,
      },
      maxRelError: Math.max(farthest(sim.fields.u.toArray(), wanted.u), farthest(sim.fields.v.toArray(), wanted.v)),
    };
  } finally {
    for (const one of [...there, ...back, sim]) one.dispose();
    together.dispose();
  }
};

/** Double steps before those that are measured. */
const WARM = 3;

/** How fast the second substance spreads, beside the first; what is fed, and what decays. */
const [SLOWER, FEED, DECAY] = [0.5, 0.055, 0.062];

/** What a step makes of two substances and of how they spread. */
const reaction = (on: readonly FieldDecl[]) =>
  kernel(
    on,
    { scope: { SLOWER, FEED, DECAY } },
    (u: Grid1, v: Grid1, spreadU: Grid1, spreadV: Grid1, nextU: Grid1, nextV: Grid1) => {
      for (const k of active(nextU)) {
        const reacting = u[k] * v[k] * v[k];
        nextU[k] = u[k] + spreadU[k] - reacting + FEED * (1 - u[k]);
        nextV[k] = v[k] + SLOWER * spreadV[k] + reacting - (FEED + DECAY) * v[k];
      }
    },
  );

/** The cotan Laplacian, so large that a step with it is stable: where weights are largest they sum to one. */
const spreading = (mesh: Mesh): Csr<Float64Array> => {
  const { pattern, slots } = cotanAssembly(mesh.faces, vertexCount(mesh));
  const values = cotanLaplacian(mesh.vertices, mesh.faces, slots, nonZeros(pattern));
  let most = 0;
  for (let row = 0; row < pattern.rows; row++) {
    let sum = 0;
    for (let e = pattern.rowPtr[row]; e < pattern.rowPtr[row + 1]; e++) sum += Math.abs(values[e]);
    most = Math.max(most, sum / 2);
  }
  return { pattern, values: Float64Array.from(values, (x) => x / most) };
};

/** What there is of both substances at each vertex. */
interface Substances {
  readonly u: Float64Array;
  readonly v: Float64Array;
}

/** Everywhere the first, and in a part of the surface the second. */
const startOn = ({ vertices }: Mesh): Substances => {
  const heights = vertices.filter((_, k) => k % 3 === 1);
  const sorted = heights.toSorted();
  const above = sorted[Math.floor(0.9 * sorted.length)];
  return { u: heights.map((y) => (y > above ? 0.5 : 1)), v: heights.map((y) => (y > above ? 0.25 : 0)) };
};

/** The same by plain loops over compressed rows. */
const plainPatterns = (
  { pattern: { rowPtr, colIdx }, values }: Csr<Float64Array>,
  start: Substances,
  steps: number,
): Substances => {
  let { u, v } = start;
  const spread = (of: Float64Array, row: number): number => {
    let sum = 0;
    for (let e = rowPtr[row]; e < rowPtr[row + 1]; e++) sum += values[e] * of[colIdx[e]];
    return sum;
  };
  for (let s = 0; s < steps; s++) {
    const reacting = u.map((x, k) => x * v[k] * v[k]);
    [u, v] = [
      u.map((x, k) => x + spread(u, k) - reacting[k] + FEED * (1 - x)),
      v.map((y, k) => y + SLOWER * spread(v, k) + reacting[k] - (FEED + DECAY) * y),
    ];
  }
  return { u, v };
};

/** The vertices of triangles: a row of the Laplacian of no triangle would be empty. */
const withoutLoneVertices = (mesh: Mesh): Mesh => {
  const used = [...new Set(mesh.faces)].sort((a, b) => a - b);
  if (used.length === vertexCount(mesh)) return mesh;
  const at = new Map(used.map((vertex, k) => [vertex, k]));
  return {
    ...mesh,
    vertices: Float64Array.from(used.flatMap((vertex) => [...mesh.vertices.subarray(3 * vertex, 3 * vertex + 3)])),
    faces: mesh.faces.map((vertex) => at.get(vertex)!),
  };
};

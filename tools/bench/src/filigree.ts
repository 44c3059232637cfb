import {
  arapProblem,
  clothHessianProblem,
  compileProblem,
  cotanProblem,
  dualLaplacianProblem,
  matrixProblem,
  maxRelError,
  type CompiledProblem,
  type Problem,
} from '@filigree/e2e';
import { DiagnosticError, fail } from '@filigree/ir';
import type { Provider } from './bench.js';
import type { BenchCase } from './cases.js';
import type { ProgramProblem } from './programs.js';

/** How Filigree is set for a measurement. */
export interface FiligreeOptions {
  /** `cpp`, `wasm` or any other that runs here; by default the preferred one. */
  readonly backend?: string | undefined;
  readonly threads?: number;
  /** Stages of specialisation that are switched off. */
  readonly ablate?: readonly string[];
}

/** Filigree's compiled kernels as a contender of a case; what compiling them cost goes to the notes. */
export const filigreeProvider =
  (options: FiligreeOptions = {}): Provider =>
  async (c) => {
    const { threads = 1 } = options;
    let compiled: CompiledProblem;
    try {
      compiled = await compileProblem(problemOf(c), {
        backend: options.backend,
        dtype: c.dtype,
        threads,
        ablate: options.ablate ?? [],
        cache: false,
      });
    } catch (e) {
      if (!(e instanceof DiagnosticError) || options.backend !== undefined) throw e;
      return { contenders: [], skipped: [{ name: 'filigree', reason: e.message }], close: () => undefined };
    }
    const { instance, cost } = compiled;
    const outputs = instance.module.buffers.filter((b) => b.role === 'output').map((b) => instance.buffers[b.name]);
    return {
      contenders: [
        {
          name: threads > 1 ? `filigree ${instance.backend}, ${threads} threads` : `filigree ${instance.backend}`,
          run: compiled.run,
          check: () => maxRelError(concatenated(outputs as Float64Array[]), c.expected()),
          bytesMoved: cost.bytesMoved,
          note: costNote(compiled),
        },
      ],
      skipped: [],
      close: () => instance.dispose(),
    };
  };

/** The problem of a case as a program that Filigree compiles. */
export const problemOf = (c: BenchCase): Problem =>
  c.problem.kind === 'expression'
    ? matrixProblem(c.title, c.problem.expression, c.problem.matrices)
    : programProblem(c.problem);

const programProblem = (p: ProgramProblem): Problem => {
  const { mesh, reals, assembly, neighbours } = p;
  if (p.program === 'arap' && neighbours)
    return arapProblem({ rest: reals.rest, deformed: reals.deformed, weights: reals.weights, neighbours });
  if (assembly && p.program === 'cotan') return cotanProblem({ ...mesh, vertices: reals.vertices }, assembly);
  if (assembly && p.program === 'dual-laplacian')
    return dualLaplacianProblem({ ...mesh, vertices: reals.vertices }, assembly);
  if (assembly && p.program === 'cloth-hessian') {
    const { vertices, areas, gradients, stiffness } = reals;
    return clothHessianProblem({
      faces: mesh.faces,
      vertices,
      areas,
      gradients,
      stiffness: [stiffness[0], stiffness[1]],
      assembly,
    });
  }
  return fail('bench/problem', `the case ${p.program} lacks its topology`);
};

const costNote = ({ cost, instance }: CompiledProblem): string => {
  const { ms } = cost;
  const total = ms.trace + ms.analyse + ms.generate + ms.compile + ms.load;
  return (
    `filigree ${instance.backend} compiled in ${total.toFixed(0)} ms (trace ${ms.trace.toFixed(0)}, analyse ${ms.analyse.toFixed(0)}, ` +
    `generate ${ms.generate.toFixed(0)}, compile ${ms.compile.toFixed(0)}): ${cost.nodes.toLocaleString('en')} nodes, ` +
    `${cost.kernels} kernels, ${(cost.indexBytes / 1e6).toFixed(2)} MB of index tables, a run moves ${(cost.bytesMoved / 1e6).toFixed(1)} MB`
  );
};

const concatenated = (parts: readonly ArrayLike<number>[]): Float64Array => {
  const out = new Float64Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};

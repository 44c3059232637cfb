import {
  arapProblem,
  clothDerivedHessianProblem,
  clothDerivedOfElementsProblem,
  clothHessianProblem,
  compileProblem,
  cotanProblem,
  dualLaplacianProblem,
  matrixProblem,
  maxRelError,
  type ClothInput,
  type CompiledProblem,
  type Problem,
} from '@filigree/e2e';
import { DiagnosticError, fail } from '@filigree/ir';
import type { Provider } from './bench.js';
import type { BenchCase } from './cases.js';
import type { Contender } from './measure.js';
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
    const made: CompiledProblem[] = [];
    const close = (): void => made.forEach(({ instance }) => instance.dispose());
    const contenders: Contender[] = [];
    try {
      for (const way of waysOf(c.name)) {
        const compiled = await compileProblem(problemOf(c, way), {
          backend: options.backend,
          dtype: c.dtype,
          threads,
          ablate: options.ablate ?? [],
          cache: false,
        });
        made.push(compiled);
        const { instance, cost } = compiled;
        const name = [
          `filigree ${instance.backend}`,
          ...(way === undefined ? [] : [way]),
          ...(threads > 1 ? [`${threads} threads`] : []),
        ].join(', ');
        const outputs = instance.module.buffers.filter((b) => b.role === 'output').map((b) => instance.buffers[b.name]);
        contenders.push({
          name,
          run: compiled.run,
          check: () => maxRelError(concatenated(outputs as Float64Array[]), c.expected()),
          bytesMoved: cost.bytesMoved,
          note: costNote(name, compiled),
        });
      }
    } catch (e) {
      close();
      if (!(e instanceof DiagnosticError) || options.backend !== undefined) throw e;
      return { contenders: [], skipped: [{ name: 'filigree', reason: e.message }], close: () => undefined };
    }
    return { contenders, skipped: [], close };
  };

/** The ways in which the program of a case is written, where there are several. */
export const waysOf = (name: string): readonly (string | undefined)[] =>
  name === 'cloth-hessian' ? [...CLOTH_WAYS.keys()] : [undefined];

const CLOTH_WAYS: ReadonlyMap<string, (cloth: ClothInput) => Problem> = new Map([
  ['mode=hand, blocks=auto', (cloth) => clothHessianProblem(cloth)],
  ['mode=hand, blocks=tagged', (cloth) => clothHessianProblem(cloth, true)],
  ['mode=ad', clothDerivedHessianProblem],
  ['mode=ad, faces=elements', clothDerivedOfElementsProblem],
]);

/** The problem of a case as a program that Filigree compiles, the first of its ways unless one is named. */
export const problemOf = (c: BenchCase, way?: string): Problem =>
  c.problem.kind === 'expression'
    ? matrixProblem(c.title, c.problem.expression, c.problem.matrices)
    : programProblem(c.problem, way);

const programProblem = (p: ProgramProblem, way = 'mode=hand, blocks=auto'): Problem => {
  const { mesh, reals, assembly, neighbours } = p;
  if (p.program === 'arap' && neighbours)
    return arapProblem({ rest: reals.rest, deformed: reals.deformed, weights: reals.weights, neighbours });
  if (assembly && p.program === 'cotan') return cotanProblem({ ...mesh, vertices: reals.vertices }, assembly);
  if (assembly && p.program === 'dual-laplacian')
    return dualLaplacianProblem({ ...mesh, vertices: reals.vertices }, assembly);
  const cloth = p.program === 'cloth-hessian' ? CLOTH_WAYS.get(way) : undefined;
  if (cloth) return cloth(clothOf(p));
  return fail('bench/problem', `the case ${p.program} lacks its topology`);
};

const clothOf = ({ mesh, reals, assembly }: ProgramProblem): ClothInput => {
  const { vertices, areas, gradients, stiffness } = reals;
  if (!assembly) return fail('bench/problem', 'the case cloth-hessian lacks its topology');
  return { faces: mesh.faces, vertices, areas, gradients, stiffness: [stiffness[0], stiffness[1]], assembly };
};

const costNote = (name: string, { cost }: CompiledProblem): string => {
  const { ms } = cost;
  const total = ms.trace + ms.analyse + ms.generate + ms.compile + ms.load;
  return (
    `${name} compiled in ${total.toFixed(0)} ms (trace ${ms.trace.toFixed(0)}, analyse ${ms.analyse.toFixed(0)}, ` +
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

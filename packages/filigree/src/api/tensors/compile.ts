import { DiagnosticError, fail } from '@filigree/ir';
import {
  checkNotation,
  parseKernel,
  planKernel,
  type GemmTarget,
  type KernelDecl,
  type Plan,
  type PlanOptions,
} from '@filigree/tensor';
import { right } from '../build.js';
import { checkDtype, isListOf } from './check-given.js';
import { declareTensors, tensorsIn, type TensorFacts } from './declare.js';
import { compileFor, type TensorKernel, type TensorOptions, type TensorProgram } from './program.js';
import { tensorBackend } from './target.js';

/** How tensor kernels are planned and compiled. */
export interface TensorCompileOptions extends TensorOptions {
  /** The scalar type of all tensors; default `f64`. */
  readonly dtype?: 'f32' | 'f64' | undefined;
  /** Further options of planning: cost model, steps, limit of temporaries. */
  readonly plan?: Omit<PlanOptions, 'type' | 'target'> | undefined;
}

/**
 * Compiles kernels of tensors that are one program: they share its tensors, each with memory of its own. Rejects with a
 * `DiagnosticError`: `notation/…`, `plan/…`, `emit/…`, `runtime/backend`, `tensor/kernel`, `tensor/dtype`, `tensor/gemm`, `cpp/plugin-missing` where the library for
 * `gemm` is not there, and what else the backend says.
 */
export const compileTensors = async (
  kernels: readonly KernelDecl[],
  options: TensorCompileOptions = {},
): Promise<TensorProgram> => {
  const chosen = await tensorBackend(options);
  const started = performance.now();
  const plans = planAll(kernels, options, chosen.target);
  const planned = performance.now();
  const program = await compileFor(plans, chosen, options);
  return { ...program, ms: { ...program.ms, plan: planned - started } };
};

/** The plan of each kernel. Throws `DiagnosticError`. */
export const planAll = (
  kernels: readonly KernelDecl[],
  { dtype = 'f64', plan = {} }: TensorCompileOptions,
  target: GemmTarget,
): readonly Plan[] => {
  if (!isListOf(kernels, 'assignments'))
    fail('tensor/kernel', 'what is to be compiled is no list of kernels on tensors', {
      remedy: 'give what tensorKernel(), parseKernel() or declareKernel() makes; to einsum a formula will do',
    });
  checkDtype(dtype);
  return kernels.map((k) => right(planKernel(k, { ...plan, type: dtype, target })));
};

/** A program of one kernel, and the kernel itself. */
export interface CompiledEinsum extends Omit<TensorProgram, 'kernels'>, TensorKernel {}

/** How a formula is compiled, and what is known about its tensors. */
export interface EinsumOptions extends TensorCompileOptions, TensorFacts {
  /** The kernel's name; default `einsum`. */
  readonly name?: string | undefined;
}

/**
 * Compiles a formula such as `Q[skp] += I[slq]*K[lk]*A[qp]`, or a kernel that was declared, for exactly the patterns of its
 * tensors. Shapes that follow from others may be left out. Rejects with a `DiagnosticError`: `einsum/…`, and those of
 * `compileTensors`.
 */
export const einsum = async (formula: string | KernelDecl, options: EinsumOptions = {}): Promise<CompiledEinsum> => {
  const decl = typeof formula === 'string' ? declareKernel(formula, options, options.name) : formula;
  const { kernels, ...program } = await compileTensors([decl], options);
  return { ...program, ...kernels[decl.name]! };
};

/** A formula as a kernel. Throws `DiagnosticError` `einsum/…`, `notation/…`. */
export const declareKernel = (formula: string, facts: TensorFacts, name = 'einsum'): KernelDecl => {
  if (typeof formula !== 'string')
    fail('einsum/formula', 'a formula is a text', { remedy: "write for example 'C[ij] = A[ik]*B[kj]'" });
  /* What is wrong with the text itself is said before extents are asked for; how many dimensions a tensor has they say better. */
  const bare = right(parseKernel(formula, tensorsIn(formula), name));
  const wrong = checkNotation(bare, { implicitSums: true }).filter((d) => d.code !== 'notation/index-count');
  if (wrong.length > 0) throw new DiagnosticError(wrong);
  return right(parseKernel(formula, declareTensors(formula, facts), name));
};

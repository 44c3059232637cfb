import { DiagnosticError, fail, checkOptions, option, optionsOf, type OptionSpec, orThrow } from '@filigree/ir';
import {
  checkNotation,
  parseKernel,
  planKernel,
  type KernelDecl,
  type Plan,
  type PlanOptions,
  planningSpec,
} from '@filigree/tensor/einsum';
import type { GemmTarget } from '@filigree/tensor/linalg';
import { isListOf } from './check-given.js';
import { declareTensors, factsSpec, tensorsIn, type TensorFacts } from './declare.js';
import {
  buildFor,
  readOnlyProgram,
  tensorProgram,
  tensorSpec,
  type BuiltTensors,
  type TensorKernel,
  type TensorOptions,
  type TensorProgram,
} from './program.js';
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
  given?: TensorCompileOptions,
): Promise<TensorProgram> => {
  return compiled(kernels, checkOptions('compileTensors', given, tensorCompileSpec));
};

const compiled = async (kernels: readonly KernelDecl[], options: TensorCompileOptions): Promise<TensorProgram> => {
  const { built, planMs } = await planned(kernels, options);
  const program = tensorProgram(built);
  return readOnlyProgram({ ...program, ms: { ...program.ms, plan: planMs } });
};

const planned = async (
  kernels: readonly KernelDecl[],
  options: TensorCompileOptions,
): Promise<{ readonly built: BuiltTensors; readonly planMs: number }> => {
  const chosen = await tensorBackend(options);
  const started = performance.now();
  const plans = planAll(kernels, options, chosen.target);
  const planMs = performance.now() - started;
  return { built: await buildFor(plans, chosen, options), planMs };
};

/** What `compileTensors` takes; planning is told the type and the target by the rest. */
export const tensorCompileSpec: OptionSpec<TensorCompileOptions> = {
  ...tensorSpec,
  dtype: option.choice('f32', 'f64'),
  plan: optionsOf<NonNullable<TensorCompileOptions['plan']>>(planningSpec),
};

/** The plan of each kernel. Throws `DiagnosticError`. */
export const planAll = (
  kernels: readonly KernelDecl[],
  { dtype = 'f64', plan = {} }: TensorCompileOptions,
  target: GemmTarget,
): readonly Plan[] => {
  if (!isListOf(kernels, 'assignments'))
    fail('tensor/kernel', 'what is to be compiled is no list of kernels on tensors', {
      remedy:
        'give [tensorKernel(…)], [parseKernel(…)] or, of a formula and shapes, [declareKernel(formula, { shapes })]; to einsum a formula will do',
    });
  return kernels.map((k) => orThrow(planKernel(k, { ...plan, type: dtype, target })));
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
export const einsum = async (formula: string | KernelDecl, given?: EinsumOptions): Promise<CompiledEinsum> => {
  const options = checkOptions('einsum', given, einsumSpec);
  const decl = declared(formula, options);
  const { kernels, ...program } = await compiled([decl], options);
  return readOnlyProgram({ ...program, ...kernels[decl.name]! });
};

/** What `einsum` makes of a formula, up to what is loaded. Throws `DiagnosticError` as that rejects. */
export const builtEinsum = async (
  formula: string | KernelDecl,
  given?: EinsumOptions,
): Promise<{ readonly built: BuiltTensors; readonly planMs: number }> => {
  const options = checkOptions('einsum', given, einsumSpec);
  return planned([declared(formula, options)], options);
};

const declared = (formula: string | KernelDecl, options: EinsumOptions): KernelDecl => {
  const { name, shapes, patterns, values, layouts } = options;
  if (Array.isArray(formula))
    fail('einsum/formula', 'einsum compiles one formula, and a list is given', {
      remedy:
        "statements that run one after the other are one formula, 'C[ij] = A[ik]*B[kj]; d[i] = C[ii]'; what is run by itself is for compileTensors([declareKernel(…), …])",
    });
  return typeof formula === 'string' ? declareKernel(formula, { shapes, patterns, values, layouts }, name) : formula;
};

const einsumSpec: OptionSpec<EinsumOptions> = { ...tensorCompileSpec, ...factsSpec, name: option.text };

/** A formula as a kernel. Throws `DiagnosticError` `einsum/…`, `notation/…`. */
export const declareKernel = (formula: string, given?: TensorFacts, name = 'einsum'): KernelDecl => {
  const facts = checkOptions('declareKernel', given, factsSpec);
  if (typeof formula !== 'string')
    fail('einsum/formula', 'a formula is a text', { remedy: "write for example 'C[ij] = A[ik]*B[kj]'" });
  /* What is wrong with the text itself is said before extents are asked for; how many dimensions a tensor has they say better. */
  const bare = orThrow(parseKernel(formula, tensorsIn(formula), name));
  const wrong = checkNotation(bare).filter((d) => d.code !== 'notation/index-count');
  if (wrong.length > 0) throw new DiagnosticError(wrong);
  return orThrow(parseKernel(formula, declareTensors(formula, facts), name));
};

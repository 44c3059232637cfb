import { type Diagnostics, fail, type Pass, pass, pipeline, checkOptions, option, type OptionSpec } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import type { GemmTarget } from '../../linalg/gemm-spec.js';
import { gemmTargets, targetOption } from '../../linalg/gemm/targets.js';
import type { Layout } from '../layout/layout.js';
import { tensorLayout } from '../layout/tensor-layout.js';
import { checkKernel, entryOf, indexedIn, scalarsOf } from '../notation/check.js';
import type { KernelDecl, TensorDecl } from '../notation/expression.js';
import { foldKnown, nameFolded } from '../known/fold-known.js';
import type { Node, Statement, SumNode } from '../notation/node.js';
import { resolve } from '../notation/resolve.js';
import { type CostModel, fusionCost } from '../permute/cost.js';
import { permuteIndices, type PlacedNode } from '../permute/permute.js';
import { propagatePatterns } from '../strength/patterns.js';
import { countOperations, reduceStrength } from '../strength/reduce.js';
import { assignBuffers } from './buffers.js';
import { flopsOf } from './flops.js';
import { gemmOf } from './gemm-of.js';
import { linearise } from './linearise.js';
import type { Action, Plan } from './plan.js';
import { assignPrefetch } from './prefetch.js';
import { reads, type Step, writes } from './state.js';
import { defaultSteps } from './steps.js';

/** How a kernel is planned. */
export interface PlanOptions {
  /** The type of all entries. */
  readonly type: 'f32' | 'f64';
  /** What code is generated for; default `gemmTargets.avx2`. */
  readonly target?: GemmTarget;
  /** What index permutations are chosen by; default the tuple of §4.5.2. */
  readonly cost?: CostModel;
  /** The steps of §4.7 before buffers are assigned; default all of them. */
  readonly steps?: readonly Step[];
  /** The most bytes that the temporaries of a kernel may take; default 16 MiB. */
  readonly maxTemporaryBytes?: number;
  /** Whether an index that the target lacks is summed wherever it stands (the default), or has to stand in two places. */
  readonly implicitSums?: boolean;
}

/** What the stages of planning pass on; each fills in the part that it is named for. */
export interface PlanState {
  readonly decl: KernelDecl;
  readonly options: PlanOptions;
  readonly statements: readonly Statement[];
  /** The fewest operations on non-zeros. */
  readonly nonzero: number;
  readonly placed: readonly PlacedNode[];
  readonly actions: readonly Action[];
  readonly plan?: Plan;
}

/**
 * A kernel as a list of actions with layouts, mappings to products of matrices, buffers and flops: the stages of Fig. 1 up
 * to code. Diagnostics name the tensor and the index: `notation/…` as `checkKernel` and `resolve` say them,
 * `plan/target-pattern`, `plan/temporary`.
 *
 * @param stages other stages than `planStages`, which must end in a plan
 */
export const planKernel = (
  decl: KernelDecl,
  options: PlanOptions,
  stages: readonly Pass<PlanState>[] = planStages,
): E.Either<Diagnostics, Plan> => {
  const result = E.chain((checked: PlanOptions) =>
    pipeline(stages).run({ decl, options: checked, statements: [], nonzero: 0, placed: [], actions: [] }),
  )(planOptions('planKernel').run(options));
  if (E.isLeft(result)) return result;
  const { plan } = result.right;
  if (plan === undefined) throw new Error('the stages of planning must end in a plan');
  return E.right(plan);
};

/** Options of planning, checked. */
export const planOptions = (what: string): Pass<PlanOptions> =>
  pass('options', (given) => {
    const options = checkOptions<PlanOptions>(what, given, planSpec);
    return options.type === undefined
      ? fail('option/value', `the option 'type' of ${what} is missing`, { remedy: "give 'f32' or 'f64'" })
      : options;
  });

/** What planning takes besides the type and the target. */
export const planningSpec: OptionSpec<Omit<PlanOptions, 'type' | 'target'>> = {
  cost: option.object('a cost model', 'name', 'log', 'copy', 'compare'),
  steps: option.array('a list of steps'),
  maxTemporaryBytes: option.number(0),
  implicitSums: option.truth,
};

const planSpec: OptionSpec<PlanOptions> = {
  ...planningSpec,
  type: option.choice('f32', 'f64'),
  target: targetOption,
};

const targetOf = (o: PlanOptions): GemmTarget => o.target ?? gemmTargets.avx2;
const lanesOf = (o: PlanOptions): number => targetOf(o).vectorBytes / (o.type === 'f64' ? 8 : 4);
const layoutIn =
  (o: PlanOptions) =>
  (tensor: TensorDecl): Layout =>
    tensorLayout(tensor, lanesOf(o));

const mapStatements = (run: (s: Statement, options: PlanOptions) => Statement) => (state: PlanState) => ({
  ...state,
  statements: state.statements.map((s) => run(s, state.options)),
});

/** The stages of `planKernel`, in order. */
export const planStages: readonly Pass<PlanState>[] = [
  pass('check', (s: PlanState) => ({ ...s, decl: checkKernel(s.decl) })),
  pass('deduce-indices', (s: PlanState) => ({
    ...s,
    statements: s.decl.assignments.map((a) => resolve(a, s.options)),
  })),
  pass('equivalent-patterns', mapStatements(propagate)),
  pass('fold-known', (s: PlanState) => {
    const named = nameFolded();
    return {
      ...s,
      statements: s.statements.map((x) => ({ ...x, root: named(dropZeros(foldKnown(x.root))) as SumNode })),
    };
  }),
  pass('strength-reduction', (s: PlanState) => ({
    ...s,
    nonzero: s.statements.reduce((n, { root }) => n + countOperations(root), 0),
    statements: s.statements.map((x) => ({ ...x, root: reduceStrength(x.root) })),
  })),
  pass('permute-indices', (s: PlanState) => ({
    ...s,
    placed: s.statements.map((x) =>
      permuteIndices(x, {
        cost: s.options.cost ?? fusionCost,
        lanes: lanesOf(s.options),
        tensorLayout: layoutIn(s.options),
      }),
    ),
  })),
  pass('linearise', (s: PlanState) => ({
    ...s,
    actions: linearise(
      s.statements.map((statement, n) => ({
        statement,
        root: s.placed[n],
        layout: layoutIn(s.options)(statement.target.tensor),
      })),
      s.options.type,
    ),
  })),
  pass('control-flow', (s: PlanState) => ({
    ...s,
    actions: (s.options.steps ?? defaultSteps).reduce((list, step) => step.run(list), { actions: s.actions }).actions,
  })),
  pass('prefetch', (s: PlanState) => ({
    ...s,
    actions: assignPrefetch(s.actions, s.decl.prefetch ?? [], layoutIn(s.options)),
  })),
  pass('finish', finish),
];

/**
 * Patterns within that of the target. Layouts that store nothing but a pattern take what of a result lies within it; from others the
 * rest of a result would be missing here, and be zeros that nobody computed there.
 */
function propagate(statement: Statement, options: PlanOptions): Statement {
  const { target, root } = statement;
  const whole = propagatePatterns(root);
  const wanted = target.tensor.pattern;
  const outside = wanted && entryOutside(whole.pattern, wanted);
  if (outside === undefined) return { target, root: dropZeros(whole) };
  if (layoutIn(options)(target.tensor).kind === 'dense')
    fail(
      'plan/target-pattern',
      `${target.tensor.name}[${target.indices}]: entry (${outside.join(', ')}) may become non-zero, but the pattern of '${target.tensor.name}' says zero`,
      {
        remedy: `give it the pattern that deducePattern finds, or none, or the layout compressed, which keeps of a result what lies within the pattern`,
      },
    );
  return { target, root: dropZeros(propagatePatterns(root, wanted)) };
}

const entryOutside = ({ shape, bits }: BooleanTensor, within: BooleanTensor): readonly number[] | undefined => {
  const e = bits.findIndex((b, n) => b === 1 && within.bits[n] === 0);
  return e < 0 ? undefined : entryOf(e, shape);
};

/** Without terms that are zero everywhere, here and in the sums within. */
const dropZeros = <N extends Node>(node: N): N => {
  const inner = (n: Node): Node => {
    switch (n.kind) {
      case 'sum':
        return {
          ...n,
          terms: n.terms
            .filter(({ by, node: term }) => by.factor !== 0 && term.pattern.bits.includes(1))
            .map(({ by, node: term }) => ({ by, node: inner(term) })),
        };
      case 'einsum':
        return { ...n, factors: n.factors.map(inner) };
      default:
        return n;
    }
  };
  return inner(node) as N;
};

function finish(state: PlanState): PlanState {
  const { decl, options } = state;
  const target = targetOf(options);
  const actions = state.actions.map((a): Action => {
    if (a.operation.kind !== 'log') return a;
    return {
      ...a,
      operation: { ...a.operation, gemm: gemmOf({ ...a, operation: a.operation }, options.type) },
    };
  });
  const { temporaries, buffers } = assignBuffers(actions);
  const bytes = buffers.reduce((n, b) => n + b, 0) * (options.type === 'f64' ? 8 : 4);
  const limit = options.maxTemporaryBytes ?? 2 ** 24;
  if (bytes > limit) {
    const largest = temporaries.reduce((a, b) => (b.layout.size > a.layout.size ? b : a));
    const { indices } = actions.find((a) => a.target.name === largest.name)!.target;
    fail(
      'plan/temporary',
      `the temporaries of kernel '${decl.name}' need ${bytes} bytes, more than ${limit}; the largest is indexed by '${indices}' with ${largest.layout.size} elements`,
      { remedy: 'raise maxTemporaryBytes (--max-temporary-bytes), split the kernel, or make an extent smaller' },
    );
  }
  const plan: Plan = {
    name: decl.name,
    type: options.type,
    tensors: tensorsOf(state, actions),
    scalars: scalarsOf(decl),
    temporaries,
    buffers,
    actions,
    known: state.placed.flatMap(knownIn),
    prefetch: (decl.prefetch ?? []).map((tensor) => ({ tensor, layout: layoutIn(options)(tensor) })),
    flops: { nonzero: state.nonzero, ...flopsOf(decl, actions, target) },
  };
  return { ...state, actions, plan };
}

const tensorsOf = ({ decl, options }: PlanState, actions: readonly Action[]): Plan['tensors'] => {
  const known = new Map<string, TensorDecl>();
  for (const { target, value } of decl.assignments)
    for (const { tensor } of [target, ...indexedIn(value)]) known.set(tensor.name, tensor);
  const assigned = new Set(decl.assignments.map(({ target }) => target.tensor.name));
  return [...known].map(([name, tensor]) => {
    const first = actions.find((a) => writes(a, name) || reads(a, name));
    const old = first === undefined || (reads(first, name) && !isClearing(first));
    const access = !assigned.has(name) ? 'read' : old ? 'readwrite' : 'write';
    return { tensor, layout: layoutIn(options)(tensor), access };
  });
};

/** The tensors that planning computed, as they are placed. */
const knownIn = (node: PlacedNode): Required<Plan>['known'] => {
  const { how, layout } = node;
  switch (how.kind) {
    case 'tensor':
      return how.folded ? [{ tensor: how.tensor, layout, ...how.folded }] : [];
    case 'copy':
    case 'indexsum':
      return knownIn(how.of);
    case 'sum':
      return how.terms.flatMap((t) => knownIn(t.node));
    default:
      return [...knownIn(how.left), ...knownIn(how.right)];
  }
};

/** An action that only makes its target zero. */
const isClearing = ({ scale }: Action): boolean => scale.factor === 0;

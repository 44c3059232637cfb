import { transposed } from './entries.js';
import { deepPlans } from './deep-plans.js';
import type { GemmSpec, GemmTarget, MatrixView } from '../gemm-spec.js';
import { loopedPlans } from './looped-plans.js';
import { writtenPlans } from './written-plans.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * The best plan by a model of the processor: two multiply-adds and two loads a cycle.
 *
 * @param price cycles that a byte of code costs besides, where the product is one among many
 */
export const planGemm = (spec: GemmSpec, target: GemmTarget, price = 0): GemmPlan => {
  const cost = (p: GemmPlan): number => p.cycles + price * p.codeBytes;
  return candidatesOf(spec, target, price === 0).reduce((best, p) => (cost(p) < cost(best) ? p : best));
};

/** Every way that may be best at some price. */
const candidatesOf = (spec: GemmSpec, target: GemmTarget, alone: boolean): readonly GemmPlan[] => {
  const candidates = alone ? candidatesAlone : candidatesAmong;
  const known = candidates.get(spec)?.get(target);
  if (known) return known;
  const forms = formsOf(spec).flatMap((form) => [
    { spec: form, swapped: false },
    { spec: transposedSpec(form), swapped: true },
  ]);
  const all = forms.flatMap(({ spec: s, swapped }) => [
    ...writtenPlans(s, swapped, target, alone),
    ...loopedPlans(s, swapped, target),
    ...(swapped ? [] : deepPlans(s, target)),
  ]);
  const short = all.filter((p) => p.looped || p.codeBytes <= MOST_CODE * target.instructionCache);
  const plans = undominated(short.length > 0 ? short : all);
  candidates.set(spec, (candidates.get(spec) ?? new WeakMap<GemmTarget, readonly GemmPlan[]>()).set(target, plans));
  return plans;
};

/**
 * Code as long as so many first-level caches is half of a second-level one: what is longer is read slower than the model says, and takes
 * a compiler minutes. Only products of dense matrices have no other way, and they are short.
 */
const MOST_CODE = 8;

/** Plans made before: flops are asked for before code is, and prices are tried. */
const [candidatesAlone, candidatesAmong]: readonly Candidates[] = [new WeakMap(), new WeakMap()];

type Candidates = WeakMap<GemmSpec, WeakMap<GemmTarget, readonly GemmPlan[]>>;

/** Those of which no other is both faster and shorter. */
const undominated = (plans: readonly GemmPlan[]): readonly GemmPlan[] => {
  const sorted = [...plans].sort((p, q) => p.cycles - q.cycles || p.codeBytes - q.codeBytes);
  let shortest = Infinity;
  return sorted.filter((p) => p.codeBytes < shortest && ((shortest = p.codeBytes), true));
};

/** The product as it is given, and with the zeros of sparse matrices that are stored as a whole. */
const formsOf = (spec: GemmSpec): readonly GemmSpec[] =>
  viewsOf(spec.a).flatMap((a) => viewsOf(spec.b).map((b) => (a === spec.a && b === spec.b ? spec : { ...spec, a, b })));

const viewsOf = (view: MatrixView): readonly MatrixView[] =>
  view.kind === 'sparse' && view.stored ? [view, { kind: 'dense', ...view.stored }] : [view];

/** Cᵀ = alpha·Bᵀ·Aᵀ + beta·Cᵀ; padding is of rows of C and does not help. */
const transposedSpec = ({ m, n, a, b, c, mPadded: _padding, ...rest }: GemmSpec): GemmSpec => ({
  ...rest,
  m: n,
  n: m,
  a: transposed(b),
  b: transposed(a),
  c: { rowStride: c.columnStride, columnStride: c.rowStride },
});

import type { AffineProgram } from '../read/program.js';
import { wordsFor } from '../sets/memory.js';
import { emptySet, type PointSet } from '../sets/point-set.js';
import { fixPoint } from './fix-point.js';
import { initialSets, type SparseInputs } from './inputs.js';
import type { EvaluationPlan, PlannedVariable } from './plan.js';
import { queryOf } from './query.js';
import { Stores } from './stores.js';
import { sweepSteps, type Sweep } from './sweep.js';
import { collect, surveyed, unionOfForms } from './union.js';
import type { Variable } from './variables.js';
import type { Platform, Steps } from './work.js';

/** Sets of all variables and arrays. */
export interface Evaluation {
  readonly variables: readonly Variable[];
  /** The iterations of each statement whose value is not zero, by the variable's iterators. */
  readonly values: readonly PointSet[];
  /** Initial contents, by array. */
  readonly initial: ReadonlyMap<string, PointSet>;
  /** Variables that depend on one another, in the order of their evaluation. */
  readonly components: readonly (readonly number[])[];
  /** Rounds that each cycle took to reach its fix-point; none for variables that do not depend on themselves. */
  readonly rounds: readonly number[];
  readonly stores: Stores;
}

/**
 * Evaluates planned sparsity equations on actual inputs. Variables that do not depend on themselves are evaluated
 * directly, in order; those of a cycle go to their least fix-point, each round working only from what the last one
 * found.
 */
export function* evaluate(
  program: AffineProgram,
  { variables, components }: EvaluationPlan,
  inputs: SparseInputs,
  platform: Platform,
): Steps<Evaluation> {
  const initial = initialSets(program, inputs, platform.allocate);
  const values: PointSet[] = variables.map((v) => emptySet(v.box));
  const stores = new Stores();
  const setOf = (of: number | string): PointSet => (typeof of === 'number' ? values[of] : initial.get(of)!);
  const rounds: number[] = [];
  for (const { members, cyclic, sweep } of components) {
    if (!cyclic) {
      const [k] = members;
      const forms = variables[k].forms.map(({ form }) => form);
      values[k] = yield* unionOfForms(forms, variables[k].box, setOf, stores, platform);
    } else if (sweep !== undefined) {
      yield* swept(sweep, members, variables, values, setOf, stores, platform);
      rounds.push(1);
    } else rounds.push(yield* fixPoint(members, variables, values, setOf, stores));
  }
  return { variables, values, initial, components: components.map((c) => c.members), rounds, stores };
}

/** The least fix-point of a cycle of constant moves, in one sweep. */
function* swept(
  sweep: Sweep,
  component: readonly number[],
  variables: readonly PlannedVariable[],
  values: PointSet[],
  setOf: (of: number | string) => PointSet,
  stores: Stores,
  platform: Platform,
): Steps<void> {
  const boxes = new Map(component.map((k) => [k, variables[k].box]));
  const bits = new Map(component.map((k) => [k, wordsFor(variables[k].box.size, platform.allocate)]));
  for (const k of component) {
    const queries = variables[k].forms.flatMap(({ form, inside }) =>
      inside.length > 0 ? [] : (queryOf(form, (of) => ({ set: setOf(of) })) ?? []),
    );
    yield* collect(queries, bits.get(k)!, stores, platform);
  }
  yield* sweepSteps(sweep, boxes, bits, platform);
  for (const k of component) values[k] = yield* surveyed(variables[k].box, bits.get(k)!, platform);
}

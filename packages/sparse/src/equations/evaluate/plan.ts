import { components } from '../language/components.js';
import type { SparsityEquation } from '../recurrences/sparsity.js';
import { formOf, type QueryForm } from './query.js';
import { regionPlan, type RegionPlan } from './region-plan.js';
import { sweepOf, type Sweep } from './sweep.js';
import { variablesOf, type Variable } from './variables.js';

/** The part of an evaluation that does not depend on the inputs: computed once, used for any number of them. */
export interface EvaluationPlan {
  readonly variables: readonly PlannedVariable[];
  /** Variables that depend on one another, in the order of their evaluation. */
  readonly components: readonly Component[];
  readonly regions: readonly RegionPlan[];
}

export interface PlannedVariable extends Variable {
  readonly forms: readonly PlannedTerm[];
}

/** A term that has points. */
export interface PlannedTerm {
  readonly form: QueryForm;
  /** The atoms that read variables of the same component, by position. */
  readonly inside: readonly number[];
}

export interface Component {
  readonly members: readonly number[];
  /** Whether they depend on themselves. */
  readonly cyclic: boolean;
  /** Where one sweep finds the fix-point of a cycle. */
  readonly sweep: Sweep | undefined;
}

/** Throws `DiagnosticError` `equations/too-large` for statements with more iterations than can be numbered. */
export const evaluationPlan = (equations: readonly SparsityEquation[]): EvaluationPlan => {
  const variables = variablesOf(equations);
  const reads = variables.map((v) => [
    ...new Set(v.terms.flatMap((t) => t.atoms.flatMap((a) => (typeof a.of === 'number' ? [a.of] : [])))),
  ]);
  const order = components(variables.length, (k) => reads[k]);
  return {
    variables: variables.map((v, k): PlannedVariable => {
      const own = order.find((members) => members.includes(k))!;
      const dims = equations[k].recurrence.statement.iterators.length;
      const forms = v.terms.flatMap((t): PlannedTerm[] => {
        const form = formOf(t, v.kept, v.box, dims);
        if (form === undefined) return [];
        return [{ form, inside: t.atoms.flatMap((a, n) => (own.includes(a.of as number) ? [n] : [])) }];
      });
      return { ...v, forms };
    }),
    components: order.map((members): Component => {
      const cyclic = members.length > 1 || reads[members[0]].includes(members[0]);
      return { members, cyclic, sweep: cyclic ? sweepOf(members, variables) : undefined };
    }),
    regions: equations.map((e, k) => regionPlan(e, e.interest, k, variables)),
  };
};

import { Graph, referenceCounts } from '@filigree/ir';
import { ARITY, ARMS, CONSTANT, SELECT, VARIABLE } from '../decompose/codes.js';
import type { Template } from '../harvest/template.js';
import { graphOps, measure, type Plan } from './ops.js';

/** A source graph as rules see it. */
export interface Source {
  readonly graph: Graph;
  readonly roots: readonly number[];
  /** References from live nodes and roots; 0 for dead nodes. */
  readonly references: Uint32Array;
  /** Whether an operation that others use too may be taken apart. */
  readonly deep: boolean;
}

/** What a rule found out at a node: the operations it took apart, and a better expression if there is one. */
export interface Finding {
  /** Operations below the node that this finding covers: they need not be examined on their own. */
  readonly interior: readonly number[];
  readonly plan: Plan | undefined;
}

/** Looks at the expression rooted at a node; `undefined` where the rule does not apply. */
export type Rule = (source: Source) => (id: number) => Finding | undefined;

/**
 * One application of a rule to a whole template: from the roots down it is decided which expressions to rewrite, then
 * the result is built from the leaves up in a fresh graph, so that a rewritten form does not meet the old one, which has
 * the same algebraic hash. Only what the result needs is built. `undefined` when nothing changes.
 */
export const sweep = (template: Template, rule: Rule, deep: boolean): Template | undefined => {
  const { graph, roots } = template;
  const references = referenceCounts(graph, roots);
  const find = rule({ graph, roots, references, deep });
  const { op, left, right } = graph;
  const needed = new Uint8Array(graph.length);
  const covered = new Uint8Array(graph.length);
  const plans = new Map<number, Plan>();
  for (const id of roots) needed[id] = 1;
  for (let id = graph.length - 1; id >= 0; id--) {
    if (needed[id] === 0) continue;
    const finding = covered[id] === 0 ? find(id) : undefined;
    if (finding?.plan) {
      plans.set(id, finding.plan);
      for (const leaf of measure(finding.plan).leaves) needed[leaf] = 1;
      continue;
    }
    for (const x of finding?.interior ?? []) if (references[x] === 1) covered[x] = 1;
    const arity = ARITY[op[id]];
    if (arity > 0) needed[left[id]] = 1;
    if (arity === 2) needed[right[id]] = 1;
  }
  return plans.size === 0 ? undefined : rebuild(template, needed, plans);
};

/** The template without dead nodes, in a fresh graph with the same variables. */
export const compact = (template: Template): Template => {
  const references = referenceCounts(template.graph, template.roots);
  return rebuild(
    template,
    Uint8Array.from(references, (n) => (n > 0 ? 1 : 0)),
    new Map(),
  );
};

/**
 * The nodes that are `needed`, those with a plan as planned, in a fresh graph of `variables` variables; variable k
 * becomes variable `variableOf(k)`.
 */
export const rebuild = (
  { graph, roots }: Template,
  needed: Uint8Array,
  plans: ReadonlyMap<number, Plan>,
  variableOf: (k: number) => number = (k) => k,
  variables = graph.variableCount,
): Template => {
  const { op, left, right } = graph;
  const target = new Graph({ arithmetic: graph.arithmetic, capacity: graph.length + 64 });
  const first = target.variables(variables);
  const at = new Int32Array(graph.length).fill(-1);
  const ops = graphOps(target, first, (id) => at[id]);
  for (let id = 0; id < graph.length; id++) {
    const code = op[id];
    if (needed[id] === 0 || code === ARMS) continue;
    const plan = plans.get(id);
    if (plan) at[id] = plan(ops);
    else if (code === VARIABLE) at[id] = first + variableOf(graph.variableIndex(id));
    else if (code === CONSTANT) at[id] = target.constant(graph.constantValue(id));
    else if (code === SELECT) at[id] = target.select(at[left[id]], at[left[right[id]]], at[right[right[id]]]);
    else at[id] = target.apply(code, at[left[id]], ARITY[code] === 2 ? at[right[id]] : 0);
  }
  return { graph: target, roots: roots.map((id) => at[id]) };
};

/** The template with only the variables it uses, renumbered in order, and the old numbers of those. */
export const dropUnusedVariables = (template: Template): { template: Template; used: readonly number[] } => {
  const { graph, roots } = template;
  const references = referenceCounts(graph, roots);
  const isUsed = new Uint8Array(graph.variableCount);
  for (let id = 0; id < graph.length; id++)
    if (references[id] > 0 && graph.isVariable(id)) isUsed[graph.variableIndex(id)] = 1;
  const used = Array.from({ length: graph.variableCount }, (_, k) => k).filter((k) => isUsed[k] === 1);
  if (used.length === graph.variableCount) return { template, used };
  const place = new Map(used.map((k, i) => [k, i]));
  const needed = Uint8Array.from(references, (n) => (n > 0 ? 1 : 0));
  return { template: rebuild(template, needed, new Map(), (k) => place.get(k)!, used.length), used };
};

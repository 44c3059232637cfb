import { fail, type Graph } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { DerivativeTable } from '../table/derivative.js';
import { derivatives } from '../table/derivatives.js';
import { activity } from './active.js';
import { assembled, sumsByPlace, type Triplets } from './assemble.js';
import {
  gradientOfBodies,
  hessianOfBodies,
  jacobianOfBodies,
  mirrored,
  orderOfMatrix,
  repeats,
  type Body,
  type SumsOfBodies,
} from './bodies.js';
import { composed } from './composed.js';
import { edgePushing } from './edge-pushing.js';
import { groupByForm, joinTerms, type Element, type ElementGroup } from './elements.js';
import { innerSums } from './inner-sums.js';
import { reverseSweep } from './reverse-sweep.js';
import { SecondOrder } from './second-order.js';
import { instantiator, templateOf, type Template } from './template.js';
import { termsOf } from './terms.js';

/** How a graph is differentiated. */
export interface DeriveOptions {
  /** Derivatives by the name of the op; default `derivatives`. */
  readonly table?: DerivativeTable;
  /** Makes sums of bodies. Where it is given and many terms have one form, templates are kept whole and nothing is made for each member. */
  readonly sums?: SumsOfBodies;
  /** Terms of the roots that are bodies already, beside those in the graph; `sums` is needed then. */
  readonly bodies?: readonly Body[];
}

/** Which entries of a symmetric matrix are wanted: those on and below the diagonal, or all. */
export type Half = 'lower' | 'both';

/**
 * The derivative of node `root` by each of `variables`: nodes of the same graph (§4.9). Variables are nodes too, inputs or not, and are taken as independent of
 * each other.
 *
 * The sum at `root` is peeled, its terms are grouped by form, one of each form is differentiated, and the result is built for each by its leaves. Terms that
 * share most of what they are made of are differentiated together. Fails with `derivative/independent`, `derivative/by-expression`, `derivative/twice`,
 * `derivative/no-rule`, `derivative/refused`.
 */
export const gradientOf = (
  graph: Graph,
  root: number,
  variables: Int32Array,
  options: DeriveOptions = {},
): Int32Array => {
  const { groups, places, bodies, table, sums } = elementsOf(graph, [root], variables, options);
  if (bodies) return gradientOfBodies(bodies, places, variables.length, table, sums);
  const at: number[] = [];
  const nodes: number[] = [];
  forEachFirst(graph, groups, places, table, (_sum, variable, node) => {
    at.push(variable);
    nodes.push(node);
  });
  return sumsByPlace(graph, at, nodes, variables.length);
};

/** The derivatives of each of `roots` by each of `variables`, one row a root; its pattern is found. As `gradientOf` otherwise. */
export const jacobianOf = (
  graph: Graph,
  roots: Int32Array,
  variables: Int32Array,
  options: DeriveOptions = {},
): Csr<Int32Array> => {
  const { groups, places, bodies, table, sums } = elementsOf(graph, roots, variables, options);
  if (bodies) return jacobianOfBodies(bodies, places, [roots.length, variables.length], table, sums);
  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  forEachFirst(graph, groups, places, table, (row, variable, node) => {
    rows.push(row);
    cols.push(variable);
    nodes.push(node);
  });
  return assembled(graph, roots.length, variables.length, { rows, cols, nodes });
};

/** The second derivatives of node `root` by each two of `variables`, a sparse matrix whose pattern is found. As `gradientOf` otherwise. */
export const hessianOf = (
  graph: Graph,
  root: number,
  variables: Int32Array,
  { half = 'both', ...options }: DeriveOptions & { readonly half?: Half } = {},
): Csr<Int32Array> => {
  const found = activity(graph, [root], variables, options.table ?? derivatives);
  /* Over the reals it is not known what else is computed from a sum. */
  const inner = graph.algebraic ? [] : innerSums(graph, root, found);
  if (inner.length > 0) {
    const lower = hessianThrough(graph, root, variables, inner, options);
    return half === 'lower' ? lower : mirrored(lower);
  }
  const { groups, places, bodies, table, sums } = elementsOf(graph, [root], variables, options, found);
  const secondOrder = new SecondOrder(graph.arithmetic, table);
  if (bodies) {
    const lower = hessianOfBodies(bodies, places, variables.length, table, secondOrder, sums);
    return half === 'lower' ? lower : mirrored(lower);
  }
  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  for (const group of groups) {
    const template = templateOf(group.form, graph);
    const own = nodesOfVariables(template);
    const found = edgePushing(template.graph, template.root, own, table, secondOrder);
    const second = inOrder(found, (k) => places[group.leaves[template.variables[k]]]);
    instances(graph, group, template, second.nodes, (_sum, given, found) => {
      for (let e = 0; e < found.length; e++) {
        const i = places[given[template.variables[second.rows[e]]]];
        const j = places[given[template.variables[second.cols[e]]]];
        rows.push(Math.max(i, j));
        cols.push(Math.min(i, j));
        nodes.push(found[e]);
        if (half === 'lower' || i === j) continue;
        rows.push(Math.min(i, j));
        cols.push(Math.max(i, j));
        nodes.push(found[e]);
      }
    });
  }
  return assembled(graph, variables.length, variables.length, { rows, cols, nodes });
};

/** The lower half of the second derivatives of a function of these sums, each of which is differentiated for itself. */
const hessianThrough = (
  graph: Graph,
  root: number,
  variables: Int32Array,
  inner: readonly number[],
  options: DeriveOptions,
): Csr<Int32Array> => {
  const { bodies: _, ...own } = options;
  const lower = { half: 'lower' } as const;
  const all = Int32Array.of(...inner, ...variables);
  const outer = {
    gradient: gradientOf(graph, root, Int32Array.from(inner), own),
    hessian: hessianOf(graph, root, all, { ...options, ...lower }),
  };
  const sums = inner.map((sum) => ({
    gradient: gradientOf(graph, sum, variables, own),
    hessian: hessianOf(graph, sum, variables, { ...own, ...lower }),
  }));
  return assembled(graph, variables.length, variables.length, composed(graph, outer, sums));
};

const inOrder = (given: Triplets, placeOf: (variable: number) => number): Triplets => {
  const { rows, cols, nodes } = given;
  const order = orderOfMatrix(given, placeOf);
  return { rows: order.map((e) => rows[e]), cols: order.map((e) => cols[e]), nodes: order.map((e) => nodes[e]) };
};

/** What is differentiated: terms of the graph by form, or bodies for all of them. */
type Terms = {
  readonly groups: readonly ElementGroup[];
  readonly places: Int32Array;
  readonly table: DerivativeTable;
} & (
  | { readonly bodies: readonly Body[]; readonly sums: SumsOfBodies }
  | { readonly bodies?: undefined; readonly sums?: undefined }
);

/** Elements of one root, or of several: those of a Jacobian are its rows. */
const elementsOf = (
  graph: Graph,
  roots: ArrayLike<number>,
  variables: Int32Array,
  { table = derivatives, sums, bodies = [] }: DeriveOptions,
  found = activity(graph, roots, variables, table),
): Terms => {
  const places = placesOf(graph, variables);
  if (!found.depends && bodies.length === 0)
    fail('derivative/independent', 'what is differentiated depends on none of the values it is differentiated by', {
      remedy: 'compute it from them, or leave the derivative out: it is zero',
    });
  const one = graph.constant(1);
  const whole = Array.from(roots, (node): Element => [{ node, factor: one }]);
  const elements = roots.length === 1 ? joinTerms(graph, termsOf(graph, roots[0], found), found) : whole;
  const apart = elements.flatMap((e): readonly Element[] => (e.length > MOST_JOINED ? e.map((term) => [term]) : [e]));
  const groups =
    (apart.length > elements.length ? groupByForm(graph, apart, found, MOST_REPEATED * found.count) : undefined) ??
    groupByForm(graph, elements, found, MOST_REPEATED * found.count) ??
    /* Below a Jacobian every row is differentiated for itself, whatever it shares with others. */
    groupByForm(graph, whole, found, Infinity)!;
  const members = groups.reduce((n, g) => n + g.sums.length, 0);
  if (sums === undefined || (bodies.length === 0 && !repeats(members, groups.length))) return { groups, places, table };
  return { groups, places, table, sums, bodies: [...bodies, ...groups.map((g) => bodyOf(graph, g))] };
};

/** A group of terms as a body, its leaves in columns. */
const bodyOf = (graph: Graph, { form, sums, leaves }: ElementGroup): Body => {
  const column = (k: number): Int32Array => {
    const out = new Int32Array(sums.length);
    for (let m = 0; m < out.length; m++) out[m] = leaves[m * form.leaves + k];
    return out;
  };
  return {
    template: templateOf(form, graph),
    sums: Int32Array.from(sums),
    columns: Array.from({ length: form.leaves }, (_, k) => column(k)),
  };
};

/** Terms are differentiated one by one as long as together they have at most so many nodes for each that there is. */
const MOST_REPEATED = 4;

/** What is said of one element are so many terms at most; more of the same variables are of many elements, as where these are parameters that all have in common. */
const MOST_JOINED = 32;

const placesOf = (graph: Graph, variables: Int32Array): Int32Array => {
  const places = new Int32Array(graph.length).fill(-1);
  variables.forEach((id, i) => {
    if (graph.algebraic && !graph.isVariable(id))
      fail(
        'derivative/by-expression',
        'a derivative by an expression is asked for, in arithmetic of the real numbers',
        {
          remedy:
            "there equal expressions are one, so what is computed from this one is not known: differentiate by inputs, or compile with arithmetic: 'exact'",
        },
      );
    if (places[id] >= 0)
      fail('derivative/twice', `values ${places[id]} and ${i} of those to differentiate by are one`, {
        remedy: 'name each once',
      });
    places[id] = i;
  });
  return places;
};

const nodesOfVariables = ({ leaves, variables }: Template): Int32Array => variables.map((k) => leaves[k]);

/** First derivatives of all elements: the sum, the variable's place, and the node. */
const forEachFirst = (
  graph: Graph,
  groups: readonly ElementGroup[],
  places: Int32Array,
  table: DerivativeTable,
  visit: (sum: number, variable: number, node: number) => void,
): void => {
  for (const group of groups) {
    const template = templateOf(group.form, graph);
    const own = reverseSweep(template.graph, template.root, nodesOfVariables(template), table);
    const kept = template.variables.filter((_, k) => own[k] >= 0);
    instances(
      graph,
      group,
      template,
      own.filter((id) => id >= 0),
      (sum, given, found) => {
        for (let k = 0; k < found.length; k++) visit(sum, places[given[kept[k]]], found[k]);
      },
    );
  }
};

/** Builds `roots` of a template for each member of its group. */
const instances = (
  graph: Graph,
  { form, sums, leaves }: ElementGroup,
  template: Template,
  roots: ArrayLike<number>,
  visit: (sum: number, given: Int32Array, found: Int32Array) => void,
): void => {
  const { build, size } = instantiator(template, roots, graph);
  graph.reserve(graph.length + size * sums.length);
  sums.forEach((sum, m) => {
    const given = leaves.subarray(m * form.leaves, (m + 1) * form.leaves);
    visit(sum, given, build(given));
  });
};

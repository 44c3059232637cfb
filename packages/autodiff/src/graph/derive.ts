import { Sym, algebraOfGraph, fail, type Graph } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { DerivativeTable } from '../table/derivative.js';
import { derivatives } from '../table/derivatives.js';
import { activity, type Activity } from './active.js';
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
import { edgePushing } from './edge-pushing.js';
import { groupByForm, joinTerms, type ElementGroup } from './elements.js';
import { NONE } from './guarded.js';
import { innerSums } from './inner-sums.js';
import { reverseSweep } from './reverse-sweep.js';
import { SecondOrder } from './second-order.js';
import { instantiator, templateOf, type Template } from './template.js';
import { Peel, type Term } from './terms.js';
import { composed, weighted } from './through-sums.js';

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
 * share most of what they are made of are differentiated together, and sums that many of them are made of for themselves. Fails with `derivative/independent`,
 * `derivative/by-expression`, `derivative/twice`, `derivative/no-rule`, `derivative/refused`.
 */
export const gradientOf = (
  graph: Graph,
  root: number,
  variables: Int32Array,
  options: DeriveOptions = {},
): Int32Array => gradientOfTerms(graph, [whole(graph, root)], variables, options);

const gradientOfTerms = (
  graph: Graph,
  given: readonly Term[],
  variables: Int32Array,
  options: DeriveOptions,
): Int32Array => {
  const of = sumOf(graph, given, variables, options);
  if (of.inner.length > 0) {
    const outer = gradientOfTerms(graph, given, Int32Array.of(...of.inner, ...variables), { table: of.table });
    const direct = outer.subarray(of.inner.length);
    const through = gradientOfTerms(graph, weighted(graph, of.inner, outer), variables, options);
    const s = algebraOfGraph(graph);
    return direct.map((node, k) => s.add(new Sym(graph, node), new Sym(graph, through[k])).id);
  }
  const { places, table } = of;
  const { groups, bodies } = elementsOf(graph, of, options);
  if (bodies) {
    const { of: all, sums } = bodies;
    return gradientOfBodies([...all, ...(options.bodies ?? [])], places, variables.length, table, sums);
  }
  const at: number[] = [];
  const nodes: number[] = [];
  forEachFirst(
    graph,
    groups,
    (template) => [template.root],
    places,
    table,
    (_element, _part, variable, node) => {
      at.push(variable);
      nodes.push(node);
    },
  );
  return sumsByPlace(graph, at, nodes, variables.length);
};

/** The derivatives of each of `roots` by each of `variables`, one row a root; its pattern is found. What rows are sums of is grouped by form, in all of them. As `gradientOf` otherwise. */
export const jacobianOf = (
  graph: Graph,
  roots: Int32Array,
  variables: Int32Array,
  options: DeriveOptions = {},
): Csr<Int32Array> => {
  const { table = derivatives, bodies: given = [] } = options;
  const places = placesOf(graph, variables);
  const found = activity(graph, roots, variables, table);
  const peel = new Peel(graph, found);
  const wholes = Array.from(roots, (node, row) => [{ ...whole(graph, node), row }]);
  const terms = wholes.flatMap(([{ row, ...root }]) => peel.terms([root]).map((term) => ({ ...term, row })));
  /* By node as in a sum, and not by row: then elements that are alike have their terms alike. */
  terms.sort((a, b) => a.node - b.node || a.factor - b.factor);
  const of = { terms, wholes, places, table, found };
  const { elements, groups, bodies } = elementsOf(graph, of, options);
  if (bodies) {
    const ofRows = bodies.of.map((body, g) => ({
      ...body,
      rows: body.template.parts.map((_, p) => Int32Array.from(groups[g].sums, (e) => elements[e][p].row)),
    }));
    const all = [...ofRows, ...given.map((body) => ({ ...body, rows: [body.sums] }))];
    return jacobianOfBodies(all, places, [roots.length, variables.length], table, bodies.sums);
  }
  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  forEachFirst(
    graph,
    groups,
    (template) => template.parts,
    places,
    table,
    (element, part, variable, node) => {
      rows.push(elements[element][part].row);
      cols.push(variable);
      nodes.push(node);
    },
  );
  return assembled(graph, roots.length, variables.length, { rows, cols, nodes });
};

/** The second derivatives of node `root` by each two of `variables`, a sparse matrix whose pattern is found. As `gradientOf` otherwise. */
export const hessianOf = (
  graph: Graph,
  root: number,
  variables: Int32Array,
  { half = 'both', ...options }: DeriveOptions & { readonly half?: Half } = {},
): Csr<Int32Array> => {
  const lower = hessianOfTerms(graph, [whole(graph, root)], variables, options);
  return half === 'lower' ? lower : mirrored(lower);
};

/** The lower half. */
const hessianOfTerms = (
  graph: Graph,
  given: readonly Term[],
  variables: Int32Array,
  options: DeriveOptions,
): Csr<Int32Array> => {
  const of = sumOf(graph, given, variables, options);
  const { inner, places, table } = of;
  if (inner.length > 0) {
    const { bodies: _, ...apart } = options;
    /* By the variables too: one of them may be made of the sums, and is then independent of them. */
    const all = Int32Array.of(...inner, ...variables);
    const sums = weighted(graph, inner, gradientOfTerms(graph, given, all, { table }));
    const outer = {
      hessian: hessianOfTerms(graph, given, all, { table }),
      jacobian: jacobianOf(graph, Int32Array.from(inner), variables, apart),
      inner: hessianOfTerms(graph, sums, variables, options),
    };
    return composed(graph, outer, options.sums);
  }
  const { groups, bodies } = elementsOf(graph, of, options);
  const secondOrder = new SecondOrder(graph.arithmetic, table);
  if (bodies) {
    const all = [...bodies.of, ...(options.bodies ?? [])];
    return hessianOfBodies(all, places, variables.length, table, secondOrder, bodies.sums);
  }
  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  for (const group of groups) {
    const template = templateOf(group.form, graph);
    const own = nodesOfVariables(template);
    const found = edgePushing(template.graph, template.root, own, table, secondOrder);
    const second = inOrder(found, (k) => places[group.leaves[template.variables[k]]]);
    instances(graph, group, template, second.nodes, (_element, leaves, values) => {
      for (let e = 0; e < values.length; e++) {
        const i = places[leaves[template.variables[second.rows[e]]]];
        const j = places[leaves[template.variables[second.cols[e]]]];
        rows.push(Math.max(i, j));
        cols.push(Math.min(i, j));
        nodes.push(values[e]);
      }
    });
  }
  return assembled(graph, variables.length, variables.length, { rows, cols, nodes });
};

const inOrder = (given: Triplets, placeOf: (variable: number) => number): Triplets => {
  const { rows, cols, nodes } = given;
  const order = orderOfMatrix(given, placeOf);
  return { rows: order.map((e) => rows[e]), cols: order.map((e) => cols[e]), nodes: order.map((e) => nodes[e]) };
};

/** A node as the only term of a sum. */
const whole = (graph: Graph, node: number): Term => ({ node, factor: graph.constant(1), condition: NONE });

/** What is differentiated: terms, and those that they were peeled from, as elements. */
interface Peeled<T extends Term> {
  readonly terms: readonly T[];
  readonly wholes: readonly (readonly T[])[];
  readonly found: Activity;
  /** The number of each variable, by its node; −1 for other nodes. */
  readonly places: Int32Array;
  readonly table: DerivativeTable;
}

/** A sum of terms, and what of it is to be differentiated by itself. */
const sumOf = (
  graph: Graph,
  given: readonly Term[],
  variables: Int32Array,
  { table = derivatives }: DeriveOptions,
): Peeled<Term> & { readonly inner: readonly number[] } => {
  const places = placesOf(graph, variables);
  const roots = given.map(({ node }) => node);
  const found = activity(graph, roots, variables, table);
  const terms = new Peel(graph, found).terms(given);
  /* Over the reals it is not known what else is computed from a sum. */
  const inner = graph.algebraic ? [] : innerSums(graph, terms, found);
  return { terms, wholes: [given], found, places, table, inner };
};

/** Terms by form: nodes are made for each of them, or, where many have one form, they are bodies. */
interface Elements<T extends Term> {
  readonly elements: readonly (readonly T[])[];
  readonly groups: readonly ElementGroup[];
  /** One for each group. */
  readonly bodies: { readonly of: readonly Body[]; readonly sums: SumsOfBodies } | undefined;
}

const elementsOf = <T extends Term>(
  graph: Graph,
  { terms, wholes, found }: Peeled<T>,
  { sums, bodies = [] }: DeriveOptions,
): Elements<T> => {
  if (!found.depends && bodies.length === 0)
    fail('derivative/independent', 'what is differentiated depends on none of the values it is differentiated by', {
      remedy: 'compute it from them, or leave the derivative out: it is zero',
    });
  const joined = joinTerms(graph, terms, found);
  const apart = joined.flatMap((e): readonly (readonly T[])[] =>
    e.length > MOST_JOINED ? e.map((term) => [term]) : [e],
  );
  const grouped = (elements: Elements<T>['elements'], most: number): Omit<Elements<T>, 'bodies'> | undefined => {
    const groups = groupByForm(graph, elements, found, most);
    return groups && { elements, groups };
  };
  const isSplit = apart.length > joined.length;
  const { elements, groups } =
    (isSplit ? grouped(apart, MOST_REPEATED * found.count) : undefined) ??
    /* What is joined is one sum, but in a Jacobian, where each term is differentiated for itself. */
    (isSplit && wholes.length > 1 ? undefined : grouped(joined, MOST_REPEATED * found.count)) ??
    /* There every row is then differentiated for itself, whatever it shares with others. */
    grouped(wholes, Infinity)!;
  const members = groups.reduce((n, g) => n + g.sums.length, 0);
  const many = sums !== undefined && (bodies.length > 0 || repeats(members, groups.length));
  return { elements, groups, bodies: many ? { of: groups.map((g) => bodyOf(graph, g)), sums } : undefined };
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

/** First derivatives of parts of all elements: the element, which of the parts, the variable's place, and the node. */
const forEachFirst = (
  graph: Graph,
  groups: readonly ElementGroup[],
  partsOf: (template: Template) => readonly number[],
  places: Int32Array,
  table: DerivativeTable,
  visit: (element: number, part: number, variable: number, node: number) => void,
): void => {
  for (const group of groups) {
    const template = templateOf(group.form, graph);
    const variables = nodesOfVariables(template);
    const found = partsOf(template).flatMap((root, part) =>
      [...reverseSweep(template.graph, root, variables, table)].flatMap((node, k) =>
        node < 0 ? [] : [{ node, part, leaf: template.variables[k] }],
      ),
    );
    const roots = Int32Array.from(found, ({ node }) => node);
    instances(graph, group, template, roots, (element, leaves, nodes) =>
      found.forEach(({ part, leaf }, e) => visit(element, part, places[leaves[leaf]], nodes[e])),
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

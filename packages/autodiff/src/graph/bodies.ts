import { csrFromTriplets, type Csr } from '@filigree/sparse/formats';
import type { DerivativeTable } from '../table/derivative.js';
import { edgePushing } from './edge-pushing.js';
import { reverseSweep } from './reverse-sweep.js';
import type { SecondOrder } from './second-order.js';
import type { Template } from './template.js';

/** Terms of one form: a template, once, and for each member what stands at its leaves. */
export interface Body {
  readonly template: Template;
  /** For each leaf of the template the nodes that members have there; no two variables of a member are one. */
  readonly columns: readonly Int32Array[];
  /** Which of the roots each member is a term of. */
  readonly sums: Int32Array;
}

/** The same where each part of the template is a term of a root of its own. */
export interface BodyOfRows extends Pick<Body, 'template' | 'columns'> {
  /** For each part which of the roots it is a term of, by member. */
  readonly rows: readonly Int32Array[];
}

/** Values that every member of a body has, and the places that each is added to. */
export interface DerivedBody {
  readonly template: Pick<Template, 'graph' | 'leaves'>;
  readonly columns: readonly Int32Array[];
  readonly count: number;
  /** Nodes of the template's graph. */
  readonly roots: Int32Array;
  /** For each root the place of each member's value. */
  readonly places: readonly Int32Array[];
}

/** Makes the sums of what bodies add to places `0 .. count`: a node for each, of a graph that holds every template once. */
export type SumsOfBodies = (bodies: readonly DerivedBody[], count: number) => Int32Array;

/** Values of members and the entries of a matrix that each is added to. */
export interface Derived extends Pick<DerivedBody, 'template' | 'columns' | 'count' | 'roots'> {
  readonly rows: readonly Int32Array[];
  readonly cols: readonly Int32Array[];
}

/** The gradient of the sum of all bodies. `places` has the number of each variable, by its node. */
export const gradientOfBodies = (
  bodies: readonly Body[],
  places: Int32Array,
  variables: number,
  table: DerivativeTable,
  sums: SumsOfBodies,
): Int32Array =>
  sums(
    bodies.map((body) => {
      const { cols, ...of } = firstOf(body, [body.template.root], [body.sums], places, table);
      return { ...of, places: cols };
    }),
    variables,
  );

/** One row for each sum. */
export const jacobianOfBodies = (
  bodies: readonly BodyOfRows[],
  places: Int32Array,
  shape: readonly [rows: number, cols: number],
  table: DerivativeTable,
  sums: SumsOfBodies,
): Csr<Int32Array> =>
  assembledBodies(
    bodies.map((body) => firstOf(body, body.template.parts, body.rows, places, table)),
    shape,
    sums,
  );

/** The lower half of the second derivatives of the sum of all bodies. */
export const hessianOfBodies = (
  bodies: readonly Body[],
  places: Int32Array,
  variables: number,
  table: DerivativeTable,
  secondOrder: SecondOrder,
  sums: SumsOfBodies,
): Csr<Int32Array> =>
  assembledBodies(
    bodies.map((body) => secondOf(body, places, table, secondOrder)),
    [variables, variables],
    sums,
  );

/** A symmetric matrix of which the lower half is given. Entries that mirror each other are one node. */
export const mirrored = ({ pattern, values }: Csr<Int32Array>): Csr<Int32Array> => {
  const n = values.length;
  const { rows: size, rowPtr, colIdx } = pattern;
  const [rows, cols, from] = [new Int32Array(2 * n), new Int32Array(2 * n), new Int32Array(2 * n)];
  let t = 0;
  for (let i = 0; i < size; i++)
    for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++)
      for (const [row, col] of i === colIdx[e]
        ? [[i, i]]
        : [
            [i, colIdx[e]],
            [colIdx[e], i],
          ]) {
        rows[t] = row;
        cols[t] = col;
        from[t++] = values[e];
      }
  const made = csrFromTriplets(size, size, rows.subarray(0, t), cols.subarray(0, t));
  const both = new Int32Array(t);
  for (let k = 0; k < t; k++) both[made.entry[k]] = from[k];
  return { pattern: made.pattern, values: both };
};

const firstOf = (
  { template, columns }: Pick<Body, 'template' | 'columns'>,
  parts: readonly number[],
  rows: readonly Int32Array[],
  places: Int32Array,
  table: DerivativeTable,
): Derived => {
  const own = nodesOfVariables(template);
  const at = Array.from(template.variables, (leaf) => placesOfColumn(columns[leaf], places));
  const found = parts.flatMap((part, p) =>
    [...reverseSweep(template.graph, part, own, table)].flatMap((node, k) => (node < 0 ? [] : [{ node, p, k }])),
  );
  return {
    ...{ template, columns, count: rows[0].length },
    roots: Int32Array.from(found, ({ node }) => node),
    rows: found.map(({ p }) => rows[p]),
    cols: found.map(({ k }) => at[k]),
  };
};

const secondOf = (body: Body, places: Int32Array, table: DerivativeTable, secondOrder: SecondOrder): Derived => {
  const { template, columns, sums } = body;
  const { graph, root, variables } = template;
  const found = edgePushing(graph, root, nodesOfVariables(template), table, secondOrder);
  const at = Array.from(variables, (leaf) => placesOfColumn(columns[leaf], places));
  const order = orderOfMatrix(found, (k) => at[k][0]);
  const extreme = (e: number, of: (a: number, b: number) => number): Int32Array =>
    at[found.rows[e]].map((place, m) => of(place, at[found.cols[e]][m]));
  return {
    ...{ template, columns, count: sums.length },
    roots: Int32Array.from(order, (e) => found.nodes[e]),
    rows: order.map((e) => extreme(e, Math.max)),
    cols: order.map((e) => extreme(e, Math.min)),
  };
};

/**
 * Entries in the order of the matrix, as the first member has them: what an element adds to neighbouring entries is then computed, stored and read side by side.
 */
export const orderOfMatrix = (
  { rows, cols }: { readonly rows: readonly number[]; readonly cols: readonly number[] },
  placeOf: (variable: number) => number,
): number[] => {
  const key = rows.map((row, e): readonly [number, number] => {
    const [a, b] = [placeOf(row), placeOf(cols[e])];
    return [Math.max(a, b), Math.min(a, b)];
  });
  return [...rows.keys()].sort((d, e) => key[d][0] - key[e][0] || key[d][1] - key[e][1]);
};

const nodesOfVariables = ({ leaves, variables }: Template): Int32Array => variables.map((k) => leaves[k]);

const placesOfColumn = (column: Int32Array, places: Int32Array): Int32Array => column.map((id) => places[id]);

/** The matrix of all sums, whose pattern is what occurs. */
export const assembledBodies = (
  derived: readonly Derived[],
  [height, width]: readonly [number, number],
  sums: SumsOfBodies,
): Csr<Int32Array> => {
  const total = derived.reduce((n, { roots, count }) => n + roots.length * count, 0);
  const [rows, cols] = [new Int32Array(total), new Int32Array(total)];
  let at = 0;
  for (const d of derived)
    d.rows.forEach((row, r) => {
      rows.set(row, at);
      cols.set(d.cols[r], at);
      at += row.length;
    });
  const { pattern, entry } = csrFromTriplets(height, width, rows, cols);
  at = 0;
  const bodies = derived.map(({ rows: _rows, cols: _cols, ...of }) => ({
    ...of,
    places: Array.from(of.roots, () => entry.subarray(at, (at += of.count))),
  }));
  return { pattern, values: sums(bodies, pattern.colIdx.length) };
};

/** Whether nodes of each member are many more than those of the templates: then templates stay, and members are columns. */
export const repeats = (members: number, templates: number): boolean =>
  members >= LEAST_MEMBERS && members >= LEAST_REPEATED * templates;
const LEAST_MEMBERS = 64;
const LEAST_REPEATED = 16;

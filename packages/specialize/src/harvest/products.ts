import type { Arithmetic } from '@filigree/ir';
import type { Csr, CsrPattern } from '@filigree/sparse/formats';
import { ADD, associativeIn } from '../decompose/codes.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import type { GroupOptions } from '../options.js';
import { hasSum } from '../trace/elements/elements.js';
import { rowCounts } from '../trace/products/row-counts.js';
import { SEVERAL, STORED, type StoredMatrix } from '../trace/products/stored-matrix.js';
import { stretchesOf } from '../trace/products/stretches.js';
import { isProduct, matricesOf, type ProductPart, type SumOfProducts } from '../trace/products/sum-of-products.js';
import type { Column } from './columns.js';
import { groupsOfTerms } from './element-sums.js';
import { termTemplate } from './element-template.js';
import { ONE_STRETCH, termsOfUnits } from './element-terms.js';
import { leafKind } from './elements.js';
import type { Body, ListedGroup } from './harvested.js';
import { productSums } from './product-sums.js';
import type { Template } from './template.js';

/** The groups of outputs that are sums of products. */
export const productGroups = (d: Grouping, options: GroupOptions): ListedGroup[] =>
  d.outputs.flatMap(({ product: sum }, output) => {
    if (sum === undefined) return [];
    const [part, ...more] = sum.parts;
    const isAlone = isProduct(part) && more.length === 0 && part.scale === 1 && part.firstAlike === undefined;
    const groups =
      isAlone && part.left.source !== SEVERAL && part.right.source !== SEVERAL
        ? groupsByTerms(d, part, options)
        : groupsOfSums(d, sum, options);
    const level = levelAbove(d, sum);
    return groups.map(({ positions, ...group }): ListedGroup => ({ level, ...group, move: { output, positions } }));
  });

type PlacedGroup = Omit<ListedGroup, 'level' | 'move'> & Pick<ListedGroup['move'], 'positions'>;

/** Sums of products alone that all differ: entries by their number of terms, those of rare or large numbers in one loop over terms. */
const groupsByTerms = (d: Grouping, product: ProductPart, options: GroupOptions): PlacedGroup[] => {
  const { pattern } = product;
  const [left, right] = [product.left, product.right].map((m) => inPlaces(d, m));
  const columns = (nodes: readonly Int32Array[]): Column[] =>
    nodes.map((of, c) => ({ ...(c % 2 === 0 ? left : right).leaf, nodes: of }));
  const body = (terms: number, nodes: readonly Int32Array[]): Body => ({
    template: sumOfProducts(d.graph.arithmetic, terms),
    columns: columns(nodes),
    constants: [],
  });
  const group = (positions: Int32Array, of: Pick<ListedGroup, 'body' | 'segments'>): PlacedGroup => ({
    ...{ units: new Int32Array(positions.length), positions: [[positions]] },
    ...of,
  });
  const { alike, others } = entriesByTerms({ pattern, left, right }, options);
  return [
    ...alike.map(({ terms, positions, nodes }) => group(positions, { body: body(terms, nodes), segments: [] })),
    ...others.map(({ positions, ptr, nodes }) =>
      group(positions, { body: undefined, segments: [{ ...body(1, nodes), ptr, operation: ADD }] }),
    ),
  ];
};

/** Sums with terms of several kinds, or of which some are alike, grouped as other sums are. */
const groupsOfSums = (d: Grouping, sum: SumOfProducts, options: GroupOptions): PlacedGroup[] => {
  const anyOrder = associativeIn(d.graph.arithmetic)[ADD] === 1;
  const stretches = stretchesOf(sum.parts, anyOrder);
  const { sums, unitPtr, unitSums, placePtr, places } = productSums(sum, stretches);
  const units = { unitPtr, sums: unitSums };
  const terms = termsOfUnits(sums, units, (id) => id, leafKind(d), d.inputs.length + 1, anyOrder, stretches.scales);
  const sumsIn = (unit: number): number => unitPtr[unit + 1] - unitPtr[unit];
  const placesOf = (unit: number): number => placePtr[unit + 1] - placePtr[unit];
  const destinationOf = (unit: number): number => (sumsIn(unit) > 1 ? 0 : placesOf(unit));
  return groupsOfTerms(d, terms, destinationOf, 0, options).map((group): PlacedGroup => {
    const columns = Array.from({ length: placesOf(group.units[0]) }, (_, k) =>
      group.units.map((unit) => places[placePtr[unit] + k]),
    );
    return { ...group, positions: sumsIn(group.units[0]) > 1 ? columns.map((c) => [c]) : [columns] };
  });
};

/** A matrix whose values are positions, if they are in an input, and what its entries are as leaves. */
const inPlaces = (
  { inputs }: Grouping,
  { source, values, pattern }: StoredMatrix,
): Csr<Int32Array> & { readonly leaf: Omit<Column, 'nodes'> } => {
  if (source === STORED) return { values, pattern, leaf: { kind: INTERMEDIATE } };
  const { firstNode } = inputs[source];
  return { values: values.map((id) => id - firstNode), pattern, leaf: { kind: source + 1, arePositions: true } };
};

/** The sum of the products of columns 0 and 1, 2 and 3, … */
const sumOfProducts = (arithmetic: Arithmetic, terms: number): Template =>
  termTemplate(
    arithmetic,
    2 * terms,
    [
      Array.from({ length: terms }, (_, t) => ({
        slot: { variable: 2 * t },
        factor: { variable: 2 * t + 1 },
        negative: false,
        stretch: 0,
      })),
    ],
    ONE_STRETCH,
  );

/** The level at which a sum of products can run: above that of what it reads. */
const levelAbove = (d: Grouping, sum: SumOfProducts): number => {
  const { needs, elementLevels, level: levels, unit } = d;
  let level = 0;
  for (const { source, values } of matricesOf(sum))
    if (source < 0)
      for (const id of values) {
        const u = unit[id];
        if (u >= 0 && levels[u] >= level) level = levels[u] + 1;
        else if (u < 0 && needs.isSum(id)) {
          const k = needs.elements.findIndex(({ sums }) => hasSum(sums, id));
          if (elementLevels[k].sums >= level) level = elementLevels[k].sums + 1;
        }
      }
  return level;
};

/** Entries of a product of one number of terms: their positions, and of term t the nodes of its factors, `nodes[2·t]` and `nodes[2·t + 1]`. */
interface Alike {
  readonly terms: number;
  readonly positions: Int32Array;
  readonly nodes: readonly Int32Array[];
}

/** Entries of any numbers of terms: those of entry i are `ptr[i] .. ptr[i+1])` of the factors' nodes. */
interface Others {
  readonly positions: Int32Array;
  readonly ptr: Int32Array;
  readonly nodes: readonly [Int32Array, Int32Array];
}

/** The pattern of a product, and its factors. */
type Factors = Pick<ProductPart, 'pattern'> & Readonly<Record<'left' | 'right', Csr<Int32Array>>>;

/** The entries of a product, ascending in each group, with their terms in increasing k. */
const entriesByTerms = (
  { pattern, left, right }: Factors,
  { maxUnrolledTerms, minUnrolledInstances }: GroupOptions,
): { readonly alike: readonly Alike[]; readonly others: readonly Others[] } => {
  const entries = entriesByCount(pattern, left.pattern, right.pattern);
  const kinds = entries.reduce((n, count) => n + (count > 0 ? 1 : 0), 0);
  const isLoop = (n: number): boolean => n > maxUnrolledTerms || (kinds > 1 && entries[n] < minUnrolledInstances);
  const alike = Array.from(entries, (count, n): Alike | undefined =>
    count === 0 || isLoop(n)
      ? undefined
      : {
          terms: n,
          positions: new Int32Array(count),
          nodes: Array.from({ length: 2 * n }, () => new Int32Array(count)),
        },
  );
  let [rest, restTerms] = [0, 0];
  for (let n = 1; n < entries.length; n++)
    if (isLoop(n)) {
      rest += entries[n];
      restTerms += n * entries[n];
    }
  const others: Others = {
    positions: new Int32Array(rest),
    ptr: new Int32Array(rest + 1),
    nodes: [new Int32Array(restTerms), new Int32Array(restTerms)],
  };
  /* Entries of each number of terms so far. */
  const filled = new Int32Array(entries.length);
  let other = 0;
  const { rowPtr: aPtr, colIdx: aCol } = left.pattern;
  const { rowPtr: bPtr, colIdx: bCol } = right.pattern;
  const { rowPtr } = pattern;
  const row = rowCounts(pattern, left.pattern, right.pattern);
  /* Of the entries of a row where their terms go, and how many have been put there. */
  const at = new Int32Array(row.most);
  const put = new Int32Array(row.most);
  /* The terms of a row whose entries have one each: nothing is counted. */
  const fillSingle = (i: number, { positions, nodes: [x, y] }: Alike): void => {
    for (let e = rowPtr[i], to = filled[1]; e < rowPtr[i + 1]; e++, to++) {
      row.slotOf[pattern.colIdx[e]] = to;
      positions[to] = e;
    }
    for (let p = aPtr[i]; p < aPtr[i + 1]; p++)
      for (let q = bPtr[aCol[p]]; q < bPtr[aCol[p] + 1]; q++) {
        const to = row.slotOf[bCol[q]];
        x[to] = left.values[p];
        y[to] = right.values[q];
      }
    filled[1] += rowPtr[i + 1] - rowPtr[i];
  };
  for (let i = 0; i < pattern.rows; i++) {
    if (alike[1] !== undefined && termsInRow(i, left.pattern, right.pattern) === rowPtr[i + 1] - rowPtr[i]) {
      fillSingle(i, alike[1]);
      continue;
    }
    row.count(i);
    for (let e = rowPtr[i], s = 0; e < rowPtr[i + 1]; e++, s++) {
      const n = row.counts[s];
      const of = alike[n];
      put[s] = 0;
      if (of !== undefined) {
        at[s] = filled[n]++;
        of.positions[at[s]] = e;
        continue;
      }
      at[s] = others.ptr[other];
      others.positions[other++] = e;
      others.ptr[other] = at[s] + n;
    }
    for (let p = aPtr[i]; p < aPtr[i + 1]; p++) {
      const x = left.values[p];
      for (let q = bPtr[aCol[p]]; q < bPtr[aCol[p] + 1]; q++) {
        const s = row.slotOf[bCol[q]];
        const of = alike[row.counts[s]];
        const t = put[s]++;
        if (of === undefined) {
          others.nodes[0][at[s] + t] = x;
          others.nodes[1][at[s] + t] = right.values[q];
        } else {
          of.nodes[2 * t][at[s]] = x;
          of.nodes[2 * t + 1][at[s]] = right.values[q];
        }
      }
    }
  }
  return { alike: alike.filter((of) => of !== undefined), others: rest > 0 ? [others] : [] };
};

/** How many entries of a product have each number of terms. */
const entriesByCount = (pattern: CsrPattern, a: CsrPattern, b: CsrPattern): Int32Array => {
  let most = 0;
  /* Each k gives one term at most to an entry. */
  for (let i = 0; i < a.rows; i++) most = Math.max(most, a.rowPtr[i + 1] - a.rowPtr[i]);
  const entries = new Int32Array(most + 1);
  const row = rowCounts(pattern, a, b);
  for (let i = 0; i < pattern.rows; i++) {
    const width = pattern.rowPtr[i + 1] - pattern.rowPtr[i];
    /* As a rule where there are few entries, and told without a look at them. */
    if (termsInRow(i, a, b) === width) {
      entries[1] += width;
      continue;
    }
    row.count(i);
    for (let s = 0; s < width; s++) entries[row.counts[s]]++;
  }
  return entries;
};

const termsInRow = (i: number, a: CsrPattern, b: CsrPattern): number => {
  let terms = 0;
  for (let p = a.rowPtr[i]; p < a.rowPtr[i + 1]; p++) terms += b.rowPtr[a.colIdx[p] + 1] - b.rowPtr[a.colIdx[p]];
  return terms;
};

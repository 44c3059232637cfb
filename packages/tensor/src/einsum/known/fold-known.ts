import { type ContractionTree, contractionOrder, countProduct, type KnownFactors } from '@filigree/sparse/eqspp';
import { ONE } from '../notation/build.js';
import type { TensorDecl } from '../notation/expression.js';
import type { EinsumNode, Folded, LeafNode, Node, SumNode } from '../notation/node.js';
import { propagatePatterns } from '../strength/patterns.js';
import { OUTER_SHARE, reduceStrength } from '../strength/reduce.js';
import { executedOperations } from './executed-operations.js';
import { formulaOf } from './formula-of.js';
import {
  addKnown,
  type KnownEntries,
  multiplyKnown,
  patternOfKnown,
  rearrangeKnown,
  withinPattern,
} from './known-entries.js';

/** The most entries of a tensor that is folded or comes of it: two megabytes of doubles. */
const MOST_ENTRIES = 2 ** 18;
/** The most products of numbers that are multiplied for one while planning. */
const MOST_PRODUCTS = 2 ** 27;

/**
 * An expression in which what follows from known values alone is a tensor of known values: sums of such tensors, products and
 * sums over their indices, and their multiples by numbers. Where known factors stand beside others, those are multiplied with
 * each other that make the rest of the product least work; patterns are narrowed to the values found. Patterns must have been
 * propagated.
 */
export const foldKnown = <N extends Node>(node: N): N => {
  const folded = fold(node);
  return (folded === node ? node : propagatePatterns(folded, node.pattern)) as N;
};

/** Gives every folded tensor of a kernel its name, `_known0` and so on. */
export const nameFolded = (): ((node: Node) => Node) => {
  let count = 0;
  const name = (node: Node): Node => {
    switch (node.kind) {
      case 'leaf':
        return node.folded ? { ...node, tensor: { ...node.tensor, name: `_known${count++}` } } : node;
      case 'sum':
        return { ...node, terms: node.terms.map(({ by, node: term }) => ({ by, node: name(term) })) };
      case 'einsum':
        return { ...node, factors: node.factors.map(name) };
      case 'contraction':
        return { ...node, left: name(node.left), right: name(node.right) };
      case 'indexsum':
        return { ...node, of: name(node.of) };
    }
  };
  return name;
};

/* What has nothing to fold stays the same object. */
const fold = (node: Node): Node => {
  if (node.kind === 'sum') {
    const terms = changed(node.terms, (t) => {
      const inner = fold(t.node);
      return inner === t.node ? t : { ...t, node: inner };
    });
    return foldSum(terms === node.terms ? node : { ...node, terms });
  }
  if (node.kind !== 'einsum') return node;
  const factors = changed(node.factors, (f) => factorOf(fold(f)));
  return foldProduct(factors === node.factors ? node : { ...node, factors });
};

const changed = <T>(list: readonly T[], map: (item: T) => T): readonly T[] => {
  const mapped = list.map(map);
  return mapped.some((item, n) => item !== list[n]) ? mapped : list;
};

/** A sum of one known term is that term. */
const factorOf = (node: Node): Node => {
  if (node.kind !== 'sum' || node.terms.length !== 1) return node;
  const [{ by, node: term }] = node.terms;
  const known = by.factor === 1 && by.scalars.length === 0 ? knownOf(term) : undefined;
  return known === undefined || term.indices.length !== node.indices.length ? node : term;
};

/** Known terms that the same scalars multiply become one. */
const foldSum = (node: SumNode): SumNode => {
  const groups = new Map<string, SumNode['terms'][number][]>();
  for (const term of node.terms) {
    const key = knownOf(term.node) ? [...term.by.scalars].sort().join('*') : undefined;
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), term]);
  }
  const terms = node.terms.flatMap((term): SumNode['terms'] => {
    const group = [...groups.values()].find((g) => g.includes(term));
    if (group === undefined) return [scaledInside(term)];
    if (group.length === 1 && term.by.factor === 1) return [term];
    return group[0] === term ? [together(node, group)] : [];
  });
  return terms.length === node.terms.length && terms.every((t, n) => t === node.terms[n]) ? node : { ...node, terms };
};

const together = (sum: SumNode, group: SumNode['terms']): SumNode['terms'][number] => {
  const { scalars } = group[0].by;
  const value = addKnown(
    group.map(({ by, node }) => ({ by: by.factor, of: rearrangeKnown(knownOf(node)!, sum.indices) })),
  );
  const formula = group.map((t) => ({ ...t, by: { ...t.by, scalars: [] } }));
  return { by: { ...ONE, scalars }, node: leafOf(value, { ...sum, terms: formula }) };
};

/** What multiplies a product multiplies the smallest of its known factors instead. */
const scaledInside = (term: SumNode['terms'][number]): SumNode['terms'][number] => {
  const { by, node } = term;
  if (Math.abs(by.factor) === 1 || node.kind !== 'einsum') return term;
  const known = node.factors.filter((f) => knownOf(f) !== undefined);
  if (known.length === 0) return term;
  const size = (f: Node): number => f.pattern.bits.length;
  const least = known.reduce((a, b) => (size(b) < size(a) ? b : a)) as LeafNode;
  const scaled = addKnown([{ by: by.factor, of: knownOf(least)! }]);
  const factor = leafOf(scaled, { ...node, kind: 'sum', terms: [{ by: { ...by, scalars: [] }, node: least }] });
  /* What was chosen for a tensor of the user holds for its multiple. */
  const { layout, pattern } = least.tensor;
  const tensor: TensorDecl = least.folded
    ? factor.tensor
    : { ...factor.tensor, layout: layout ?? 'box', ...(pattern ? { pattern } : {}) };
  const factors = node.factors.map((f) => (f === least ? { ...factor, tensor } : f));
  return { by: { ...by, factor: 1 }, node: { ...node, factors } };
};

/**
 * A product with some of its known factors multiplied: those that stand together in the order of least operations, or those
 * that leave the least to do to the others, whichever makes less work as it will be carried out.
 */
const foldProduct = (node: EinsumNode): Node => {
  const known = node.factors.map((f) => knownOf(f));
  const count = known.filter((k) => k !== undefined).length;
  const letters = [...node.indices, ...node.factors.flatMap((f) => [...f.indices])].join('');
  const sums = known.some((k) => k && [...k.indices].some((i) => letters.indexOf(i) === letters.lastIndexOf(i)));
  if (count < 2 && !sums) return node;
  const free: KnownFactors = { factors: known.map((k) => k !== undefined), mostEntries: MOST_ENTRIES };
  const [first, second] = [undefined, free].map((beforehand) =>
    withKnown(node, known, contractionOrder(node.factors, node, OUTER_SHARE, beforehand).tree),
  );
  if (sameFolding(first, second)) return first;
  const work = (product: Node): number => executedOperations(reduceStrength(propagatePatterns(product, node.pattern)));
  return work(second) < work(first) ? second : first;
};

const sameFolding = (a: Node, b: Node): boolean => {
  const parts = (node: Node): string => (node.kind === 'einsum' ? node.factors : [node]).map(formulaOf).sort().join();
  return parts(a) === parts(b);
};

/** A product in which the largest parts of an order that are known are one factor each. */
const withKnown = (node: EinsumNode, known: readonly (KnownEntries | undefined)[], order: ContractionTree): Node => {
  const factors: Node[] = [];
  const visit = (tree: ContractionTree, kept: string): void => {
    const value = valueOf(tree, kept, known);
    if (value === undefined && tree.kind === 'product') {
      visit(tree.left, tree.indices + tree.right.indices);
      visit(tree.right, tree.indices + tree.left.indices);
    } else if (value === undefined || (tree.kind === 'factor' && value.indices.length === tree.indices.length))
      factors.push(node.factors[(tree as { factor: number }).factor]);
    else factors.push(leafOf(value, { ...node, factors: factorsOf(tree).map((f) => node.factors[f]) }));
  };
  visit(order, node.indices);
  const [only] = factors;
  if (factors.length === 1 && knownOf(only) && only.indices.length === node.indices.length) return only;
  return factors.every((f) => node.factors.includes(f)) ? node : { ...node, factors };
};

/** The values of a part of an order over the indices that are kept of it, where they are known and not too many. */
const valueOf = (
  tree: ContractionTree,
  kept: string,
  known: readonly (KnownEntries | undefined)[],
): KnownEntries | undefined => {
  if (tree.kind === 'factor') {
    const value = known[tree.factor];
    if (value === undefined) return undefined;
    const indices = [...tree.indices].filter((i) => kept.includes(i)).join('');
    return rearrangeKnown(withinPattern(value, tree.pattern), indices);
  }
  const { left, right, indices, pattern } = tree;
  const a = valueOf(left, indices + right.indices, known);
  const b = a && valueOf(right, indices + left.indices, known);
  if (a === undefined || b === undefined || pattern.bits.length > MOST_ENTRIES) return undefined;
  const sides = [a, b].map((x) => ({ indices: x.indices, pattern: patternOfKnown(x) }));
  if (countProduct(sides[0], sides[1]) > MOST_PRODUCTS) return undefined;
  return withinPattern(multiplyKnown(a, b, indices), pattern);
};

const factorsOf = (tree: ContractionTree): readonly number[] =>
  tree.kind === 'factor' ? [tree.factor] : [...factorsOf(tree.left), ...factorsOf(tree.right)];

/** The values of a tensor where they are known; what its pattern lacks is not needed. */
const knownOf = (node: Node): KnownEntries | undefined => {
  if (node.kind !== 'leaf') return undefined;
  const { indices, pattern } = node;
  const { shape, values } = node.tensor;
  if (values === undefined || values.length > MOST_ENTRIES) return undefined;
  return withinPattern({ indices, shape, values }, pattern);
};

/** The folded tensor of these values; its name is given when all are known. */
const leafOf = (known: KnownEntries, of: Node): LeafNode => {
  const { indices, shape, values } = known;
  const pattern = patternOfKnown(known);
  const folded: Folded = { formula: formulaOf(of), of: leavesOf(of) };
  return { kind: 'leaf', indices, pattern, tensor: { name: '_known', shape, pattern, values }, folded };
};

const leavesOf = (node: Node): Folded['of'] => {
  switch (node.kind) {
    case 'leaf':
      return node.folded?.of ?? [{ name: node.tensor.name, indices: node.indices, pattern: node.pattern }];
    case 'sum':
      return node.terms.flatMap((t) => leavesOf(t.node));
    case 'einsum':
      return node.factors.flatMap(leavesOf);
    case 'contraction':
      return [...leavesOf(node.left), ...leavesOf(node.right)];
    case 'indexsum':
      return leavesOf(node.of);
  }
};

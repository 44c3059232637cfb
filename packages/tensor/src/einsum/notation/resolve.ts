import { checkOptions, fail, option } from '@filigree/ir';
import { type BooleanTensor, fullPattern } from '@filigree/sparse/eqspp';
import { ONE, timesCoefficient } from './build.js';
import { indexedIn } from './check.js';
import type { Assignment, Coefficient, Expr, TensorDecl } from './expression.js';
import { expressionText } from './expression-text.js';
import { diagonalFactors, diagonalIndices, diagonalPattern, unusedLetters } from './diagonal.js';
import type { EinsumNode, Node, Statement, SumNode } from './node.js';

export interface ResolveOptions {
  /**
   * Whether an index that the target lacks is summed wherever it stands, as NumPy has it, which is so by default; `false` is
   * Einstein's convention: it stands in exactly two places, and anything else is an error.
   */
  readonly implicitSums?: boolean;
}

/**
 * The free indices of every part of an assignment (§4.2.1), from the target down: an index is free where the target or
 * another factor has it, and summed where two factors alone have it. Sums within sums become one. Patterns are those of
 * the tensors, and full elsewhere. A tensor in which an index stands twice is its diagonal.
 *
 * Throws `DiagnosticError`, naming the index: `notation/shape`, `notation/target-index`, `notation/sum-index`, and without
 * `implicitSums` `notation/index-once`, `notation/index-thrice`.
 */
export const resolve = ({ target, add, value }: Assignment, options: ResolveOptions = {}): Statement => {
  const extents = extentsOf([target, ...indexedIn(value)]);
  const letters = unusedLetters([...extents.keys()]);
  const context = { extents, letters, implicitSums: options.implicitSums ?? true };
  const root = resolveSum(value, target.indices, false, context);
  if (!add) return { target, root };
  const old: Node = leaf(target);
  return { target, root: { ...root, terms: [{ by: ONE, node: old }, ...root.terms] } };
};

interface Context {
  readonly extents: ReadonlyMap<string, number>;
  /** Letters for the dimensions of which a diagonal is taken. */
  readonly letters: Iterator<string>;
  readonly implicitSums: boolean;
}

const resolveSum = (e: Expr, free: string, inner: boolean, context: Context): SumNode => ({
  kind: 'sum',
  indices: free,
  pattern: full(free, context),
  terms: termsOf(e, ONE).map(({ by, expr }) => {
    checkTerm(expr, free, inner, context);
    return { by, node: resolveNode(expr, free, context) };
  }),
});

/** Sums of multiples of sums, opened. */
const termsOf = (e: Expr, by: Coefficient): readonly { readonly by: Coefficient; readonly expr: Expr }[] => {
  if (e.kind === 'add') return e.terms.flatMap((t) => termsOf(t, by));
  if (e.kind === 'scale') return termsOf(e.of, timesCoefficient(by, e.by));
  return [{ by, expr: e }];
};

const resolveNode = (e: Expr, free: string, context: Context): Node => {
  if (e.kind === 'indexed') {
    const factors = leaves(e, context);
    if (factors.length === 1 && factors[0].indices.length === free.length) return factors[0];
    return product(factors, free, context);
  }
  if (e.kind !== 'einsum') return resolveSum(e, free, true, context);
  const factors = e.factors.flatMap((f, n) => {
    if (f.kind === 'indexed') return leaves(f, context);
    const others = new Set([...free, ...e.factors.flatMap((g, o) => (o === n ? [] : [...lettersOf(g)]))]);
    return resolveSum(f, [...lettersOf(f)].filter((i) => others.has(i)).join(''), true, context);
  });
  return product(factors, free, context);
};

const product = (factors: readonly Node[], free: string, context: Context): EinsumNode => ({
  kind: 'einsum',
  indices: free,
  pattern: full(free, context),
  factors,
});

const leaves = (e: Assignment['target'], { extents, letters }: Context): readonly Node[] => {
  if (diagonalIndices(e.indices) === e.indices) return [leaf(e)];
  if (e.tensor.values === undefined) return [diagonal(e)];
  const { indices, identities } = diagonalFactors(e.indices, letters, extents);
  return [leaf({ ...e, indices }), ...identities];
};

/** What is wrong with the indices of one term, whose free indices are given. */
const checkTerm = (e: Expr, free: string, inner: boolean, { implicitSums }: Context): void => {
  const counts = countIndices(e);
  const text = expressionText(e);
  for (const [index, n] of counts) {
    if (n > 2 && !implicitSums)
      fail('notation/index-thrice', `index '${index}' appears ${n === 3 ? 'three' : n} times in ${text}`, {
        remedy: 'use an index at most twice in a product; use another letter, or multiply in two steps',
      });
    if (n === 1 && !free.includes(index) && !implicitSums)
      fail(
        'notation/index-once',
        `index '${index}' appears once in ${text} and not on the left: it is on one side only`,
        {
          remedy: `give it to the target, or multiply by a tensor with '${index}' to sum over it`,
        },
      );
  }
  for (const index of free)
    if (!counts.has(index))
      fail(
        inner ? 'notation/sum-index' : 'notation/target-index',
        `index '${index}' ${inner ? 'is in a sum and beside it, and is' : 'of the target is'} missing in ${text}`,
        {
          remedy: `every term of a sum has all of its indices; what is the same for all ${index} is multiplied by a tensor of ones, as in a[i]*one[${index}]`,
        },
      );
};

const extentsOf = (
  tensors: readonly { readonly tensor: { name: string; shape: readonly number[] }; readonly indices: string }[],
): ReadonlyMap<string, number> => {
  const first = new Map<string, { extent: number; name: string }>();
  for (const { tensor, indices } of tensors)
    [...indices].forEach((index, d) => {
      const known = first.get(index);
      if (known === undefined) first.set(index, { extent: tensor.shape[d], name: tensor.name });
      else if (known.extent !== tensor.shape[d])
        fail(
          'notation/shape',
          `index '${index}' runs over ${known.extent} values in '${known.name}' and over ${tensor.shape[d]} in '${tensor.name}[${indices}]'`,
          { remedy: 'make the extents agree, or use another letter' },
        );
    });
  return new Map([...first].map(([index, { extent }]) => [index, extent]));
};

const full = (indices: string, { extents }: Context) => fullPattern([...indices].map((i) => extents.get(i)!));

const leaf = ({ tensor, indices }: Assignment['target']): Node => ({
  kind: 'leaf',
  tensor,
  indices,
  pattern: patternOf(tensor),
});

const diagonal = ({ tensor, indices: along }: Assignment['target']): Node => ({
  kind: 'leaf',
  tensor,
  along,
  indices: diagonalIndices(along),
  pattern: diagonalPattern(patternOf(tensor), along),
});

/* Known zeros are zeros, whatever is stored. */
const patternOf = ({ pattern, shape, values }: TensorDecl): BooleanTensor => {
  const declared = pattern ?? fullPattern(shape);
  return values === undefined ? declared : { shape, bits: declared.bits.map((b, e) => (values[e] === 0 ? 0 : b)) };
};

const lettersOf = (e: Expr): ReadonlySet<string> => new Set(countIndices(e).keys());

/** How often each index appears in a product; of the terms of a sum the one with most counts. */
const countIndices = (e: Expr): ReadonlyMap<string, number> => {
  if (e.kind === 'scale') return countIndices(e.of);
  const counts = new Map<string, number>();
  if (e.kind === 'indexed') {
    for (const i of e.indices) counts.set(i, (counts.get(i) ?? 0) + 1);
    return counts;
  }
  for (const part of e.kind === 'einsum' ? e.factors : e.terms)
    for (const [i, n] of countIndices(part)) {
      const so = counts.get(i) ?? 0;
      counts.set(i, e.kind === 'einsum' ? so + n : Math.max(so, n));
    }
  return counts;
};

/** The options of a function that resolves indices, checked. */
export const resolveOptions = (what: string, given: ResolveOptions | undefined): ResolveOptions =>
  checkOptions<ResolveOptions>(what, given, { implicitSums: option.truth });

import type { Expr, KernelDecl } from '../notation/expression.js';
import { type Extents, extentsOf, factorIndices, knownAfter, nestOf, nextPair } from './nests.js';

/**
 * About how many times the loops of `evaluateKernel` go round, as far as patterns tell beforehand: some 20 to 40 million take a second.
 * Entries are taken to lie evenly.
 */
export const evaluationSteps = ({ assignments }: KernelDecl): number =>
  assignments.reduce((n, a) => n + stepsOf(a.value, a.target.indices, extentsOf(a)), 0);

const stepsOf = (e: Expr, indices: string, extents: Extents): number => {
  switch (e.kind) {
    case 'scale':
      return volume(indices, extents) + stepsOf(e.of, indices, extents);
    case 'add':
      return e.terms.reduce((n, t) => n + stepsOf(t, indices, extents), 0);
    case 'indexed':
      return nestSteps([{ indices: e.indices, share: shareOf(e) }], indices, extents);
    case 'einsum': {
      const own = factorIndices(e.factors, indices);
      const factors = e.factors.map((f, n) => ({ indices: own[n]!, share: f.kind === 'indexed' ? shareOf(f) : 1 }));
      const within = e.factors.reduce((n, f, k) => n + (f.kind === 'indexed' ? 0 : stepsOf(f, own[k]!, extents)), 0);
      return within + productSteps(factors, indices, extents);
    }
  }
};

interface Factor {
  readonly indices: string;
  /** Of its entries, how many may be non-zero. */
  readonly share: number;
}

const shareOf = ({ tensor }: Extract<Expr, { kind: 'indexed' }>): number => {
  const bits = tensor.pattern?.bits;
  return bits === undefined ? 1 : bits.reduce((n, b) => n + b, 0) / bits.length;
};

const productSteps = (factors: readonly Factor[], indices: string, extents: Extents): number => {
  const next = nextPair(factors, indices, extents);
  if (next === undefined) return nestSteps(factors, indices, extents);
  const { pair, rest, kept } = next;
  return nestSteps(pair, kept, extents) + productSteps([...rest, { indices: kept, share: 1 }], indices, extents);
};

/** Where a factor is zero the loops within are left out. */
const nestSteps = (factors: readonly Factor[], indices: string, extents: Extents): number => {
  const nest = nestOf(factors, indices);
  let [visits, steps] = [1, 0];
  nest.forEach((letter, depth) => {
    for (const f of factors) if (knownAfter(f, nest) === depth) visits *= f.share;
    visits *= extents.get(letter)!;
    steps += visits;
  });
  return steps;
};

const volume = (indices: string, extents: Extents): number => [...indices].reduce((n, l) => n * extents.get(l)!, 1);

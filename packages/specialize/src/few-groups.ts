import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { andThen, type Diagnostics, once, type Pass } from '@filigree/ir';
import { ARITY } from './decompose/codes.js';
import { decompose } from './decompose/decompose.js';
import { group, type Grouping } from './group/group.js';
import type { DecomposeOptions, SpecializeOptions } from './options.js';
import type { Trace } from './trace/trace.js';

/** Of more groups than this it is tried to make fewer. */
const MANY = 64;
/** What is stored besides then, less first: short sums; sums of any length, and whatever is used again; */
const TRIES: readonly Partial<DecomposeOptions>[] = [{ maxSumTerms: 4 }, { maxSumTerms: 2, minComplexity: 1 }];
/** also what a block would evaluate at once, since where each step of a simulation adds to what the steps before have, blocks are of as many sizes as there are steps. */
const MOST_STORED: Partial<DecomposeOptions> = { maxSumTerms: 2, minComplexity: 1, detectBlocks: false };
/**
 * At last all sums, together with what looks alike: where sums are flattened the butterflies of a Fourier transform are sums of three terms, of two where a factor is 1, and of so many more as
 * levels are evaluated at once.
 */
const SUMS: Partial<DecomposeOptions> = { maxSumTerms: 1 };
/** What is stored has to be moved: then groups have to be so many times fewer, */
const LEAST_GAIN = 2;
/** or there has to be so many times less code. */
const LEAST_SHORTER = 2.75;
/**
 * What is stored where groups are very many, which are then loops that all levels share: one for the sums of a level, whatever they add up. An elimination of a sparse matrix has
 * other sums in each of its steps, so it has as many groups as it has steps, and a graph of which no part is like another has as many as it has parts: each takes a compiler a hundredth of a second. In such
 * a loop a sum of two terms takes up to twice as long, and an operation that is stored three times as long.
 */
const LOOPS: readonly { readonly timesMost: number; readonly stored: Partial<DecomposeOptions> }[] = [
  { timesMost: 1, stored: { maxSumTerms: 1 } },
  { timesMost: 5, stored: { maxSumTerms: 1, minReferences: 1, minComplexity: 0, detectBlocks: false } },
];
/** So groups have to be so many times fewer. */
const LEAST_GAIN_OF_LOOPS = 4;
/** Of so many times the most groups it is asked first what is left of them where most is stored: if that is too many as well, loops are tried at once. */
const FAR_TOO_MANY = 5;
/** A loop takes compilers as long as so many operations. */
const LOOP = 8;
/**
 * A try passes so many nodes while a compiler takes two groups, one of which it may spare: of a graph that has more of them for each of its groups nothing is tried, since that
 * would take longer than to compile what there is.
 */
const NODES_A_GROUP = 8192;

/**
 * `decompose`, then `group`. What is evaluated where it is read makes many structures: sums have lengths, orders and signs, as the forces on the vertices at the boundary of a mesh, and
 * products grow from step to step, as the outermost diagonals of the powers of a band. Where there are many, more is stored, if that makes half as many, or much less code; else what looks alike is stored alike:
 * on an irregular graph how often a value is read is chance, and from step to step there are structures for more of its combinations. What still has very many has loops in their place.
 */
export const cutInFewGroups = (options: Pick<SpecializeOptions, 'decompose' | 'group'>): Pass<Trace, Grouping> => {
  const cut = (given: DecomposeOptions, alike: boolean, together = false) =>
    pipe(decompose(given, alike), andThen(group(options.group, together)));
  const first = cut(options.decompose, false);
  const most = options.group.mostGroups;
  return {
    ...first,
    run: (trace, watch) => {
      const run = (pass: Pass<Trace, Grouping>) => () => pass.run(trace, watch);
      const storing = (limits: Partial<DecomposeOptions>) => run(cut(lower(options.decompose, limits), false));
      const mostStored = once(storing(MOST_STORED));
      const storingMore = (found: Grouping): Grouping =>
        [...TRIES.map(storing), mostStored, run(cut(options.decompose, true))].reduce(
          (best, next) => (best.groups.length <= MANY || !pays(best) ? best : better(best, next())),
          found,
        );
      const inLoops = (found: Grouping): Grouping =>
        LOOPS.reduce((best, { timesMost, stored }) => {
          if (best.groups.length <= timesMost * most || !pays(best)) return best;
          const next = cut(lower(options.decompose, stored), false, true).run(trace, watch);
          const fewer = E.isRight(next) && LEAST_GAIN_OF_LOOPS * next.right.groups.length <= best.groups.length;
          return fewer ? next.right : best;
        }, found);
      const sumsAlike = (found: Grouping): Grouping =>
        found.groups.length <= MANY || !Number.isFinite(most) || !pays(found)
          ? found
          : better(found, cut(lower(options.decompose, SUMS), true).run(trace, watch));
      return pipe(
        first.run(trace, watch),
        E.map((found) => {
          const stored = found.groups.length > FAR_TOO_MANY * most && pays(found) ? mostStored() : undefined;
          return stored && E.isRight(stored) && stored.right.groups.length > most
            ? storingMore(inLoops(better(found, stored)))
            : sumsAlike(inLoops(storingMore(found)));
        }),
      );
    },
  };
};

/** Whether what groups there are takes longer to compile than the graph to be cut again. */
const pays = ({ groups, graph }: Grouping): boolean => NODES_A_GROUP * groups.length >= graph.length;

/** The first, unless the other one has many times fewer groups, or less code. */
const better = (best: Grouping, other: E.Either<Diagnostics, Grouping>): Grouping => {
  if (E.isLeft(other)) return best;
  const { right: next } = other;
  const fewer = LEAST_GAIN * next.groups.length <= best.groups.length;
  return fewer || LEAST_SHORTER * codeOf(next) <= codeOf(best) ? next : best;
};

/** How much there is to compile: operations of one unit of each group, of sums that are loops those of each kind of term, and loops. */
const codeOf = (d: Grouping): number => {
  const { op, left, right, length } = d.graph;
  const seen = new Int32Array(length);
  let code = 0;
  for (const [g, { units, rolled }] of d.groups.entries()) {
    code += LOOP;
    const roots = d.roots.subarray(d.ptr[units[0]], d.ptr[units[0] + 1]);
    const kinds = new Set<number>();
    const rest = [...roots];
    const visit = (id: number): void => {
      if (d.stored[id] === 0) rest.push(id);
    };
    while (rest.length > 0) {
      const id = rest.pop()!;
      const arity = ARITY[op[id]];
      if (seen[id] === g + 1 || arity === 0) continue;
      seen[id] = g + 1;
      if (!rolled) code++;
      else if (op[id] !== op[roots[0]]) {
        const kind = d.hashes.own[id];
        if (kinds.has(kind)) continue;
        kinds.add(kind);
        code++;
      }
      visit(left[id]);
      if (arity > 1) visit(right[id]);
    }
  }
  return code;
};

/** Options with limits that are no higher than these. */
const lower = (
  options: DecomposeOptions,
  {
    maxSumTerms = Infinity,
    minReferences = Infinity,
    minComplexity = Infinity,
    detectBlocks = true,
  }: Partial<DecomposeOptions>,
): DecomposeOptions => ({
  ...options,
  detectBlocks: options.detectBlocks && detectBlocks,
  maxSumTerms: Math.min(options.maxSumTerms, maxSumTerms),
  minReferences: Math.min(options.minReferences, minReferences),
  minComplexity: Math.min(options.minComplexity, minComplexity),
});

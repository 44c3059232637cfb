import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { andThen, type Pass } from '@filigree/ir';
import { decompose } from './decompose/decompose.js';
import { group, type Grouping } from './group/group.js';
import type { DecomposeOptions, SpecializeOptions } from './options.js';
import type { Trace } from './trace/trace.js';

/** Of more groups than this it is tried to make fewer. */
const MANY = 64;
/** What is stored besides then, less first: short sums; sums of any length, and whatever is used again. */
const TRIES: readonly Partial<DecomposeOptions>[] = [{ maxSumTerms: 4 }, { maxSumTerms: 2, minComplexity: 1 }];
/** What is stored has to be moved: then groups have to be so many times fewer. */
const LEAST_GAIN = 2;

/**
 * `decompose`, then `group`. What is evaluated where it is read makes many structures: sums have lengths, orders and signs, as the forces on the vertices at the boundary of a mesh, and
 * products grow from step to step, as the outermost diagonals of the powers of a band. Where there are many, more is stored, if that makes them half as many; else what looks alike is stored alike:
 * on an irregular graph how often a value is read is chance, and from step to step there are structures for more of its combinations.
 */
export const cutInFewGroups = (options: Pick<SpecializeOptions, 'decompose' | 'group'>): Pass<Trace, Grouping> => {
  const cut = (given: DecomposeOptions, alike: boolean) => pipe(decompose(given, alike), andThen(group(options.group)));
  const first = cut(options.decompose, false);
  return {
    ...first,
    run: (trace, watch) => {
      let best = first.run(trace, watch);
      const tries = [
        ...TRIES.map((limits) => cut(lower(options.decompose, limits), false)),
        cut(options.decompose, true),
      ];
      for (const storing of tries) {
        if (E.isLeft(best) || best.right.groups.length <= MANY) return best;
        const next = storing.run(trace, watch);
        if (E.isRight(next) && LEAST_GAIN * next.right.groups.length <= best.right.groups.length) best = next;
      }
      return best;
    },
  };
};

/** Options with limits that are no higher than these. */
const lower = (
  options: DecomposeOptions,
  { maxSumTerms = Infinity, minComplexity = Infinity }: Partial<DecomposeOptions>,
): DecomposeOptions => ({
  ...options,
  maxSumTerms: Math.min(options.maxSumTerms, maxSumTerms),
  minComplexity: Math.min(options.minComplexity, minComplexity),
});

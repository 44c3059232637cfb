import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { andThen, type Pass } from '@filigree/ir';
import { decompose } from './decompose/decompose.js';
import { group, type Grouping } from './group/group.js';
import type { DecomposeOptions, SpecializeOptions } from './options.js';
import type { Trace } from './trace/trace.js';

/** Of more groups than this it is tried to make fewer. */
const MANY = 64;
/** Sums of more terms are stored then. */
const FEW_TERMS = 4;
/** What is stored has to be moved: then groups have to be so many times fewer. */
const LEAST_GAIN = 2;

/**
 * `decompose`, then `group`. Sums that are evaluated where they are read make as many structures as they have lengths, orders and signs: the forces on the vertices at the
 * boundary of a mesh, step after step. Where there are many, short sums are stored as well, if that makes them half as many.
 */
export const cutInFewGroups = (options: Pick<SpecializeOptions, 'decompose' | 'group'>): Pass<Trace, Grouping> => {
  const cut = (given: DecomposeOptions) => pipe(decompose(given), andThen(group(options.group)));
  const first = cut(options.decompose);
  return {
    ...first,
    run: (trace, watch) => {
      const found = first.run(trace, watch);
      if (E.isLeft(found) || found.right.groups.length <= MANY || options.decompose.maxSumTerms <= FEW_TERMS)
        return found;
      const next = cut({ ...options.decompose, maxSumTerms: FEW_TERMS }).run(trace, watch);
      return E.isRight(next) && LEAST_GAIN * next.right.groups.length <= found.right.groups.length ? next : found;
    },
  };
};

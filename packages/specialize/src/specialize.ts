import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Diagnostics, Module } from '@filigree/ir';
import { decompose, type Decomposition } from './decompose/decompose.js';
import { emit } from './emit/emit.js';
import { group, type Grouping } from './group/group.js';
import { harvest, type Harvest } from './harvest/harvest.js';
import { defaultOptions, type SpecializeOptions } from './options.js';
import { order, type Ordered } from './order/order.js';
import { place, type Placement } from './place/place.js';
import { simplify } from './simplify/simplify.js';
import type { Trace } from './trace/trace.js';

/** A traced program as kernel IR, with what users ask about it. */
export interface Specialized {
  readonly module: Module;
  readonly nodes: number;
  /** Distinct templates: the paper’s kernels. */
  readonly kernels: number;
  readonly launches: number;
  readonly indexBytes: number;
}

/** All stages in order, with the defaults overridden by `options`. */
export const specialize = (options: Partial<SpecializeOptions> = {}) => {
  const o = { ...defaultOptions, ...options };
  return (trace: Trace): E.Either<Diagnostics, Specialized> =>
    pipe(
      E.right<Diagnostics, Trace>(trace),
      E.chain((t): E.Either<Diagnostics, Decomposition> => decompose(o.decompose).run(t)),
      E.chain((d): E.Either<Diagnostics, Grouping> => group(o.group).run(d)),
      E.chain((g): E.Either<Diagnostics, Harvest> => harvest().run(g)),
      E.chain((h): E.Either<Diagnostics, Harvest> => simplify(o.simplify).run(h)),
      E.chain((h): E.Either<Diagnostics, Ordered> => order(o.order).run(h)),
      E.chain((h): E.Either<Diagnostics, Placement> => place(o).run(h)),
      E.chain((p) =>
        pipe(
          emit(o).run(p),
          E.map((module): Specialized => ({
            module,
            nodes: p.nodes,
            kernels: p.launches.reduce((n, l) => n + l.groups.length, 0),
            launches: p.launches.length,
            indexBytes: p.indexBytes,
          })),
        ),
      ),
    );
};

import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { andThen, type Diagnostics, type Module, type Pass, type Watch, checkOptions, printModule } from '@filigree/ir';
import { emit } from './emit/emit.js';
import { cutInFewGroups } from './few-groups.js';
import { harvest } from './harvest/harvest.js';
import { specializeSpec, withDefaults, type SpecializeOptions } from './options.js';
import { order } from './order/order.js';
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
  /** Whether some launch runs steps one after the other. */
  readonly repeats: boolean;
  readonly indexBytes: number;
}

/** All stages in order, with the defaults overridden by `options`; `watch` looks at each. */
export const specialize = (
  options?: Partial<SpecializeOptions>,
): ((trace: Trace, watch?: Watch) => E.Either<Diagnostics, Specialized>) => {
  const o = withDefaults(checkOptions<Partial<SpecializeOptions>>('specialize', options, specializeSpec));
  return pipe(
    cutInFewGroups(o),
    andThen(harvest(o.group)),
    andThen(simplify(o.simplify)),
    andThen(order(o.order)),
    andThen(place(o)),
    andThen(withFigures(emit(o))),
  ).run;
};

const withFigures = (emitter: Pass<Placement, Module>): Pass<Placement, Specialized> => ({
  name: emitter.name,
  print: ({ module }) => printModule(module),
  run: (p, watch) =>
    pipe(
      emitter.run(p, watch),
      E.map((module) => ({
        module,
        nodes: p.nodes,
        kernels: p.launches.reduce((n, l) => n + l.groups.length, 0),
        launches: p.launches.length,
        repeats: p.launches.some(({ repeated }) => repeated !== undefined),
        indexBytes: p.indexBytes,
      })),
    ),
});

import type { Module, Op, Pass } from '@filigree/ir';
import { rare } from '#lowering';
import type { Layout } from '../layout/layout.js';
import { innerLoop } from './inner-loop.js';
import { whereSome } from './where-some.js';

/**
 * Puts the loop that adds up innermost: of `for k { for j { c[i][j] += a[i][k] * b[k][j] } }` within a parallel loop over i becomes `for j { for k { … } }`, where each element of `c` is one sum that
 * `carryElements` keeps in a value, and rows of a product share what they read of `b`. Each element is added to in the order in which it was, so that all numbers stay what they are.
 *
 * Taken are nests that do nothing but that, in which each iteration of the inner loop has elements of its own, and reads something that is the same for all iterations of the parallel loop: else what is read lies one beside the other
 * as it stands, and would not.
 */
export const sumsInside = (layout: Layout): Pass<Module> =>
  whereSome('sums-inside', layout, isNest, (module) => rare().turnModule(module, layout));

/** Whether an op is a parallel loop with a nest of two loops that hand nothing on. */
const isNest = ({ attrs, regions }: Op): boolean =>
  attrs['parallel'] === true && regions.some(({ ops }) => ops.some((op) => innerLoop(op) !== undefined));

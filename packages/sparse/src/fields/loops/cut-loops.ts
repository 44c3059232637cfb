import type { Module, Pass } from '@filigree/ir';
import { rare } from '#lowering';
import type { Layout } from '../layout/layout.js';
import { endsInFunctions } from './ends-in-functions.js';
import { whereSome } from './where-some.js';

/**
 * Cuts serial loops behind their inner loops, where functions such as tanh follow: `for j { s = Σ …; y[j] = tanh(s) }` becomes a loop that keeps each `s` in memory of its own, and one with nothing but functions in it, which may be lanes. That is the same, since
 * iterations depend on one another by nothing: what a first one does last may as well come after what the others do first.
 */
export const cutLoops = (layout: Layout): Pass<Module> =>
  whereSome('cut-loops', layout, endsInFunctions, (...all) => rare().cutModule(...all));

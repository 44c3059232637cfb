import type { Module, Pass } from '@filigree/ir';
import { rare } from '#lowering';
import type { Layout } from '../layout/layout.js';
import { mayBeBox } from './may-be-box.js';
import { whereSome } from './where-some.js';

/**
 * Loops over the active elements of a plain array of several axes, in which there are loops, as the nests that `ndrange` gives: all elements are there. So sums in them, as those of products of matrices, are found
 * by whoever looks for sums in nests. For targets that take a row of iterations for a thread; loops that have few rows stay as they are.
 */
export const boxLoops = (layout: Layout): Pass<Module> =>
  whereSome('box-loops', layout, mayBeBox, (...all) => rare().boxModule(...all));

import { checkOptions, option, type Builder, type OptionSpec, type Value } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import { cellOf, cellPathOf, containerOf, type CellPath, type PathOptions, type Reached } from './path.js';

/* Lowering asks for cells of every access; options are checked here, for those who ask from outside. */

/** `cellOf` for passes of other packages. */
export const buildCell = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf?: number,
): Reached => cellOf(b, layout, node, indices, checkOptions('buildCell', options, pathSpec), leaf);

/** `cellPathOf` for passes of other packages. */
export const buildCellPath = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf?: number,
): CellPath => cellPathOf(b, layout, node, indices, checkOptions('buildCellPath', options, pathSpec), leaf);

/** `containerOf` for passes of other packages. */
export const buildContainer = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
): Reached => containerOf(b, layout, node, indices, checkOptions('buildContainer', options, pathSpec));

const pathSpec: OptionSpec<PathOptions> = {
  activate: option.truth,
  known: option.truth,
  site: option.whole(0),
  inRange: option.truth,
  isWild: option.callback,
};

import {
  byteSize,
  rewriteOps,
  walk,
  type Buffer,
  type Dialect,
  type Kernel,
  type Op,
  type RewriteContext,
} from '@filigree/ir';
import { holdsWords, nodeOf, type Layout } from '../../layout/layout.js';
import { numberOf } from './number-of.js';
import { reachOf, split } from './split.js';

/**
 * Cuts loops over rows of words of bit arrays where lines of memory end, so that no piece leaves a rest that does not fill vectors, and that each reads beyond
 * the row at one end at most, where its lanes choose (`read-edges`). Where neighbours are read beyond both ends and vectors are as long as lines, that is one
 * cut, in the middle: a choice costs less than one more loop does. Shorter ones choose in the lines at both ends only.
 */
export const cutRowEnds = (
  kernel: Kernel,
  layout: Layout,
  vectorBytes: number,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
): Kernel =>
  rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const at = cutsOf(op, layout, vectorBytes, ctx);
      return at && ctx.build((b) => split(op, at, b, ctx));
    },
    buffers,
  );

/** Bytes of a line of memory, which are one vector or several. */
const LINE = 64;

const cutsOf = (loop: Op, layout: Layout, vectorBytes: number, ctx: RewriteContext): readonly number[] | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs.simd !== true || loop.attrs.parallel === true || loop.results.length > 0)
    return undefined;
  const [from, to, step] = loop.operands.map((v) => numberOf(ctx.definition(v)));
  if (from === undefined || to === undefined || step !== 1) return undefined;
  const lanes = wordsOfLine(loop, layout);
  const reach = lanes !== undefined && to - from >= 2 * lanes ? reachOf(loop, from, to, ctx) : undefined;
  if (!lanes || !reach) return undefined;
  const first = from < -reach.least ? from + lanes * Math.ceil((-reach.least - from) / lanes) : from;
  const beyond = to - (reach.unit - reach.most);
  const last = beyond > 0 ? to - lanes * Math.ceil(beyond / lanes) : to;
  if ((first === from && last === to) || first > last) return undefined;
  const middle = from + lanes * Math.floor((to - from) / 2 / lanes);
  const atOnce = vectorBytes >= LINE && first > from && last < to;
  const cuts = atOnce ? [Math.min(Math.max(middle, first), last)] : [first, last];
  return [from, ...cuts, to].filter((x, n, all) => n === 0 || x > all[n - 1]);
};

/** Words of a line of memory, for loops over words. */
const wordsOfLine = (loop: Op, layout: Layout): number | undefined => {
  let lanes: number | undefined;
  walk(loop.regions[0], (op) => {
    const node = op.name === 'snode.load' ? nodeOf(layout, op)! : undefined;
    if (node && holdsWords(node)) lanes = LINE / byteSize(node.field!.type);
  });
  return lanes;
};

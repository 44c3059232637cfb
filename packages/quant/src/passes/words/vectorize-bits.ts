import {
  mapKernels,
  opTable,
  opWith,
  pass,
  rewriteOps,
  useCounts,
  type Attrs,
  type Module,
  type Op,
  type Pass,
  type Replacement,
  type RewriteContext,
} from '@filigree/ir';
import { axesOf, fieldDialects, isSparse, nodeOf, type Layout } from '@filigree/sparse/fields';
import { boxOf, overElements, type Box } from './box.js';
import { NotInWords, notInWords } from './lanes.js';
import { shapeOf, type ArrayShape } from './loads.js';
import { WordLoop, type LoopOverBits } from './word-loop.js';

/**
 * Bit-array vectorisation (thesis §5.6.3): a loop over the elements of a bit array, active ones or those of a range, becomes one over its words, which computes all
 * elements of a word at once, by gates on bits. Integers are as many planes of bits as their range needs.
 *
 * Takes ops on fields, before loops are lowered. A loop that stays one over elements says why, in the attribute `scalar`.
 */
export const vectorizeBits = (layout: Layout): Pass<Module> => {
  const dialects = fieldDialects(layout);
  const table = opTable(dialects);
  return pass('vectorize-bits', (module) =>
    mapKernels(module, (kernel) => {
      const uses = useCounts(kernel.body);
      return rewriteOps(
        kernel,
        dialects,
        (loop, ctx) => {
          if (loop.attrs.scalar !== undefined) return undefined;
          let box: Box | undefined;
          try {
            if (loop.name === 'scf.for' && loop.attrs.parallel === true && loop.results.length === 0)
              box = boxOf(layout, table, loop, ctx.definition);
            const array = loop.name === 'field.for' ? nodeOf(layout, loop) : box?.array;
            const shape = array && shapeOf(layout, array);
            return shape && overWords({ layout, table, uses, ctx, loop, shape, ...(box && { box }) }, ctx);
          } catch (e) {
            if (!(e instanceof NotInWords)) throw e;
            const scalar = (box && overElements(box, ctx)) ?? loop;
            return { ops: [opWith(scalar, { attrs: { ...scalar.attrs, scalar: e.message } })], values: [] };
          }
        },
        module.buffers,
        { share: true },
      );
    }),
  );
};

const overWords = (c: Omit<LoopOverBits, 'cell'>, ctx: RewriteContext): Replacement => {
  const { layout, loop, shape } = c;
  if (shape.around.id === 0) notInWords('the array is a single word');
  const params = axesOf(layout, shape.around.id).map(() => ({ type: 'i32' as const }));
  return ctx.build((b) => {
    const { region } = b.region(params, (cell) => {
      new WordLoop(b, { ...c, cell }).run();
      return [];
    });
    b.op('field.for', [], { ...attrsOf(loop, shape), node: shape.around.name }, [region]);
  });
};

/** What was said of a loop over elements, of one over their words. */
const attrsOf = ({ attrs }: Op, { around, count }: ArrayShape): Attrs => {
  const { block, cache: _cache, list, parallel: _parallel, simd: _simd, ...rest } = attrs;
  /* Cells with words that lie in their containers are found in those, and need no list. */
  const listed = list !== undefined && (list !== around.name || around.pointer || !isSparse(around));
  return {
    ...rest,
    ...(typeof block === 'number' && { block: Math.max(1, Math.floor(block / count)) }),
    ...(listed && { list }),
  };
};

import { isVector, rewriteOps, scalarOf, type Buffer, type Dialect, type Kernel } from '@filigree/ir';
import { expansions } from './expansions.js';
import { lanesOn } from './lanes.js';

/** Makes arithmetic of the functions of vectors of f32 in a kernel. */
export const expandKernel = (kernel: Kernel, dialects: readonly Dialect[], buffers: readonly Buffer[]): Kernel =>
  rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const expand = expansions[op.name];
      const [x] = op.operands;
      if (!expand || !x || !isVector(x.type) || scalarOf(x.type) !== 'f32') return undefined;
      return ctx.build((b) => {
        b.loc = op.loc;
        return [expand(op, lanesOn(b, x))];
      });
    },
    buffers,
  );

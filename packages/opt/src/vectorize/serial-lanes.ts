import { mapKernels, rewriteOps } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Loops no longer say that their iterations are independent and want vector lanes, so that they run one after the other
 * unless a compiler finds out by itself: what vector lanes gain is measured against that.
 */
export const serialLanes = corePass(
  'serial-lanes',
  {},
  (dialects) => (module) =>
    mapKernels(module, (kernel) =>
      rewriteOps(kernel, dialects, (op) => {
        if (op.name !== 'scf.for' || (op.attrs['simd'] === undefined && op.attrs['independent'] === undefined))
          return undefined;
        const { simd: _simd, independent: _independent, ...attrs } = op.attrs;
        return { ops: [{ ...op, attrs }], values: op.results };
      }),
    ),
);

import { mapKernels, rewriteOps, opWith } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Removes the `simd` mark from loops, so that they run one iteration after another unless the compiler vectorises them
 * by itself. The baseline for measuring what vector lanes gain.
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
        return { ops: [opWith(op, { attrs })], values: op.results };
      }),
    ),
);

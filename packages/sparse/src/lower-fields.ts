import { pipeline, type Module, type Pipeline } from '@filigree/ir';
import { flattenBranches } from './loops/flatten.js';
import { lowerLoops } from './loops/lower-loops.js';
import type { Storage } from './storage/storage.js';
import { debugChecks } from './access/debug-checks.js';
import { lowerAccess, type AccessOptions } from './access/lower-access.js';
import { lowerSNodes } from './access/lower-snodes.js';
import { simplifyAccess, type SimplifyOptions } from './access/simplify-access.js';

/** Options of all parts of the lowering. */
export interface LowerFieldsOptions extends AccessOptions {
  /** Which parts of the simplification run; `false` for none. */
  readonly simplify?: SimplifyOptions | false;
}

/** Lowers kernels on fields to kernels on the buffers of an arena: all passes of this package, in order. */
export const lowerFields = (storage: Storage, options: LowerFieldsOptions = {}): Pipeline<Module> =>
  pipeline([
    ...(options.checks === true ? [debugChecks(storage)] : []),
    /* Checks report only what a program asks for. */
    ...(options.simplify === false || options.simplify?.flatten === false || options.checks === true
      ? []
      : [flattenBranches(storage.layout)]),
    /* A check looks at every value that is added to, and at each promise: neither goes with scratchpads. */
    lowerLoops(storage, { scratchpads: options.checks !== true }),
    lowerAccess(storage, options),
    ...(options.simplify === false ? [] : [simplifyAccess(storage, options.simplify)]),
    lowerSNodes(storage),
  ]);

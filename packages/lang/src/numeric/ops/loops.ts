import type { Site, Source } from '../../source/place.js';
import type { NumericOps } from './numeric-ops.js';

/** Where loops begin once more, and where they have ended. */
export const bindLoops = (ops: NumericOps, source: Source) => ({
  step: (site: Site): void => ops.loopStep?.(source, site),
  done: (site: Site): void => ops.loopDone?.(source, site),
});

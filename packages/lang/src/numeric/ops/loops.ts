import type { Site, Source } from '../../source/place.js';
import type { NumericOps } from './numeric-ops.js';
import { isOwn } from './own-method.js';

/** Where loops begin once more, and where they have ended. */
export const bindLoops = (ops: NumericOps, source: Source) => ({
  step: (site: Site): void => ops.loopStep?.(source, site),
  done: (site: Site): void => ops.loopDone?.(source, site),
  /** What is called for each element, where it has a name. */
  each: (f: unknown, site: Site, method?: unknown): unknown =>
    typeof f !== 'function' || isOwn(method)
      ? f
      : new Proxy(f as (...args: unknown[]) => unknown, {
          apply: (called, self, args) => {
            ops.loopStep?.(source, site);
            return Reflect.apply(called, self, args);
          },
        }),
  /** What a method returned that has called for each element. */
  ended: <T>(result: T, site: Site): T => {
    ops.loopDone?.(source, site);
    return result;
  },
});

import { bindOps } from './bind.js';
import type { NumericOps } from './numeric-ops.js';
import type { Source } from '../../source/place.js';

/** Where modules that the build plugin has rewritten bind their operators. A stack is formatted only when it is asked for. */
export const modules: { readonly stack?: string }[] = [];

/** `bindOps` of a module, whose place is remembered. */
export const bindModule = <S>(ops: NumericOps<S>, source: Source): ReturnType<typeof bindOps<S>> => {
  const place = {};
  (Error as { captureStackTrace?: (holder: object, above: unknown) => void }).captureStackTrace?.(place, bindModule);
  modules.push(place);
  return bindOps(ops, source);
};

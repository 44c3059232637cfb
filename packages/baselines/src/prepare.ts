import * as E from 'fp-ts/lib/Either.js';
import { findToolchain } from '@filigree/backend/native';
import type { Baseline, Running } from './baseline.js';
import { nativeLibrary } from './native-library.js';

/**
 * Compiles a baseline for a problem and loads it. It is given back where its answer is right; else why there is none, which
 * may be as little as that there is no compiler.
 *
 * @param cache the folder of compiled libraries, where it is not the usual one; `false` for none
 */
export const prepare = async <Problem, R extends Running>(
  { called, source, open, fault }: Baseline<Problem, R>,
  problem: Problem,
  cache?: string | false,
): Promise<R | string> => {
  const toolchain = await findToolchain()();
  if (E.isLeft(toolchain)) return toolchain.left[0].message;
  const text = await source(problem, toolchain.right);
  if (typeof text === 'string') return text;
  const library = await nativeLibrary(toolchain.right, text, cache);
  if ('failure' in library) return `${called} does not compile: ${library.failure}`;
  const running = await open(library.path, problem);
  if (typeof running === 'string') return running;
  const wrong = fault?.(running, problem);
  if (wrong === undefined) return running;
  running.close();
  return wrong;
};

import { fail } from '@filigree/ir';
import type * as baselines from '@filigree/baselines';
import { version } from './version.js';

export type Baselines = typeof baselines;

/** What `--bench` measures against: a package of its own, which not everyone has. Error: `bench/no-baselines`. */
export const loadBaselines = async (): Promise<Baselines> => {
  try {
    return await import('@filigree/baselines');
  } catch (e) {
    if (!(e instanceof Error) || !MISSING.test(e.message)) throw e;
    /* They belong together, version by version. */
    return fail('bench/no-baselines', 'what --bench measures against is a package of its own, which is not installed', {
      remedy: `npm install @filigree/baselines@${version()}, or leave out --bench`,
    });
  }
};

/* Itself, not what it needs. */
const MISSING = /Cannot find (package|module) '@filigree\/baselines'/;

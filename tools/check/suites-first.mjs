import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

/**
 * The order of test files where nothing is known of how long they took: the largest first, as ever, but before them those that run a suite
 * from elsewhere, which are short to read and long to run, so that none of these is left to one processor in the end.
 */
export class SuitesFirst extends BaseSequencer {
  /**
   * @override
   * @param {Parameters<BaseSequencer['sort']>[0]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    const runsSuite = sorted.map(({ moduleId }) => SUITE.test(readFileSync(moduleId, 'utf8')));
    return [...sorted.filter((_, k) => runsSuite[k]), ...sorted.filter((_, k) => !runsSuite[k])];
  }
}

const SUITE = /from '(@filigree\/conformance|\.\.\/src\/index\.js|\.\/fuzz\/[^']*)'/;

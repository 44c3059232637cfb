/**
 * Checks that passed, failed and were skipped: one each for a lint or a build, one a test for a test run.
 * @typedef {{ passed: number, failed: number, skipped: number }} Totals
 */

/** @type {Totals} */
export const none = { passed: 0, failed: 0, skipped: 0 };

/** @type {(a: Totals, b: Totals) => Totals} */
export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * The totals of a Vitest run from its JSON report. A file that failed before it had a test to report counts as one failure,
 * and so does a run that ended badly for another reason, for example an unhandled error between tests.
 * @param {{ testResults: readonly { status: string, assertionResults: readonly { status: string }[] }[] }} report
 * @param {boolean} succeeded whether Vitest itself exited with 0
 * @returns {Totals}
 */
export const vitestTotals = (report, succeeded) => {
  const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => test.status));
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const passed = tests.filter((status) => status === 'passed').length;
  const failed = tests.filter((status) => status === 'failed').length + broken;
  const skipped = tests.length - passed - (failed - broken);
  return { passed, failed: failed === 0 && !succeeded ? 1 : failed, skipped };
};

/** The closing line that people and machines read. @param {Totals} totals */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

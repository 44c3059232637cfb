import { expect, test } from 'vitest';
import { add, closingLine, none, vitestTotals } from '../totals.mjs';

const file = (status: string, ...tests: string[]) => ({ status, assertionResults: tests.map((s) => ({ status: s })) });

test('tests are counted by what became of them', () => {
  const report = { testResults: [file('passed', 'passed', 'passed', 'skipped'), file('failed', 'failed', 'passed')] };
  expect(vitestTotals(report, false)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test('a file that could not be loaded is a failure', () => {
  expect(vitestTotals({ testResults: [file('failed'), file('passed', 'passed')] }, false)).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('a run that fails with every test passed is a failure', () => {
  expect(vitestTotals({ testResults: [file('passed', 'passed')] }, false)).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('the closing line leaves out what there is none of', () => {
  expect(closingLine(add(none, { passed: 3, failed: 0, skipped: 0 }))).toBe('3 passed, 0 failed');
  expect(closingLine(add({ passed: 1, failed: 2, skipped: 1 }, { passed: 3, failed: 0, skipped: 0 }))).toBe(
    '4 passed, 2 failed, 1 skipped',
  );
});

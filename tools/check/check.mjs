/**
 * `npm test`: every check of the repository, cheap ones first, and at the very end one line `N passed, N failed`.
 * A failed check does not stop the others, unless they need what it makes. `node tools/check/check.mjs lint unit` runs
 * only the checks named (and what they need).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel, run } from '../lib/run.mjs';
import { instructionSetsHere } from './targets.mjs';
import { root } from '../lib/workspace.mjs';
import { add, closingLine, none, vitestTotals } from './totals.mjs';

/**
 * A check: a command, or a Vitest run when `tests` names folders. `needs` is a check that must have passed.
 * @typedef {object} Check
 * @property {string} name
 * @property {string} says what it proves, for the summary
 * @property {readonly string[]} [node] arguments to node
 * @property {readonly string[]} [tests] Vitest filters
 * @property {Record<string, string>} [env]
 * @property {boolean} [otherTargets] once for each instruction set that this processor has but the best, by FILIGREE_TARGET
 * @property {number} [seconds] after which tests are given up; default half an hour
 * @property {string} [needs]
 * @property {'always' | 'ci' | 'named'} [when] `ci`: only where CI=true, or when named; `named`: only then
 */

const bin = (/** @type {string} */ path) => join(root, 'node_modules', path);
const built = { FILIGREE_BUILT: '1' };

/** @type {readonly Check[]} checks without which others tell little, each of which uses the whole machine */
const first = [
  {
    name: 'types',
    says: 'tsc finds no error in packages, tests and tools',
    node: [bin('typescript-native/bin/tsc'), '-b'],
  },
  {
    name: 'build',
    says: 'every package builds',
    node: [join(root, 'tools/build/nx.mjs'), 'run-many', '--target=build'],
  },
];

/** @type {readonly Check[]} the longest first */
const small = [
  { name: 'lint', says: 'oxlint, with the floors', node: [bin('oxlint/bin/oxlint'), '-c', 'oxlint.config.mjs'] },
  { name: 'lefts', says: 'no Left is ignored', node: [join(root, 'tools/lint/ignored-left-main.mjs')] },
  { name: 'format', says: 'oxfmt would change nothing', node: [bin('oxfmt/bin/oxfmt'), '--check'] },
  {
    name: 'outside',
    says: 'a backend, a word and a pass from outside work with the packages alone',
    node: [join(root, 'tools/pack/check-outside.mjs')],
    needs: 'build',
    when: 'ci',
  },
  {
    name: 'pack',
    says: 'each package, installed alone, runs its example',
    node: [join(root, 'tools/pack/check-pack.mjs')],
    needs: 'build',
  },
  {
    name: 'packages',
    says: 'exports, READMEs, sizes and dependencies are right',
    node: [join(root, 'tools/check-packages/check-packages.mjs')],
    needs: 'build',
  },
];

/**
 * The longest first. Two at a time although each has a worker for every processor: workers wait for compilers, pages and timers, and at the end of
 * a run for the last file, which left a third of two processors idle.
 * @type {readonly Check[]}
 */
const large = [
  {
    name: 'unit',
    says: 'unit tests of packages and tools, on the built packages',
    tests: ['packages/', 'tools/'],
    env: built,
    needs: 'build',
  },
  { name: 'e2e', says: 'end-to-end tests, on the built packages', tests: ['e2e/'], env: built, needs: 'build' },
  {
    name: 'replay',
    says: 'what every example generates is what it was, or what was blessed',
    node: [join(root, 'tools/replay/replay.mjs')],
    env: built,
    needs: 'build',
    when: 'ci',
  },
  {
    name: 'targets',
    says: 'code for the other instruction sets of this processor gives the same numbers',
    /* What is written differently for each; `unit` and `e2e` run all tests on the best of the processor. */
    tests: [
      'packages/backend-cpp/tests/emit.test.ts',
      'packages/filigree/tests/tensors.test.ts',
      'e2e/tests/gemm.test.ts',
    ],
    env: built,
    otherTargets: true,
    needs: 'build',
    when: 'ci',
  },
  {
    name: 'backends',
    says: 'every application of the gallery on every GPU backend, its text run by the CPU, and conformance',
    tests: ['tools/shims/', 'packages/backend-cuda/', 'packages/backend-hip/', 'packages/backend-metal/'],
    env: { FILIGREE_BACKENDS: 'all' },
    seconds: 7200,
    when: 'named',
  },
];

/** Checks in the order in which they run: how many of each list at a time. @type {readonly { readonly checks: readonly Check[], readonly width: number }[]} */
const stages = [
  { checks: first, width: 1 },
  { checks: small, width: 2 },
  { checks: large, width: 2 },
];

const all = stages.flatMap(({ checks }) => checks);

/** @typedef {{ check: Check, totals: import('./totals.mjs').Totals, seconds: number, note: string }} Result */

/** @type {(check: Check) => Promise<Result>} */
const perform = (check) =>
  check.otherTargets
    ? performTargets(check)
    : check.tests
      ? performTests(check, check.tests)
      : performCommand(check, check.node ?? []);

/** Tests once for each instruction set but the last, the best, as one result. @type {(check: Check) => Promise<Result>} */
const performTargets = async (check) => {
  const results = /** @type {Result[]} */ ([]);
  for (const target of (await instructionSetsHere()).slice(0, -1))
    results.push(await perform({ ...check, otherTargets: false, env: { ...check.env, FILIGREE_TARGET: target } }));
  const totals = results.map((r) => r.totals).reduce(add, none);
  return { check, totals, seconds: results.reduce((sum, r) => sum + r.seconds, 0), note: '' };
};

/** @type {(check: Check, args: readonly string[]) => Promise<Result>} */
const performCommand = async (check, args) => {
  const { code, output, seconds } = await run(process.execPath, args, { cwd: root, env: check.env ?? {} });
  const failed = code !== 0;
  console.log(`\n── ${check.name}: ${failed ? 'failed' : 'passed'} (${seconds.toFixed(1)} s)`);
  if (failed) console.log(output.trim());
  return { check, totals: { ...none, [failed ? 'failed' : 'passed']: 1 }, seconds, note: '' };
};

/** @type {(check: Check, folders: readonly string[]) => Promise<Result>} */
const performTests = async (check, folders) => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-check-'));
  const report = join(folder, 'report.json');
  console.log(`\n── ${[check.name, check.env?.FILIGREE_TARGET].filter(Boolean).join(' ')}`);
  const { code, seconds } = await run(
    process.execPath,
    [
      bin('vitest/vitest.mjs'),
      'run',
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...folders,
    ],
    { cwd: root, env: check.env ?? {}, seconds: check.seconds ?? 1800, show: true },
  );
  const totals = readTotals(report, code === 0);
  rmSync(folder, { recursive: true, force: true });
  return { check, totals, seconds, note: '' };
};

/** @type {(report: string, succeeded: boolean) => import('./totals.mjs').Totals} */
const readTotals = (report, succeeded) => {
  try {
    return vitestTotals(JSON.parse(readFileSync(report, 'utf8')), succeeded);
  } catch {
    return { ...none, failed: succeeded ? 0 : 1 };
  }
};

/** @type {(names: readonly string[]) => (check: Check) => boolean} */
const chosen = (names) => (check) =>
  names.length > 0
    ? names.includes(check.name) || all.some((other) => names.includes(other.name) && other.needs === check.name)
    : check.when === undefined || (check.when === 'ci' && process.env.CI === 'true');

const main = async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !all.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(`no check named ${unknown.join(', ')}; there are ${all.map((c) => c.name).join(', ')}`);
    process.exit(2);
  }
  const wanted = chosen(names);
  const results = /** @type {Result[]} */ ([]);
  /** @type {(check: Check) => Promise<Result>} */
  const unlessMissing = async (check) =>
    results.some((r) => r.check.name === check.needs && r.totals.failed > 0)
      ? { check, totals: { ...none, failed: 1 }, seconds: 0, note: `not run: ${check.needs} failed` }
      : perform(check);
  for (const { checks, width } of stages)
    results.push(...(await inParallel(checks.filter(wanted), width, unlessMissing)));
  console.log('');
  for (const { check, totals, seconds, note } of results)
    console.log(
      `${totals.failed > 0 ? '✗' : '✓'} ${check.name.padEnd(9)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${check.says}` +
        ` (${note || closingLine(totals)})`,
    );
  const totals = results.map((r) => r.totals).reduce(add, none);
  console.log(`\n${closingLine(totals)}`);
  process.exitCode = totals.failed > 0 ? 1 : 0;
};

await main();

/**
 * `npm run replay`: proves that a change to the compiler changes no generated code. What every gallery entry and every
 * emitting command generates at small sizes, sources and tables, must have the hashes of expected.json.
 *
 * - `-- --bless` writes the hashes of now, for changes that mean to generate other code.
 * - `-- --base COMMIT` generates in a checkout of that commit as well and shows the first line of each file that differs.
 * - `-- --out FOLDER` keeps what was generated.
 *
 * Exit status 0: all equal; 1: something differs; 2: it could not be done.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inParallel, run } from '../lib/run.mjs';
import { root } from '../lib/workspace.mjs';
import { differences } from './differences.mjs';
import { hashDifferences, hashesOf } from './hashes.mjs';

/** @type {(command: string, args: readonly string[], cwd: string) => Promise<void>} */
const must = async (command, args, cwd) => {
  const { code, output } = await run(command, args, { cwd, seconds: 1800, env: TARGET });
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} failed in ${cwd}\n${output}`);
};

/* Code must not depend on the processor that generates it. */
const TARGET = { FILIGREE_TARGET: 'avx2' };

/**
 * Generates everything from a checkout, from its sources or its built packages.
 * @type {(checkout: string, out: string, conditions: readonly string[]) => Promise<void>}
 */
const generate = async (checkout, out, conditions) => {
  const parts = Math.min(4, availableParallelism());
  const script = join(checkout, 'tools/replay/src/emit.ts');
  const node = ['--interrupt-budget=540672', ...conditions, '--import', 'tsx'];
  await inParallel([...Array(parts).keys()], parts, (part) =>
    must(process.execPath, [...node, script, out, `${part}`, `${parts}`], checkout),
  );
};

const SOURCES = ['--conditions=@filigree/source'];

/** @type {(base: string, folder: string, now: string) => Promise<string[]>} */
const againstCommit = async (base, folder, now) => {
  const checkout = join(folder, 'base');
  try {
    await must('git', ['worktree', 'add', '--detach', checkout, base], root);
    await must('npm', ['ci', '--no-audit', '--no-fund'], checkout);
    await generate(checkout, join(folder, 'before'), SOURCES);
    return differences(join(folder, 'before'), now);
  } finally {
    await run('git', ['worktree', 'remove', '--force', checkout], { cwd: root });
  }
};

const main = async () => {
  const { values } = parseArgs({
    options: { base: { type: 'string' }, bless: { type: 'boolean' }, out: { type: 'string' } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'filigree-replay-'));
  const now = values.out ?? join(folder, 'now');
  const expected = join(root, 'tools/replay/expected.json');
  try {
    await generate(root, now, process.env.FILIGREE_BUILT === '1' ? [] : SOURCES);
    const hashes = hashesOf(now);
    if (values.bless) writeFileSync(expected, `${JSON.stringify(hashes, null, 2)}\n`);
    const found = values.base
      ? await againstCommit(values.base, folder, now)
      : hashDifferences(JSON.parse(readFileSync(expected, 'utf8')), hashes);
    for (const line of found) console.log(line);
    const files = Object.keys(hashes).length;
    console.log(
      found.length > 0
        ? `${found.length} of ${files} files differ; npm run replay -- --base COMMIT shows where, --bless accepts them`
        : `${files} files are as expected`,
    );
    process.exitCode = found.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

try {
  await main();
} catch (e) {
  console.error(e instanceof Error ? e.message : e);
  process.exitCode = 2;
}

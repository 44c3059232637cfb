/**
 * `npm run replay [-- --base COMMIT]`: proves that a refactoring changes no generated code. Every command of replay.json
 * emits sources into a folder, once in a checkout of the base commit and once in the working tree; the folders must be equal.
 * In a command, `{out}` stands for the folder. Exit status 0: all equal; 1: something differs; 2: it could not be done.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../lib/run.mjs';
import { root } from '../lib/workspace.mjs';
import { differences } from './differences.mjs';

/** @typedef {readonly string[]} Command */
/** @typedef {{ base: string, prepare: readonly Command[], commands: readonly Command[] }} Plan */

/** @type {(command: Command, cwd: string, out: string) => Promise<void>} */
const must = async ([name = '', ...args], cwd, out) => {
  const filled = args.map((arg) => arg.replaceAll('{out}', out));
  const { code, output } = await run(name, filled, { cwd, seconds: 1800 });
  if (code !== 0) throw new Error(`${[name, ...filled].join(' ')} failed in ${cwd}\n${output}`);
};

/** Runs the commands in a checkout; each gets a folder of its own below `out`. @type {(plan: Plan, cwd: string, out: string) => Promise<void>} */
const emitAll = async ({ commands }, cwd, out) => {
  for (const [at, command] of commands.entries()) {
    const folder = join(out, String(at));
    mkdirSync(folder, { recursive: true });
    await must(command, cwd, folder);
  }
};

/** @type {(plan: Plan, base: string, workspace: string) => Promise<string[]>} */
const replay = async (plan, base, workspace) => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-replay-'));
  const checkout = join(folder, 'base');
  try {
    await must(['git', 'worktree', 'add', '--detach', checkout, base], workspace, '');
    for (const command of plan.prepare) await must(command, checkout, '');
    await emitAll(plan, checkout, join(folder, 'before'));
    await emitAll(plan, workspace, join(folder, 'after'));
    return differences(join(folder, 'before'), join(folder, 'after'));
  } finally {
    if (existsSync(checkout)) await run('git', ['worktree', 'remove', '--force', checkout], { cwd: workspace });
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = async () => {
  const { values } = parseArgs({
    options: { base: { type: 'string' }, plan: { type: 'string' }, root: { type: 'string' } },
  });
  const workspace = values.root ?? root;
  /** @type {Plan} */
  const plan = JSON.parse(readFileSync(values.plan ?? join(workspace, 'tools/replay/replay.json'), 'utf8'));
  if (plan.commands.length === 0) throw new Error('tools/replay/replay.json names no commands: nothing was compared');
  const base = values.base ?? plan.base;
  const found = await replay(plan, base, workspace);
  for (const line of found) console.log(line);
  console.log(
    found.length > 0
      ? `${found.length} files differ from ${base}`
      : `${plan.commands.length} commands emit the same sources as ${base}`,
  );
  process.exitCode = found.length > 0 ? 1 : 0;
};

try {
  await main();
} catch (e) {
  console.error(e instanceof Error ? e.message : e);
  process.exitCode = 2;
}

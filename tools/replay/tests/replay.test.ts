import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const replay = fileURLToPath(new URL('../replay.mjs', import.meta.url));
let repository = '';

/** A repository whose generator writes two files. */
beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'filigree-replay-test-'));
  mkdirSync(join(repository, 'tools/replay'), { recursive: true });
  const plan = { base: 'main', prepare: [], commands: [['node', 'emit.mjs', '{out}']] };
  writeFileSync(join(repository, 'tools/replay/replay.json'), JSON.stringify(plan));
  emits({ 'a.cpp': 'one\\ntwo\\n', 'b.cpp': 'same\\n' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet', '-m', 'base');
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

const git = (...args: string[]): void => {
  const { status, stderr } = spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};

const emits = (files: Record<string, string>): void => {
  const lines = Object.entries(files).map(([name, text]) => `writeFileSync(process.argv[2] + '/${name}', '${text}');`);
  writeFileSync(join(repository, 'emit.mjs'), `import { writeFileSync } from 'node:fs';\n${lines.join('\n')}\n`);
};

const run = (...args: string[]) =>
  spawnSync(process.execPath, [replay, '--root', repository, ...args], { encoding: 'utf8' });

test('an unchanged generator emits the same, and nothing is left behind', () => {
  const { status, stdout } = run();
  expect(stdout).toContain('1 commands emit the same sources as main');
  expect(status).toBe(0);
  expect(
    spawnSync('git', ['worktree', 'list'], { cwd: repository, encoding: 'utf8' }).stdout.trim().split('\n'),
  ).toHaveLength(1);
});

test('a changed, a missing and a new file are each named', () => {
  emits({ 'a.cpp': 'one\\nTWO\\n', 'c.cpp': 'same\\n' });
  const { status, stdout } = run();
  expect(stdout).toContain('~ 0/a.cpp:2\n  - two\n  + TWO');
  expect(stdout).toContain('- 0/b.cpp is no longer emitted');
  expect(stdout).toContain('+ 0/c.cpp is new');
  expect(status).toBe(1);
});

test('a generator that fails is an error, not a difference', () => {
  writeFileSync(join(repository, 'emit.mjs'), 'throw new Error("no mesh");\n');
  const { status, stderr } = run();
  expect(stderr).toContain('no mesh');
  expect(status).toBe(2);
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
/* Conformance, and what it stands on. */
const copied = ['ir', 'opt', 'sparse', 'quant', 'tensor', 'backend', 'conformance'];
let root = '';

/**
 * A copy of the workspace with the packages that new ones stand on, and with what is built of them, for types are then not checked once more;
 * installed packages are linked, not copied.
 */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'filigree-generators-'));
  for (const path of [
    'package.json',
    'tsconfig.base.json',
    'vitest.config.ts',
    'tools/check',
    'tools/lint',
    ...copied.map((name) => `packages/${name}`),
  ])
    cpSync(join(repository, path), join(root, path), {
      recursive: true,
      preserveTimestamps: true,
      filter: (file) => !['node_modules', 'tests'].includes(basename(file)),
    });
  cpSync(join(repository, 'tsconfig.packages.json'), join(root, 'tsconfig.packages.json'));
  mkdirSync(join(root, 'node_modules/@filigree'), { recursive: true });
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (name !== '@filigree' && !name.startsWith('.'))
      symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
  for (const name of copied) link(name);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const link = (folder: string): void =>
  symlinkSync(join(root, 'packages', folder), join(root, 'node_modules/@filigree', folder));

const generate = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(repository, 'tools/generators', `${name}.mjs`), ...args], {
    env: { ...process.env, FILIGREE_ROOT: root },
    encoding: 'utf8',
  });

/** Runs an installed tool in the copy; its output when it fails. */
const tool = (path: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, 'node_modules', path), ...args], {
    cwd: root,
    /* What has just been written is not built. */
    env: { ...process.env, FILIGREE_BUILT: '' },
    encoding: 'utf8',
  });
  return status === 0 ? 'fine' : stdout + stderr;
};

test('a new package type-checks, and its tests pass', () => {
  expect(generate('new-package', 'frobnicate').stdout).toContain('wrote packages/frobnicate/src/frobnicate.ts');
  link('frobnicate');
  expect(readFileSync(join(root, 'tools/lint/floors.mjs'), 'utf8')).toContain(
    "  frobnicate: { floor: 2, imports: ['ir'], node: 'nowhere' },\n};",
  );
  expect(JSON.parse(readFileSync(join(root, 'tsconfig.packages.json'), 'utf8')).references).toContainEqual({
    path: 'packages/frobnicate',
  });
  expect(tool('typescript-native/bin/tsc', '-b', 'packages/frobnicate')).toBe('fine');
  expect(tool('vitest/vitest.mjs', 'run', 'packages/frobnicate/')).toBe('fine');
});

test('a new backend type-checks, and its tests pass', () => {
  expect(generate('new-backend', 'opencl').stdout).toContain('wrote packages/backend-opencl/src/emit.ts');
  link('backend-opencl');
  expect(tool('typescript-native/bin/tsc', '-b', 'packages/backend-opencl')).toBe('fine');
  expect(tool('vitest/vitest.mjs', 'run', 'packages/backend-opencl/')).toBe('fine');
});

test('a new backend outside of the workspace passes the contract, and skips what it cannot run', () => {
  const folder = join(root, 'outside');
  const { stdout: said } = generate('new-backend', 'opencl', '--outside', folder);
  expect(said).toContain(`wrote ${join(folder, 'check.mjs')}`);
  const { status, stdout } = spawnSync(
    process.execPath,
    [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), 'check.mjs'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect(stdout).toMatch(/^2 passed, \d+ skipped, 0 failed$/m);
  expect(status).toBe(0);
  expect(generate('new-backend', 'opencl', '--outside', folder).stderr).toContain('package.json exists already');
  /* This one stands in the workspace all the same, where npm would look for packages that are released. */
  expect(said).toContain('`npm run build` here, then');
  const elsewhere = mkdtempSync(join(tmpdir(), 'filigree-outside-'));
  expect(generate('new-backend', 'opencl', '--outside', elsewhere).stdout).toContain(`\`npm install\` in ${elsewhere}`);
  rmSync(elsewhere, { recursive: true });
});

test.each([
  ['new-package', ['Frob'], 'is not a package name'],
  ['new-package', ['opt'], 'packages/opt exists already'],
  ['new-package', ['other', '--imports', 'ir,nowhere'], 'there is no packages/nowhere'],
  ['new-package', [], 'give one name'],
  ['new-op', ['add', '--arity', '2', '--expand', 's.add(a, b)'], "has a row 'add' already"],
  ['new-op', ['erf', '--arity', '3', '--expand', 's.exp(a)'], '--arity is 1 or 2'],
  ['new-op', ['erf'], "Math has no function 'erf'"],
  ['new-op', ['erf', '--expand', 's.erfc(a)'], "there is no operation 'erfc'"],
  ['new-op', ['erf', '--expand', 'Math.exp(1)'], 'does not call an operation'],
] as const)('%s %j is refused', (name, args, why) => {
  const { status, stderr } = generate(name, ...args);
  expect(stderr).toContain(why);
  expect(stderr).toContain('usage: ');
  expect(status).toBe(2);
});

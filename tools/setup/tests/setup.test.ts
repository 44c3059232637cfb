import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { staleReason } from '../setup.mjs';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'filigree-setup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(value));
};

const lock = (version: string, more = {}) => ({
  packages: { '': {}, 'node_modules/a': { version }, 'node_modules/a/node_modules/b': { version: '1.0.0' }, ...more },
});

const install = (version: string): void => {
  write('node_modules/.package-lock.json', lock(version));
  write('node_modules/a/package.json', {});
  write('node_modules/a/node_modules/b/package.json', {});
};

test('a fresh clone needs an installation', () => {
  write('package-lock.json', lock('1.0.0'));
  expect(staleReason(root)).toBe('nothing is installed yet');
});

test('what the lockfile names is enough; optional packages of other machines are not missed', () => {
  write('package-lock.json', lock('1.0.0', { 'node_modules/darwin-only': { version: '1.0.0', optional: true } }));
  install('1.0.0');
  expect(staleReason(root)).toBeUndefined();
});

test('another version, a new dependency and a deleted folder are noticed', () => {
  install('1.0.0');
  write('package-lock.json', lock('1.1.0'));
  expect(staleReason(root)).toBe('node_modules/a is 1.0.0, the lockfile names 1.1.0');
  write('package-lock.json', lock('1.0.0', { 'node_modules/c': { version: '2.0.0' } }));
  expect(staleReason(root)).toBe('node_modules/c is not installed');
  write('package-lock.json', lock('1.0.0'));
  rmSync(join(root, 'node_modules/a/node_modules'), { recursive: true });
  expect(staleReason(root)).toBe('node_modules/a/node_modules/b is gone');
});

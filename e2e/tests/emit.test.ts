import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from 'filigree/command-line';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { galleryModule } from './data.js';

const scratch = mkdtempSync(join(tmpdir(), 'emit-'));

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(scratch, { recursive: true }));

it.each([
  ['of matrices', 'numeric-0', 'n=20'],
  ['of fields', 'quant-saxpy', 'size=1000'],
  ['of tensors', 'lina', 'order=2', 'size=2'],
  ['with derivatives', 'time-of-impact', 'steps=10', 'iterations=1'],
  ['with a queue', 'fill-array', 'n=1000'],
])('an example %s writes what it generates', async (_, name, ...args) => {
  vi.stubEnv('FILIGREE_GALLERY', galleryModule);
  const folder = join(scratch, name);
  const argv = ['run', name, ...args, '--backend', 'wasm', '--emit', folder, '--json'];
  expect(await runCommandLine(argv, { out: () => undefined, err: () => undefined })).toBe(0);
  const programs = readdirSync(folder);
  expect(programs).not.toHaveLength(0);
  for (const program of programs)
    expect(readFileSync(join(folder, program, 'kernels.wat'), 'utf8')).toContain('(module');
});

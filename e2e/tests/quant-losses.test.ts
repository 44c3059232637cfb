import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from 'filigree/command-line';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { galleryModule } from './data.js';

const scratch = mkdtempSync(join(tmpdir(), 'losses-'));

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(scratch, { recursive: true }));

it('a report shows what an example loses where it stores numbers in few bits', async () => {
  vi.stubEnv('FILIGREE_GALLERY', galleryModule);
  const file = join(scratch, 'losses.html');
  let out = '';
  const argv = ['inspect', 'quant-saxpy', 'size=4096', '--out', file, '--backend', 'wasm', '--json'];
  const status = await runCommandLine(argv, { out: (text) => void (out += text), err: () => undefined });
  expect(status).toBe(0);
  const [{ program, places }] = JSON.parse(out).losses;
  expect(program).toBe('quant-saxpy');
  const ofLoop = places.filter((p: { kernel: string }) => p.kernel === 'loop');
  /* A multiple of x is added to y over and over, until y is at its end. */
  expect(ofLoop).toMatchObject([{ field: 'y', overflowed: 0, nan: 0 }]);
  expect(ofLoop[0].saturated).toBeGreaterThan(0);
  expect(ofLoop[0].stores).toBeGreaterThan(ofLoop[0].saturated);
  const html = readFileSync(file, 'utf8');
  for (const text of ['What quant-saxpy loses in few bits', 'saturated', `<td>${ofLoop[0].saturated}</td>`])
    expect(html).toContain(text);
  expect(html).toMatch(/<td>loop<\/td><td>saxpy\.[jt]s:\d+<\/td>/);
});

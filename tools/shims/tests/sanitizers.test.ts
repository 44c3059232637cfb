import { runProcess } from '@filigree/backend/native';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sanitizerFirst } from '../src/index.js';
import { mistakes } from './mistakes.js';

/* Of the tier `toolchain`: where GCC has its sanitizers. */
const environment = await sanitizerFirst();

const main = fileURLToPath(new URL('sanitized-main.ts', import.meta.url));

/* Both tests look at one process: half of what it takes is starting it. */
const started: { process?: ReturnType<typeof runProcess> } = {};
const under = (): ReturnType<typeof runProcess> =>
  (started.process ??= runProcess(process.execPath, [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), main], {
    env: { ...process.env, ...environment, ASAN_OPTIONS: `${environment!.ASAN_OPTIONS}:halt_on_error=0` },
    limitMs: 280_000,
  }));

describe.skipIf(environment === undefined)('kernels whose accesses are looked at', () => {
  it('touch what is theirs and do nothing undefined', { timeout: 300_000 }, async () => {
    const { status, stdout, stderr } = await under();
    expect(stderr.split(/^mistake /m)[0]).toBe('');
    expect(status).toBe(0);
    const passed = JSON.parse(stdout) as readonly string[];
    for (const name of [
      'tiles reversed by teams',
      'threads of a team are in step',
      'each takes a place of its own',
      'scratch buffers of many types',
      'histogram by parallel atomics',
      'lists that grow, lowered for a device',
    ])
      expect(passed.join()).toContain(name);
  });

  it('are found where one writes behind the last element', { timeout: 300_000 }, async () => {
    const { stderr } = await under();
    const reports = new Map(stderr.split(/^mistake /m).map((text) => [/^\w*/.exec(text)![0], text]));
    for (const [name, { said }] of Object.entries(mistakes)) {
      expect(reports.get(name)).toMatch(said);
      expect(reports.get(name)).toMatch(/^WRITE of size \d/m);
    }
    /* Of what was loaded after the first report, the sanitizer knows no lines. */
    expect(stderr).toMatch(/#0 .* in \w*filigree_kernel_tiles .*kernels\.cu:\d+/);
  });
});

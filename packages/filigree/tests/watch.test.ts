import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filigree, grid, marketOf, refusal, scratch, scratchFile } from './support.js';

const matrix = scratchFile('watched.mtx', marketOf(grid(2)));
const square = ['expr', "A'*A", '--bind', `A=${matrix}`, '--backend', 'wasm'];

describe('--print-before, --print-after', () => {
  it('print graphs, decompositions and modules on stderr', async () => {
    const asked = ['--print-after', 'trace', '--print-after', 'decompose', '--print-before', 'wasm-emit'];
    const { status, out, err } = await filigree(...square, ...asked, '--json');
    expect([status, Object.keys(JSON.parse(out) as object)]).toMatchObject([0, expect.arrayContaining(['check'])]);
    expect(err).toMatch(/^; after trace\ninput A: 12\n%\d+ = mul A\[\d+\], A\[\d+\]\n/m);
    expect(err).toMatch(/^; after decompose\n[^]*; stored by unit \d+ of level \d+\n[^]*output result: %/m);
    expect(err).toMatch(/^; before wasm-emit\nmodule @/m);
    expect(err.match(/^; /gm)).toHaveLength(3);
  });

  it('of all passes go to files where sources do, in the order in which they ran', async () => {
    const folder = join(scratch, 'stages');
    const { status, err } = await filigree(...square, '--print-after', 'all', '--emit', folder);
    expect(status).toBe(0);
    expect(err).not.toContain('; after');
    const files = readdirSync(join(folder, 'passes'));
    const named = files.map((f) => f.replace(/^\d+-after-|\.fil$/g, ''));
    expect(named.slice(0, 2)).toEqual(['trace', 'decompose']);
    expect(named.at(-1)).toBe('wasm-legalize');
    expect(readFileSync(join(folder, 'passes', files.at(-1)!), 'utf8')).toMatch(/^; after wasm-legalize\nmodule @/);
    expect(existsSync(join(folder, 'kernels.wat')) || readdirSync(folder).length > 1).toBe(true);
  });

  it('see every pass of a program of fields', async () => {
    const program = scratchFile(
      'watched.mjs',
      `import { active, dense, field, i, kernel, layout } from '${import.meta.resolve('filigree')}';
       const x = field('x', 'f64');
       const all = kernel([x], { scope: { active } }, (u) => { for (const n of active(u)) u[n] = 2 * u[n]; });
       export const sim = { layout: layout(dense(i, 8).place(x)), kernels: { all } };`,
    );
    const { status, err } = await filigree(
      'compile',
      program,
      '--backend',
      'wasm',
      '--print-after',
      'lower-loops',
      '--time-passes',
    );
    expect(status).toBe(0);
    expect(err).toMatch(/^; after lower-loops\nmodule @[^]*field\.load/m);
    for (const pass of ['lower-access', 'resolve-digits', 'simplify-access', 'licm', 'wasm-legalize', 'wasm-emit'])
      expect(err).toMatch(new RegExp(`^${pass} +\\d+ +\\d+\\.\\d\\d +\\d+ %$`, 'm'));
  });

  it('refuse a pass that did not run', async () => {
    const { status, err } = await filigree(...square, '--print-after', 'magic');
    expect(status).toBe(1);
    expect(err).toMatch(/pipeline\/unknown-pass[^]*no pass 'magic' ran[^]*these did: trace, decompose, group/);
    const file = scratchFile('watched.fil', 'module @m {\n  kernel @k() {\n    scf.yield\n  }\n}\n');
    expect((await filigree('opt', file, '--print-after', 'magic')).status).toBe(1);
    expect((await refusal('opt', file, '--passes', 'magic')).code).toBe('pipeline/unknown-pass');
  });
});

describe('--time-passes', () => {
  it('says how long each pass took, without those inside', async () => {
    const { err } = await filigree(...square, '--time-passes');
    const rows = [...err.matchAll(/^(\S+) +(\d*) +(\d+\.\d\d) /gm)].map(([, name, runs, ms]) => ({ name, runs, ms }));
    expect(rows.map((r) => r.name)).toEqual(expect.arrayContaining(['trace', 'harvest', 'emit', 'wasm-emit', 'all']));
    const all = rows.find((r) => r.name === 'all')!;
    const sum = rows.filter((r) => r !== all).reduce((s, r) => s + Number(r.ms), 0);
    expect(Math.abs(sum - Number(all.ms))).toBeLessThan(0.01 * rows.length);
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as lang from '@filigree/lang';
import * as filigree from 'filigree';
import {
  ablateFields,
  dense,
  DiagnosticError,
  field,
  FIELD_ABLATIONS,
  ij,
  kernel,
  layout,
  loadFields,
  program,
  range,
  saveFields,
  writeBytes,
  type Diagnostic,
  type Grid2,
} from 'filigree';
import { workingBackends } from './support.js';

const refusal = async (act: Promise<unknown>): Promise<Diagnostic> => {
  try {
    await act;
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
  throw new Error('nothing was refused');
};

const u = field('u', 'f32');
const v = field('v', 'f32');
const grid = layout(dense(ij, 4).pointer().dense(ij, 8).place(u, v));

/** What `@filigree/lang` exports for compilers, not for those who write kernels. */
const forCompilers = [
  'LoopSpace',
  'defaultOps',
  'kernelKey',
  'launchSeed',
  'loadFrontEnd',
  'loadRareWords',
  'lowerKernel',
  'lowerKernels',
  'plainOps',
  'shownIn',
  'standsIn',
  'thrownAt',
  'transform',
  'withFrontEnd',
];

it('the words of the language are found here, under their names', () => {
  const words = Object.entries(lang).filter(([name]) => !forCompilers.includes(name));
  expect(words.length).toBeGreaterThan(50);
  expect(filigree).toMatchObject(Object.fromEntries(words));
});

/** A step of diffusion, and the heat in the grid. */
const diffuse = kernel([u, v, 'f32'], (u: Grid2, v: Grid2, dt: number) => {
  for (const i of range(1, 31))
    for (const j of range(1, 31))
      v[i][j] = u[i][j] + dt * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j]);
});
const heat = kernel([v], (v: Grid2) => {
  let sum = 0.0;
  for (const i of range(32)) for (const j of range(32)) sum += v[i][j];
  return sum;
});

const folder = mkdtempSync(join(tmpdir(), 'filigree-fields-'));

describe.each(workingBackends)('a program of fields and kernels on %s', (backend) => {
  it('runs, saves and loads', async () => {
    const sim = await program({ layout: grid, kernels: { diffuse, heat }, backend });
    sim.fields.u.set([10, 10], 8);
    sim.run.diffuse(0.125);
    expect([sim.fields.v.get([10, 10]), sim.fields.v.get([10, 9]), sim.run.heat()]).toEqual([4, 1, 8]);
    const path = join(folder, backend, 'state.arena');
    await saveFields(sim, path);
    sim.fields.u.clear();
    expect(sim.run.heat()).toBe(0);
    await loadFields(sim, path);
    expect(sim.run.heat()).toBe(8);
    expect(await sim.launch.heat()).toBe(8);
    sim.dispose();
  });

  it.each(Object.keys(FIELD_ABLATIONS))('gives the same without %s', async (name) => {
    const sim = await program({ layout: grid, kernels: { diffuse, heat }, backend, ablate: [name] });
    sim.fields.u.set([10, 10], 8);
    sim.run.diffuse(0.125);
    expect([sim.fields.v.get([10, 10]), sim.fields.v.get([10, 9]), sim.run.heat()]).toEqual([4, 1, 8]);
    sim.dispose();
  });
});

describe('programs', () => {
  it('reject with what is wrong, and where', async () => {
    const wrong = kernel([u], (u: Grid2) => {
      for (const i of range(4)) u[i][0] = nowhere + 1;
    });
    expect(await refusal(program({ layout: grid, kernels: { wrong } }))).toMatchObject({
      code: expect.stringMatching(/^lang\//),
      message: expect.stringContaining('nowhere'),
      loc: { file: expect.stringMatching(/program\.test\.ts$/), line: expect.any(Number) },
      frame: expect.stringMatching(/> \d+ \|.*= nowhere \+ 1;/),
    });
    expect(await refusal(program({ layout: grid, kernels: { heat }, backend: 'gpu' }))).toMatchObject({
      code: 'runtime/backend',
    });
    expect(await refusal(program({ layout: grid, kernels: { heat }, ablate: ['everything'] }))).toMatchObject({
      code: 'ablate/unknown',
      remedy: expect.stringContaining('merge-accesses'),
    });
  });

  it('can be switched off part by part, and all together', () => {
    expect(ablateFields(['merge-accesses', 'optimize', 'resolve-digits'])).toMatchObject({
      omit: true,
      lowering: { simplify: { merge: false, digits: false } },
    });
    expect(ablateFields(['simplify-access', 'merge-accesses']).lowering?.simplify).toBe(false);
  });
});

declare const nowhere: number;

describe('files of fields', () => {
  it('are written whole or not at all', async () => {
    const place = join(folder, 'whole');
    mkdirSync(place);
    const path = join(place, 'a.arena');
    writeFileSync(path, 'before');
    await writeBytes(path, Uint8Array.of(1, 2, 3));
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
    mkdirSync(join(place, 'taken', 'inside'), { recursive: true });
    expect(await refusal(writeBytes(join(place, 'taken'), Uint8Array.of(4)))).toMatchObject({
      code: 'file/unwritable',
      remedy: expect.any(String),
    });
    expect(await refusal(writeBytes(join(path, 'below-a-file'), Uint8Array.of(4)))).toMatchObject({
      code: 'file/unwritable',
    });
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
    expect(readdirSync(place).sort()).toEqual(['a.arena', 'taken']);
  });

  it('are refused when they are missing, cut short, or something else', async () => {
    const sim = await program({ layout: grid, kernels: { heat }, backend: 'wasm' });
    sim.fields.u.set([1, 1], 5);
    const path = join(folder, 'cut.arena');
    await saveFields(sim, path);
    writeFileSync(path, readFileSync(path).subarray(0, 100));
    expect((await refusal(loadFields(sim, path))).code).toBe('arena/truncated');
    writeFileSync(path, 'solid cube');
    expect((await refusal(loadFields(sim, path))).code).toBe('arena/not-an-arena');
    expect((await refusal(loadFields(sim, join(folder, 'none.arena')))).code).toBe('file/missing');
    expect(existsSync(join(folder, 'none.arena'))).toBe(false);
    expect(sim.fields.u.get([1, 1])).toBe(5);
    sim.dispose();
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findToolchain, locate, runProcess } from '@filigree/backend/native';
import { orThrow } from '@filigree/ir';
import { cudaMachine, driverOnCpu, hasObjectiveC, metalByHost } from '@filigree/shims';
import { afterAll, describe, expect, it } from 'vitest';
import { directPage, directResults } from '../src/gpu/direct.js';
import { makeBundle } from '../src/gpu/bundle/make-bundle.js';
import { VERSION } from '../src/gpu/bundle/write-bundle.js';
import { importResults } from '../src/gpu/import-results.js';

/* Of the tier `toolchain`. */
const toolchain = await findToolchain()();
const usable = toolchain._tag === 'Right' || process.env['CI'] === 'true';
const nvcc = process.env['FILIGREE_NVCC'] || (await locate('nvcc', process.env['PATH'] ?? ''));

const root = mkdtempSync(join(tmpdir(), 'filigree-bundle-'));
const bundle = join(root, 'bundle');
const pages = join(root, 'pages');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const names = [
  'arith on f32',
  'elementary functions of f64',
  'histogram by parallel atomics',
  'tiles reversed by teams',
  'remainder of i32 by zero in a parallel loop',
];

/* What is measured, as its rows of the page begin. */
const MEASURED = ['saxpy', 'stencil', 'spmv', 'struct-for', 'power-2', 'lmlt-plus-k', 'p2g', 'activate'];

/** What a program of the bundle is told and given. */
const programs = (): readonly string[] => readdirSync(join(bundle, 'programs'));
const sources = (): readonly string[] =>
  programs().flatMap((p) =>
    readdirSync(join(bundle, 'programs', p))
      .filter((f) => f.endsWith('.cu'))
      .map((f) => join(bundle, 'programs', p, f)),
  );

/** Runs the runner of the bundle on the CPU: its kernels are libraries there, and the driver is one that runs them. */
const runHere = async (env: Readonly<Record<string, string>> = {}): Promise<number | null> => {
  const driver = await driverOnCpu('backward');
  const set = { ...process.env, FILIGREE_CUDA_DRIVER: driver, FILIGREE_COPY: '16', FILIGREE_ROUNDS: '1', ...env };
  return spawnSync('./runner', { cwd: bundle, env: set, encoding: 'utf8' }).status;
};

describe.skipIf(!usable)('a bundle', () => {
  it('is made, and says what is not in it', { timeout: 300_000 }, async () => {
    const made = await makeBundle(bundle, { conformance: names, gallery: ['power', 'structures'], elements: 1 << 12 });
    expect(made.count).toBe(names.length + 1 + MEASURED.length);
    expect(made.leftOut.map((l) => l.name)).toEqual(['structures']);
  });

  it('runs by its own runner, and its results become a page', { timeout: 300_000 }, async () => {
    const { path, args } = orThrow(toolchain);
    execFileSync(path, [...args, '-std=c++17', '-Wall', '-Wextra', '-Werror', 'runner.cpp', '-o', 'runner', '-ldl'], {
      cwd: bundle,
    });
    for (const source of sources()) {
      const files = [{ name: 'kernels.cu', language: 'cuda' as const, contents: readFileSync(source, 'utf8') }];
      const made = orThrow(await cudaMachine().compile!({ backend: 'cuda', files })());
      copyFileSync(made.path!, source.replace(/cu$/, 'cubin'));
    }
    expect(await runHere()).toBe(0);
    const page = readFileSync(importResults(bundle, pages, 'npm run gpu -- --import bundle'), 'utf8');
    expect(page).toMatch(/^# On a GPU: CPU/);
    expect(page).toContain(execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim());
    expect(page).toMatch(new RegExp(`^\\| conformance +\\| +${names.length} \\| +0 \\|`, 'm'));
    expect(page).toMatch(/^\| gallery +\| +1 \| +0 \|/m);
    for (const name of MEASURED) expect(page).toMatch(new RegExp(`^\\| ${name} +\\| right +\\|.* \\d\\S* ms \\|`, 'm'));
    expect(page).toMatch(/^\| saxpy +\| right +\|.*GB\/s.*not measured/m);
    expect(page).toMatch(/^\| power-2 +\| right +\| whole /m);
    expect(page).toMatch(/^\| p2g +\| right +\| without .* particles /m);
    expect(page).toMatch(/^\| structures +\| \w+/m);
  });

  it('puts what CuPy takes beside it', () => {
    const file = join(bundle, 'baselines.json');
    writeFileSync(file, JSON.stringify({ library: 'CuPy 14.0', seconds: { saxpy: 0.5, 'power-2 whole': 0.25 } }));
    const page = readFileSync(importResults(bundle, pages, 'npm run gpu'), 'utf8');
    expect(page).toMatch(/^\| saxpy +\| right +\|.*\| 500 ms, \d/m);
    expect(page).toMatch(/^\| power-2 +\| right +\| whole .*\| 250 ms, \d/m);
    expect(page).toMatch(/^\| power-2 +\| right +\| values .*not measured/m);
    writeFileSync(file, '{}');
    expect(() => importResults(bundle, pages, 'npm run gpu')).toThrow(/gpu\/results.*baselines/s);
    rmSync(file);
  });

  it('finds wrong answers, and goes on after what breaks', { timeout: 120_000 }, async () => {
    const [first, second] = ['conformance-arith-on-f32', 'gallery-power'].map((p) => join(bundle, 'programs', p));
    const data = readFileSync(join(first, 'data.bin'));
    const kernels = readFileSync(join(second, 'kernels-0.cubin'));
    const changed = Buffer.from(data);
    const read = [...readFileSync(join(first, 'calls.txt'), 'utf8').matchAll(/^read .* (\d+)$/gm)].at(-1)!;
    changed[Number(read[1])] ^= 0x10;
    writeFileSync(join(first, 'data.bin'), changed);
    writeFileSync(join(second, 'kernels-0.cubin'), 'nothing that can be loaded');
    try {
      expect(await runHere()).toBe(1);
      const page = readFileSync(importResults(bundle, pages, 'npm run gpu'), 'utf8');
      expect(page).toMatch(/^\| arith on f32 +\| (element|byte) \d+/m);
      expect(page).toMatch(/^\| power +\| cuModuleLoad failed with 200/m);
      expect(page).toMatch(new RegExp(`^\\| conformance +\\| +${names.length - 1} \\| +1 \\|`, 'm'));
    } finally {
      writeFileSync(join(first, 'data.bin'), data);
      writeFileSync(join(second, 'kernels-0.cubin'), kernels);
    }
  });

  it.skipIf(!nvcc)('compiles by nvcc as run.sh does it', { timeout: 300_000 }, async () => {
    const done = await runProcess(nvcc!, ['-x', 'c++', '-O2', '-std=c++17', 'runner.cpp', '-o', 'built', '-ldl'], {
      cwd: bundle,
    });
    expect([done.status, done.stderr]).toEqual([0, '']);
    const source = sources().find((s) => s.includes('power'))!;
    const flags = readFileSync(source.replace(/cu$/, 'flags'), 'utf8').trim().split(' ');
    const compiled = await runProcess(nvcc!, ['-cubin', '-arch=sm_90', ...flags, source, '-o', join(root, 'x.cubin')]);
    expect([compiled.status, existsSync(join(root, 'x.cubin'))]).toEqual([0, true]);
  });

  it('is not written over what is there', async () => {
    await expect(makeBundle(bundle, { conformance: [], gallery: [], elements: 0 })).rejects.toThrow(
      /gpu\/bundle.*not an empty folder/s,
    );
  });
});

describe.skipIf(!usable || !(await hasObjectiveC()))('a device beside Node, by the stand-in of Metal', () => {
  const page = async (change?: (text: string, file: string) => string): Promise<string> => {
    const found = [];
    const chosen = { conformance: ['arith on f32', 'arith on f64'], gallery: ['cotan', 'structures'] };
    for await (const r of directResults(metalByHost(change ? { change } : {}), 'f32', chosen)) found.push(r);
    return directPage({ name: 'A chip', written: 'text', commit: 'abc' }, found, 'npm run gpu');
  };

  it('has a page of what is right, and of what it refuses by name', { timeout: 120_000 }, async () => {
    const said = await page();
    expect(said).toMatch(/^Kernels of commit abc, as text\./m);
    expect(said).toMatch(/^\| conformance +\| +1 \| +0 \|/m);
    expect(said).toMatch(/^\| gallery +\| +1 \| +0 \|/m);
    expect(said).toMatch(/^\| arith on f64 +\| the backend has no f64/m);
    expect(said).toMatch(/^\| structures +\| metal has no f64/m);
    expect(said).not.toContain('## Wrong');
  });

  it('says what is wrong where the host forgets a launch', { timeout: 120_000 }, async () => {
    const said = await page((text, file) =>
      file === 'host.m'
        ? text.replace('CALL(launch((struct Kernel*)kernel, blocks, threads, arguments))', 'return ok;')
        : text,
    );
    expect(said).toMatch(/^\| conformance +\| +0 \| +1 \|/m);
    expect(said).toMatch(/^\| arith on f32 +\| run on 1 thread: buffer @/m);
  });
});

describe('results that cannot be imported', () => {
  const given = (text?: string): (() => string) => {
    const folder = mkdtempSync(join(root, 'results-'));
    mkdirSync(pages, { recursive: true });
    if (text !== undefined) writeFileSync(join(folder, 'results.json'), text);
    return () => importResults(folder, pages, 'npm run gpu');
  };
  const device = { name: 'A', architecture: 'sm_90', processors: 1, driver: 13000, copy: 1e12 };
  const whole = { version: VERSION, commit: 'abc', device, programs: 2, results: [] };

  it.each([
    ['no file', undefined, /gpu\/results.*cannot be read/s],
    ['a file that ends early', JSON.stringify(whole).slice(0, -4), /gpu\/results.*ends early/s],
    ['one that ends between two programs', JSON.stringify(whole), /gpu\/results.*after 0 of 2 programs/s],
    ['another version', JSON.stringify({ ...whole, version: 1 }), /gpu\/version.*version 1/s],
    ['no device', JSON.stringify({ ...whole, device: undefined }), /gpu\/results.*lacks/s],
  ])('%s', (_, text, said) => {
    expect(given(text)).toThrow(said);
  });
});

import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readMatrixFile } from 'filigree';
import { writeHarwellBoeing, type Csr } from '@filigree/sparse/formats';
import {
  entriesOfSquare,
  filigree,
  grid,
  marketOf,
  refusal,
  scratch,
  scratchFile,
  sparseOf,
  workingBackends,
} from './support.js';

const A = scratchFile('a.mtx', marketOf(grid(4)));
const W = scratchFile('w.mtx', marketOf([[1, 2, 3]]));

const HOSTED = `
import { open } from './host.mjs';
const { buffers, kernels } = await open();
buffers.A.set(JSON.parse(process.argv[2]));
for (const run of Object.values(kernels)) run();
console.log(JSON.stringify([...buffers.result]));
`;

const product = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));

const transposed = (a: readonly (readonly number[])[]): number[][] => a[0]!.map((_, j) => a.map((row) => row[j]!));

const denseOf = ({ pattern, values }: Csr<ArrayLike<number>>): number[][] =>
  Array.from({ length: pattern.rows }, (_, i) => {
    const row = new Array<number>(pattern.cols).fill(0);
    for (let p = pattern.rowPtr[i]!; p < pattern.rowPtr[i + 1]!; p++) row[pattern.colIdx[p]!] = values[p]!;
    return row;
  });

const harwellBoeing = (m: Csr<Float64Array>): Uint8Array => {
  const written = writeHarwellBoeing(m);
  return '_tag' in written && written._tag === 'Right' ? written.right : expect.unreachable();
};

describe.each(workingBackends)('filigree expr on %s', (backend) => {
  it.each(['f32', 'f64'])('answers as documented in %s', async (dtype) => {
    const { status, out } = await filigree(
      'expr',
      "A'*A+s*A",
      '--bind',
      `A=${A}`,
      '--bind',
      's=2.5',
      '--json',
      '--backend',
      backend,
      '--dtype',
      dtype,
    );
    expect(status).toBe(0);
    const answer = JSON.parse(out) as Record<string, unknown>;
    expect(answer).toMatchObject({
      nnzOut: entriesOfSquare(grid(4)),
      nodes: expect.any(Number),
      kernels: expect.any(Number),
      launches: expect.any(Number),
      indexBytes: expect.any(Number),
      ms: {
        trace: expect.any(Number),
        analyse: expect.any(Number),
        generate: expect.any(Number),
        compile: expect.any(Number),
        run: expect.any(Number),
      },
      peakRssMB: expect.any(Number),
      check: { maxRelError: expect.any(Number), passed: true },
      baselines: { generic: expect.any(Number) },
      backend,
      dtype,
    });
    expect((answer['check'] as { maxRelError: number }).maxRelError).toBeLessThan(dtype === 'f32' ? 1e-5 : 1e-13);
  });

  it('gives the same without each stage, alone and together', async () => {
    const list = 'local,global,tags,blocks,simplify,order,coherence,narrow,simd,parallel,roll';
    for (const ablated of [...list.split(','), list]) {
      const { status, out } = await filigree(
        'expr',
        'A^3',
        '--bind',
        `A=${A}`,
        '--json',
        '--backend',
        backend,
        '--ablate',
        ablated,
      );
      expect([ablated, status]).toEqual([ablated, 0]);
      expect((JSON.parse(out) as { ablated: string[] }).ablated).toEqual(ablated.split(','));
    }
  });

  it('runs on the values of the file, and on threads', async () => {
    const { status } = await filigree(
      'expr',
      'A*A',
      '--bind',
      `A=${A}`,
      '--values',
      'file',
      '--threads',
      '2',
      '--backend',
      backend,
    );
    expect(status).toBe(0);
  });

  it('writes the sources it compiled', async () => {
    const folder = join(scratch, `emit-${backend}`);
    await filigree('expr', 'A*A', '--bind', `A=${A}`, '--backend', backend, '--emit', folder);
    expect(readdirSync(folder)).toContain(backend === 'cpp' ? 'kernels.cpp' : 'kernels.wat');
  });

  it('writes the result and its pattern as matrix files', async () => {
    const [out, folder] = [join(scratch, `squared-${backend}.mtx`), join(scratch, `squared-${backend}`)];
    const asked = ['--out', out, '--emit', folder, '--json', '--backend', backend];
    const { status, out: answer } = await filigree('expr', 'A*A', '--bind', `A=${A}`, ...asked);
    expect([status, JSON.parse(answer)]).toMatchObject([0, { out }]);
    const [found, pattern] = [await readMatrixFile(out), await readMatrixFile(join(folder, 'pattern.mtx'))];
    expect(denseOf(found)).toEqual(product(grid(4), grid(4)));
    expect(pattern.field).toBe('pattern');
    expect(pattern.pattern).toEqual(found.pattern);
    await filigree('expr', 'A*A', '--bind', `A=${A}`, '--values', 'random', '--out', out, '--backend', backend);
    expect(denseOf(await readMatrixFile(out))).not.toEqual(product(grid(4), grid(4)));
  });
});

describe('filigree expr', () => {
  it('writes for WebAssembly what runs without Filigree', async () => {
    const folder = join(scratch, 'alone');
    const asked = ['--values', 'file', '--emit', folder, '--backend', 'wasm'];
    expect((await filigree('expr', "A'*A", '--bind', `A=${A}`, ...asked)).status).toBe(0);
    const given = await readMatrixFile(A);
    writeFileSync(join(folder, 'main.mjs'), HOSTED);
    const { stdout } = spawnSync(process.execPath, ['main.mjs', JSON.stringify([...given.values])], { cwd: folder });
    const { pattern } = await readMatrixFile(join(folder, 'pattern.mtx'));
    const values = JSON.parse(String(stdout)) as readonly number[];
    expect(denseOf({ pattern, values })).toEqual(product(transposed(grid(4)), grid(4)));
  });

  it('tells people what was found, and progress on stderr', async () => {
    const { status, out, err } = await filigree('expr', 'A*A', '--bind', `A=${A}`, '--backend', 'wasm', '--bench');
    expect(status).toBe(0);
    expect(out).toMatch(/^check +passed/m);
    expect(out).toMatch(/^generic +.* ms/m);
    expect(err).toMatch(/^filigree: compiling$/m);
  });

  it('reads packed and Harwell-Boeing files', async () => {
    const m = sparseOf(grid(3));
    const packed = scratchFile('g.mtx.gz', gzipSync(marketOf(grid(3))));
    const hb = scratchFile('g.rua', harwellBoeing(m));
    for (const file of [packed, hb]) {
      expect((await readMatrixFile(file)).values).toEqual(m.values);
      const { status, out } = await filigree('expr', "G*G'", '--bind', `G=${file}`, '--json', '--backend', 'wasm');
      expect([status, (JSON.parse(out) as { nnzOut: number }).nnzOut]).toEqual([0, entriesOfSquare(grid(3))]);
    }
  });

  it.each<readonly [code: string, argv: readonly string[]]>([
    ['expr/parse', ['A**A', '--bind', `A=${A}`]],
    ['expr/parse', ['', '--bind', `A=${A}`]],
    ['expr/unbound', ['A*B', '--bind', `A=${A}`]],
    ['expr/name', ['A', '--bind', `1A=${A}`]],
    ['expr/shape', ['A*W', '--bind', `A=${A}`, '--bind', `W=${W}`]],
    ['expr/shape', ['s', '--bind', 's=2']],
    ['expr/power', ['A^0', '--bind', `A=${A}`]],
    ['expr/power', ['A^-1', '--bind', `A=${A}`]],
    ['file/missing', ['s*A', '--bind', `A=${A}`, '--bind', 's=nan']],
    ['runtime/backend', ['A', '--bind', `A=${A}`, '--backend', 'cuda']],
    ['option/value', ['A', '--bind', `A=${A}`, '--threads', '5000']],
    ['emit/unwritable', ['A', '--bind', `A=${A}`, '--emit', join(A, 'below-a-file')]],
    ['emit/unwritable', ['A', '--bind', `A=${A}`, '--emit', '/proc/below/what-is-no-disk']],
  ])('refuses with %s: %j', async (code, argv) => {
    const target = argv.includes('--backend') ? [] : ['--backend', 'wasm'];
    expect((await refusal('expr', ...argv, ...target)).code).toBe(code);
  });

  it('takes the pattern of complex files, and their values only as told', async () => {
    const file = scratchFile('z.mtx', '%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 3 4\n2 1 0 1\n');
    const argv = ['expr', 'Z*Z', '--bind', `Z=${file}`, '--backend', 'wasm'];
    expect((await filigree(...argv)).status).toBe(0);
    expect((await filigree(...argv, '--values', 'file')).err).toContain('mtx/complex');
    expect((await filigree(...argv, '--values', 'file', '--complex', 'abs')).status).toBe(0);
  });

  it('points at the place in the expression', async () => {
    const { err } = await filigree('expr', 'A + B', '--bind', `A=${A}`, '--backend', 'wasm');
    expect(err).toContain('> 1 | A + B\n    |     ^');
  });

  it('says when a result is wrong in single precision, and answers nevertheless', async () => {
    const file = scratchFile('huge.mtx', marketOf([[1e30]]));
    const { status, out, err } = await filigree(
      'expr',
      'A*A',
      '--bind',
      `A=${file}`,
      '--values',
      'file',
      '--dtype',
      'f32',
      '--backend',
      'wasm',
      '--json',
    );
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      check: { passed: false, maxRelError: null },
      error: { code: 'expr/check' },
    });
    expect(err).toContain('expr/check');
  });
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeHarwellBoeing } from '@filigree/sparse/formats';
import {
  filigree,
  filigreeProcess,
  grid,
  marketOf,
  refusal,
  scratch,
  scratchFile,
  sparseOf,
  workingBackends,
} from './support.js';

const GRID = scratchFile('grid.mtx', marketOf(grid(5)));

const answerOf = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const { status, out } = await filigree('trace', ...argv, '--json');
  expect(status).toBe(0);
  return JSON.parse(out) as Record<string, unknown>;
};

/** What the host beside emitted WebAssembly has. */
interface Host {
  readonly open: () => Promise<{
    readonly buffers: Readonly<Record<string, Float64Array>>;
    readonly kernels: Readonly<Record<string, () => void>>;
  }>;
}

describe.each(workingBackends)('filigree trace --bench on %s', (backend) => {
  it.each(['f32', 'f64'])('times products with a vector side by side in %s', async (dtype) => {
    const number = expect.any(Number) as number;
    const answer = await answerOf(GRID, '--bench', '--backend', backend, '--dtype', dtype, '--threads', '2');
    expect(answer).toMatchObject({
      backend,
      dtype,
      threads: 2,
      spmv: {
        chosen: expect.stringMatching(/^(affine|mixed|csr)$/) as string,
        affineMs: number,
        csrMs: number,
        csrTunedMs: backend === 'cpp' ? number : null,
        chosenMs: number,
        speedup: number,
        speedupTuned: backend === 'cpp' ? number : null,
        coldMs: { csr: number, chosen: number, ...(backend === 'cpp' ? { csrTuned: number } : {}) },
        check: { passed: true, maxRelError: number },
      },
    });
    const { csrMs, chosenMs, speedup } = answer['spmv'] as Record<string, number>;
    expect(speedup).toBeCloseTo(csrMs / chosenMs, 10);
  });

  it('measures what pieces that are too few leave to the chosen kernel', async () => {
    const answer = await answerOf(GRID, '--bench', '--max-pieces', '1', '--max-dims', '1', '--backend', backend);
    expect(answer).toMatchObject({
      exact: false,
      spmv: {
        affineMs: null,
        check: { passed: true },
        skipped: { affine: expect.stringContaining('cover') as string },
      },
    });
  });

  it('writes pieces and sources', async () => {
    const folder = join(scratch, `emit-${backend}`);
    await answerOf(GRID, '--emit', folder, '--backend', backend);
    expect(readFileSync(join(folder, 'pieces.txt'), 'utf8')).toMatch(/^for x0 in /);
    for (const kernel of ['chosen', 'affine']) expect(readdirSync(join(folder, kernel))).not.toEqual([]);
  });
});

describe('filigree trace', () => {
  it.each(['row', 'best'])(
    'writes kernels that run by themselves, and in which order they want values (%s)',
    async (order) => {
      const folder = join(scratch, `alone-${order}`);
      await answerOf(GRID, '--emit', folder, '--backend', 'wasm', '--order', order, '--max-dims', '2');
      const { pattern } = sparseOf(grid(5));
      const values = Float64Array.from(pattern.colIdx, (_, n) => Math.sin(n + 1));
      const x = Float64Array.from({ length: pattern.cols }, (_, n) => Math.cos(n));
      const expected = Array.from({ length: pattern.rows }, (_, row) => {
        let sum = 0;
        for (let n = pattern.rowPtr[row]!; n < pattern.rowPtr[row + 1]!; n++)
          sum += values[n]! * x[pattern.colIdx[n]!]!;
        return sum;
      });
      for (const kernel of ['chosen', 'affine']) {
        const { open } = (await import(join(folder, kernel, 'host.mjs'))) as Host;
        const { buffers, kernels } = await open();
        const lines =
          kernel === 'chosen'
            ? readFileSync(join(folder, kernel, 'order.txt'), 'utf8')
                .trim()
                .split('\n')
            : undefined;
        buffers['A']!.set(lines ? lines.map((n) => values[Number(n)]!) : values);
        buffers['x']!.set(x);
        kernels['spmv']!();
        buffers['y']!.forEach((y, row) => expect(y).toBeCloseTo(expected[row]!, 12));
      }
    },
  );

  it('answers as documented', async () => {
    const answer = await answerOf(GRID);
    expect(answer).toMatchObject({
      rows: 25,
      cols: 25,
      nnz: 105,
      pieces: expect.any(Number),
      maxDims: expect.any(Number),
      exact: true,
      ms: { reconstruct: expect.any(Number) },
    });
    expect(answer).not.toHaveProperty('spmv');
    expect(answer['pieces']).toBeLessThan(30);
  });

  it('keeps to the loops and pieces allowed', async () => {
    const flat = await answerOf(GRID, '--max-dims', '2');
    const deep = await answerOf(GRID, '--max-dims', '6');
    expect(flat['maxDims']).toBeLessThanOrEqual(2);
    expect(deep['pieces']).toBeLessThan(flat['pieces'] as number);
    const cut = await answerOf(GRID, '--max-dims', '2', '--max-pieces', '3');
    expect(cut).toMatchObject({ pieces: 3, exact: false });
    expect(cut['covered']).toBeLessThan(105);
  });

  it('chooses the order of the fewest pieces', async () => {
    const rows = await answerOf(GRID, '--max-dims', '2');
    const best = await answerOf(GRID, '--max-dims', '2', '--order', 'best');
    expect(best['pieces']).toBeLessThan(rows['pieces'] as number);
    expect(best).toMatchObject({ exact: true, order: expect.not.stringMatching('row') as string });
  });

  it('says the same to people', async () => {
    const { status, out } = await filigree('trace', GRID);
    expect(status).toBe(0);
    expect(out).toContain('25 × 25, 105 non-zeros');
    expect(out).toMatch(/^cover +exact$/m);
  });

  it('stops on Ctrl-C', async () => {
    const n = 3000;
    const entries = Array.from({ length: 40_000 }, (_, k) => `${((k * 7919 + k * k) % n) + 1} ${((k * k) % n) + 1} 1`);
    const head = '%%MatrixMarket matrix coordinate real general\n';
    const file = scratchFile('long.mtx', `${head}${n} ${n} ${entries.length}\n${entries.join('\n')}\n`);
    const { status, signal, out, err } = await filigreeProcess(['trace', file, '--json'], {}, 'rebuilding');
    expect([status, signal]).toEqual(status === null ? [null, 'SIGINT'] : [130, null]);
    expect(out).toBe('');
    expect(err).not.toMatch(/error|^ +at /m);
  });
});

describe('filigree inspect of a matrix file', () => {
  /** The cells of a picture by colour: `x,y` of each. */
  const cellsOf = (svg: string): ReadonlyMap<string, readonly string[]> =>
    new Map(
      [...svg.matchAll(/<path fill="([^"]+)" d="([^"]+)"/g)].map(([, colour, d]) => [
        colour!,
        [...d!.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].flatMap(([, x, y, n]) =>
          Array.from({ length: Number(n) }, (_, k) => `${Number(x) + k},${y}`),
        ),
      ]),
    );

  it('shows the pattern with a colour for each piece', async () => {
    /* A diagonal, then a full column: two pieces of one loop. */
    const corner = Array.from({ length: 8 }, (_, i) =>
      Array.from({ length: 8 }, (_, j) => (i < 4 ? Number(i === j) : Number(j === 7))),
    );
    const out = join(scratch, 'trace.html');
    const file = scratchFile('corner.mtx', marketOf(corner));
    const { status, out: text } = await filigree('inspect', file, '--out', out, '--max-dims', '1', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ out, pieces: 2, exact: true });
    const html = readFileSync(out, 'utf8');
    expect(html).not.toMatch(/(src|href)=/);
    expect(html).toContain('8 × 8, 8 non-zeros in 2 pieces, in row order');
    expect([...cellsOf(html).values()]).toEqual([
      ['0,0', '1,1', '2,2', '3,3'],
      ['7,4', '7,5', '7,6', '7,7'],
    ]);
    for (const tag of ['section', 'table', 'svg', 'details', 'pre', 'figure'])
      expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
  });

  it('shows what no piece covers, too, and times', async () => {
    const out = join(scratch, 'cut.html');
    const argv = [
      'inspect',
      GRID,
      '--out',
      out,
      '--max-pieces',
      '1',
      '--max-dims',
      '1',
      '--bench',
      '--backend',
      'wasm',
    ];
    expect((await filigree(...argv)).status).toBe(0);
    const html = readFileSync(out, 'utf8');
    expect([...cellsOf(html).values()].flat()).toHaveLength(105);
    expect(cellsOf(html).size).toBe(2);
    for (const text of ['A product with a vector', 'compressed rows', '(module']) expect(html).toContain(text);
  });

  it('that is missing or broken is refused', async () => {
    const out = join(scratch, 'none.html');
    expect((await refusal('inspect', join(scratch, 'nowhere.mtx'), '--out', out)).code).toBe('file/missing');
    expect((await refusal('inspect', scratchFile('notes.txt', 'no matrix\n'), '--out', out)).code).toMatch(/^hb\//);
  });
});

const REAL = '%%MatrixMarket matrix coordinate real general\n';

describe('a matrix file to trace that is', () => {
  it.each<readonly [what: string, code: string, line: number, text: string]>([
    ['empty', 'mtx/header', 1, ''],
    ['cut off', 'mtx/truncated', 4, `${REAL}2 2 2\n1 1 5\n`],
    ['cut off within a line', 'mtx/entry', 4, `${REAL}2 2 2\n1 1 5\n2 \n`],
    ['beyond its rows', 'mtx/range', 3, `${REAL}2 2 1\n3 1 5\n`],
    ['beyond its columns', 'mtx/range', 3, `${REAL}2 2 1\n1 3 5\n`],
    ['counted from 0', 'mtx/range', 3, `${REAL}2 2 1\n0 1 5\n`],
    ['complex without its imaginary part', 'mtx/entry', 3, `${REAL.replace('real', 'complex')}2 2 1\n1 1 5\n`],
    ['a pattern with values', 'mtx/entry', 3, `${REAL.replace('real', 'pattern')}2 2 1\n1 1 5\n`],
  ])('%s: %s, line %i', async (what, code, line, text) => {
    const file = scratchFile(`${what}.mtx`, text);
    expect(await refusal('trace', file)).toMatchObject({ code, loc: { file, line } });
  });

  it('a Harwell-Boeing file cut off: refused with its line', async () => {
    const written = writeHarwellBoeing(sparseOf(grid(5)));
    const bytes = '_tag' in written && written._tag === 'Right' ? written.right : expect.unreachable();
    const whole = await answerOf(scratchFile('whole.rua', bytes));
    expect(whole).toMatchObject({ nnz: 105, exact: true });
    for (const part of [0.3, 0.6, 0.9]) {
      const file = scratchFile(`part-${part}.rua`, bytes.slice(0, Math.floor(part * bytes.length)));
      const { code, loc } = await refusal('trace', file);
      expect(code).toMatch(/^hb\//);
      expect(loc?.line).toBeGreaterThan(0);
    }
  });

  it.each<readonly [what: string, text: string, answer: object]>([
    ['unsorted: sorted', `${REAL}2 2 3\n2 1 5\n1 2 5\n1 1 5\n`, { nnz: 3, stored: 3 }],
    ['of duplicates: one entry, the sum', `${REAL}2 2 3\n1 1 5\n1 1 5\n2 2 5\n`, { nnz: 2, stored: 3 }],
    ['of stored zeros: entries as others', `${REAL}2 2 2\n1 1 0\n2 2 5\n`, { nnz: 2 }],
    ['of empty rows: they need no piece', `${REAL}9 9 2\n1 1 5\n9 9 5\n`, { nnz: 2, pieces: 1 }],
    ['without entries: no pieces', `${REAL}3 4 0\n`, { rows: 3, cols: 4, nnz: 0, pieces: 0, maxDims: 0 }],
    ['without rows: no pieces', `${REAL}0 0 0\n`, { rows: 0, cols: 0, nnz: 0, pieces: 0 }],
    [
      'a pattern: all that is needed',
      `${REAL.replace('real', 'pattern')}2 2 2\n1 1\n2 2\n`,
      { nnz: 2, field: 'pattern' },
    ],
    [
      'complex: its pattern',
      `${REAL.replace('real', 'complex')}2 2 2\n1 1 0 1\n2 2 3 4\n`,
      { nnz: 2, field: 'complex' },
    ],
    ['of values that are no numbers: its pattern', `${REAL}2 2 2\n1 1 NaN\n2 2 -inf\n`, { nnz: 2, field: 'real' }],
  ])('%s', async (what, text, answer) => {
    const file = scratchFile(`${what.replace(/\W+/g, '-')}.mtx`, text);
    expect(await answerOf(file)).toMatchObject({ ...answer, exact: true });
  });

  it.each(['3 4 0', '0 0 0', '0 5 0'])('of %s: its product with a vector is zero', async (sizes) => {
    const file = scratchFile(`${sizes.replaceAll(' ', '-')}.mtx`, `${REAL}${sizes}\n`);
    for (const backend of workingBackends)
      expect(await answerOf(file, '--bench', '--backend', backend)).toMatchObject({
        exact: true,
        spmv: { check: { passed: true, maxRelError: 0 } },
      });
  });

  it('missing: refused, and nothing is written', async () => {
    const folder = join(scratch, 'nothing');
    expect(await refusal('trace', join(scratch, 'nowhere.mtx'), '--emit', folder)).toMatchObject({
      code: 'file/missing',
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('asked for in a wrong way: bad usage', async () => {
    expect((await filigree('trace')).status).toBe(2);
    expect((await filigree('trace', GRID, '--order', 'random')).status).toBe(2);
    expect((await filigree('trace', GRID, '--max-dims', '-1')).status).toBe(2);
  });
});

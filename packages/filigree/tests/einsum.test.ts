import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filigree, refusal, scratch, scratchFile, workingBackends } from './support.js';

/* [0 0 0; 1.5 0 0; 0 2.5 0] */
const K = scratchFile('k.mtx', '%%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 1.5\n3 2 2.5\n');

const phases = scratchFile('phases.mtx', '%%MatrixMarket matrix coordinate complex general\n3 3 2\n1 1 3 4\n2 1 0 1\n');

const row = scratchFile('row.mtx', '%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 1\n');
const strict = ['--no-implicit-sums'];
const wide = scratchFile('wide.mtx', '%%MatrixMarket matrix coordinate real general\n200000 200000 1\n1 1 1\n');

describe.each(workingBackends)('filigree einsum on %s', (backend) => {
  it.each(['f32', 'f64'])('answers as documented in %s', async (dtype) => {
    const { status, out } = await filigree(
      ...['einsum', 'Q[kp] += dt*K[kl]*I[lp]', '--shape', 'I=3,4', '--pattern', `K=${K}`],
      ...['--json', '--backend', backend, '--dtype', dtype],
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      eqspp: {
        Q: {
          nnz: 12,
          box: [
            [0, 3],
            [0, 4],
          ],
        },
        /* Rows of I that no column of K reaches are not needed. */
        I: {
          nnz: 8,
          box: [
            [0, 2],
            [0, 4],
          ],
        },
        K: {
          nnz: 2,
          box: [
            [1, 3],
            [0, 2],
          ],
        },
      },
      order: expect.arrayContaining([expect.stringMatching(/^Q_kp \+= dt /)]),
      steps: expect.arrayContaining([
        { kind: 'log', m: 2, n: 4, k: 2, loops: [], target: 'Q', text: expect.any(String) },
      ]),
      flops: { nonzero: expect.any(Number), hardware: expect.any(Number), naive: expect.any(Number) },
      check: { maxRelError: expect.any(Number), passed: true },
      backend,
    });
  });
});

describe('filigree einsum', () => {
  it('takes a matrix of one column or of one row for a tensor of one index', async () => {
    const weights = scratchFile('weights.mtx', '%%MatrixMarket matrix array real general\n3 1\n0.5\n0\n2\n');
    const { status, out } = await filigree(
      ...['einsum', 'Q[i] = K[ij]*w[j]*m[j]', '--known', `w=${weights}`, '--pattern', `m=${row}`, '--shape', 'i=4'],
      '--json',
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      tensors: { w: { shape: [3], nnz: 3 }, m: { shape: [3], nnz: 1 } },
      eqspp: { K: { nnz: 4 } },
      check: { passed: true },
    });
  });

  it('takes known values, layouts, scalars and several assignments', async () => {
    const { status, out } = await filigree(
      ...['einsum', 'T[ij] = 2*s*K[ik]*B[kj]; U[j] = T[ij]*v[i]', '--shape', 'B=3,5', '--known', `K=${K}`],
      ...['--layout', 'K=csc', '--scalar', 's=3', '--json', '--backend', 'wasm'],
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      tensors: { K: { layout: 'csc', nnz: 2, size: 2 }, U: { shape: [5] }, v: { shape: [3] } },
      check: { passed: true },
    });
  });

  it('takes scalars of terms that vanish, and keeps of a result what its pattern has', async () => {
    const { status, out } = await filigree(
      ...[
        'einsum',
        'K[ij] += A[ij] + 0*s*A[ij]; Q[ij] = K[ik]*A[kj]',
        '--pattern',
        `K=${K}`,
        '--layout',
        'K=compressed',
      ],
      ...['--json', '--backend', 'wasm'],
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ tensors: { K: { size: 2 } }, check: { passed: true } });
  });

  it('says what was computed while planning, beside baselines that know it too', async () => {
    const { status, out } = await filigree(
      ...['einsum', 'Q[kp] += 2*K[kl]*K[lm]*I[mp]', '--shape', 'I=3,4', '--known', `K=${K}`, '--bench', '--json'],
    );
    expect(status).toBe(0);
    const answer = JSON.parse(out) as Record<string, Record<string, unknown>>;
    /* K² has one entry, and only the first row of I meets it. */
    expect(answer).toMatchObject({
      known: { _known0: { formula: '2*K[kl]*K[lm]', shape: [3, 3], nnz: 1 } },
      eqspp: { K: { nnz: 2 }, I: { nnz: 4 } },
      flops: { nonzero: 8 },
      check: { passed: true },
    });
    for (const name of ['loops', 'libxsmm'])
      expect(String(answer['skipped']![name])).not.toMatch(/another result|not compile/);
  });

  it('measures speed, peak and baselines in the same run', async () => {
    const { status, out } = await filigree(
      ...['einsum', 'C[ij] += A[ik]*B[kj]', '--shape', 'A=8,8', '--shape', 'j=8', '--bench', '--json'],
    );
    expect(status).toBe(0);
    const answer = JSON.parse(out) as Record<string, Record<string, number>>;
    expect(answer).toMatchObject({
      gflops: expect.any(Number),
      nonzeroGflops: expect.any(Number),
      peakGflops: expect.any(Number),
    });
    for (const name of ['loops', 'libxsmm'])
      expect(answer['baselines']![name] ?? answer['skipped']![name]).toBeDefined();
  });

  it('counts operations on non-zeros and those of the hardware apart, wherever it prints them', async () => {
    const argv = ['einsum', 'Q[ip] = K[ij]*B[jp]', '--shape', 'B=3,5', '--pattern', `K=${K}`, '--bench'];
    const { status, out, err } = await filigree(...argv);
    expect(status, err).toBe(0);
    /* K has two entries, each of which meets five of B. */
    expect(out).toMatch(/^operations +10 on non-zeros, \d+ in hardware \(stored zeros included\), 90 of plain loops$/m);
    expect(out).toMatch(/^non-zero speed +[\d.]+ GFLOP\/s, \d+ % of a measured peak of [\d.]+$/m);
    expect(out).toMatch(/^hardware speed +[\d.]+ GFLOP\/s, \d+ % of a measured peak of [\d.]+$/m);
    expect(out).not.toMatch(/^speed /m);
  });

  it('writes sources, or a project of them', async () => {
    const [plain, project] = [join(scratch, 'einsum-sources'), join(scratch, 'einsum-project')];
    const formula = ['einsum', 'C[ij] += A[ik]*B[kj]', '--shape', 'A=4,4', '--shape', 'j=4', '--backend', 'wasm'];
    expect((await filigree(...formula, '--emit', plain)).status).toBe(0);
    expect((await filigree(...formula, '--emit', project, '--project', '--name', 'product')).status).toBe(0);
    expect(existsSync(join(plain, 'kernels.wat'))).toBe(true);
    expect(readFileSync(join(project, 'include/kernels/kernel/product.h'), 'utf8')).toContain('C[ij] += A[ik]*B[kj]');
  });

  it('takes of complex values the part that is asked for, and of a pattern all', async () => {
    const formula = ['einsum', 'Q[kp] = K[kl]*I[lp]', '--shape', 'p=2', '--json', '--backend', 'wasm'];
    const nonzeros = async (...options: string[]): Promise<unknown> => {
      const { status, out } = await filigree(...formula, ...options);
      expect(status).toBe(0);
      return (JSON.parse(out) as { tensors: { K: { nnz: number } }; check: unknown }).tensors.K.nnz;
    };
    expect(await nonzeros('--known', `K=${phases}`, '--complex', 'abs')).toBe(2);
    expect(await nonzeros('--pattern', `K=${phases}`)).toBe(2);
    expect((await refusal(...formula, '--known', `K=${phases}`)).code).toBe('mtx/complex');
  });

  it('is inspected as a page with patterns as pictures', async () => {
    const out = join(scratch, 'einsum.html');
    const formula = ['inspect', 'Q[kp] += K[kl]*I[lp]', '--shape', 'I=3,4', '--pattern', `K=${K}`, '--backend', 'wasm'];
    expect((await filigree(...formula, '--out', out)).status).toBe(0);
    const page = readFileSync(out, 'utf8');
    expect(page).toContain('I, needed: 3 × 4, 8 entries');
    expect(page).toContain('2 × 4 × 2');
  });

  it.each([
    ['einsum/shape', ['Q[kp] += K[kl]*I[lp]', '--shape', 'I=4,4', '--pattern', `K=${K}`], "index 'l'"],
    ['einsum/shape', ['Q[kp] += K[kl]*I[lp]', '--shape', 'I=4', '--pattern', `K=${K}`], 'I[lp] has 2 indices'],
    ['einsum/shape', ['Q[k] += K[k]', '--shape', 'K=4x'], "'4x' is not a shape of K"],
    ['einsum/shape', ['Q[k] += K[kl]', '--shape', 'K=4,0'], "its extent '0' is no whole number from 1"],
    ['einsum/extent', ['Q[kp] += K[kl]*I[lp]', '--shape', 'I=4,4'], "index 'k' of Q"],
    ['einsum/unknown', ['Q[k] += K[k]', '--shape', 'X=4'], "'X'"],
    ['einsum/unknown', ['Q[k] += K[k]', '--shape', 'k=4,5'], "'k' is an index of the formula"],
    ['einsum/layout', ['Q[k] += K[k]', '--shape', 'K=4', '--layout', 'K=rows'], "'rows'"],
    ['einsum/scalar', ['Q[k] += s*K[k]', '--shape', 'K=4', '--scalar', 's=x'], "'x'"],
    ['notation/index-thrice', ['Q[i] += A[ik]*B[k]*C[k]', '--shape', 'A=3,4', ...strict], "'k' appears three times"],
    ['notation/index-once', ['Q[i] += A[ik]', '--shape', 'A=3,4', ...strict], "'k' appears once"],
    ['notation/syntax', ['Q[kp] += K[kl*I[lp]', '--shape', 'I=4,4'], "']'"],
    ['notation/syntax', [''], 'an assignment'],
    ['notation/syntax', ['Ω[i] = A[i]', '--shape', 'A=3'], "'Ω'"],
    ['notation/index-letter', ['Q[i,j] = A[i,j]', '--shape', 'A=3,3'], 'Q[i , j]'],
    ['notation/name', ['constructor[i] = A[i]', '--shape', 'A=3'], "'constructor'"],
    ['notation/name', ['__proto__[i] = A[i]', '--shape', 'A=3'], "'__proto__'"],
    ['notation/name', ['_list_0[i] = A[i]', '--shape', 'A=3'], "'_list_0'"],
    ['notation/name', ['Q[i] = A[i]', '--shape', 'A=3', '--name', 'a b'], "'a b'"],
    ['notation/scalar', ['Q[i] = 1e999*A[i]', '--shape', 'A=3'], '1e999'],
    ['notation/read-only', ['K[ij] = A[ij]', '--known', `K=${K}`], "'K' has constant values"],
    /* What is wrong with indices is said before extents are asked for. */
    ['notation/trace', ['Q[jj] = A[ij]', '--shape', 'A=3,3'], "index 'j' appears twice"],
    ['notation/target-index', ['Q[ik] = A[ij]'], "index 'k' of the target"],
    ['notation/shape', ['Q[ij] = A[i]*B[j]', '--shape', 'i=100000', '--shape', 'j=100000'], "'Q': 10000000000 entries"],
    [
      'einsum/size',
      ['C[ij] = A[ik]*B[kj]', '--shape', 'i=6000', '--shape', 'j=6000', '--shape', 'k=7000'],
      "2.5e+11 times, more than 2e+9; the longest index is 'k' of 7000",
    ],
    ['einsum/size', ['Q[ij] = K[ij]', '--pattern', `K=${wide}`], '200000 × 200000 entries'],
    [
      'einsum/shape',
      ['Q[ij] = K[ij]', '--pattern', `K=${row}`, '--known', `K=${K}`],
      'are 3 × 3, its pattern is 1 × 3',
    ],
    ['emit/unwritable', ['Q[i] = 2*A[i]', '--shape', 'A=3', '--emit', K], 'a file stands where a folder is needed'],
    ['notation/scalar', ['Q[i] = 2*A', '--shape', 'A=3'], 'the right-hand side is a scalar'],
    ['einsum/unknown', ['Q[i] = 2*A[i]', '--shape', 'A=3', '--scalar', 'x=1'], "no scalar 'x'"],
    ['file/missing', ['Q[ij] = K[ij]', '--known', `K=${join(scratch, 'none.mtx')}`], 'there is no file'],
    ['einsum/shape', ['Q[ijk] = K[ijk]', '--pattern', `K=${K}`], 'K[ijk] has 3 indices'],
    ['einsum/shape', ['Q[ij] = K[ij]', '--pattern', `K=${K}`, '--shape', 'K=4,3'], "index 'i' runs to 4"],
    [
      'plan/temporary',
      ['Q[ij] = A[ik]*B[kl]*C[lj]', '--shape', 'A=9,9', '--shape', 'C=9,9', '--max-temporary-bytes', '600'],
      "need 720 bytes, more than 600; the largest is indexed by 'i",
    ],
  ])('refuses with %s', async (code, argv, message) => {
    const found = await refusal('einsum', ...argv, '--backend', 'wasm');
    expect(found.code).toBe(code);
    expect(found.message).toContain(message);
    expect(found.remedy).toBeTruthy();
  });

  it.each([
    ['A=1', 'A=2'],
    ['A=', 'A=3'],
  ])('refuses the shapes %s and %s as bad usage', async (first, second) => {
    const { status, err } = await filigree('einsum', 'Q[i] = A[i]', '--shape', first, '--shape', second);
    expect(status).toBe(2);
    expect(err).toContain('--shape');
  });

  it.each([
    [['Q[i] = A[i]', '--shape', 'A=3', '--project'], 'add --emit FOLDER'],
    [['Q[i] = A[i]', '--shape', 'A=3', 'i=3'], "'i=3' is one argument too many. Each value has an option of its own"],
    [['Q[i]', '=', 'A[i]'], "'=' is one argument too many. The formula is one argument in quotes"],
  ])('refuses %j as bad usage', async (argv, message) => {
    const { status, err } = await filigree('einsum', ...argv);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });

  it('takes the extent of an index that is a capital letter', async () => {
    const { status, out } = await filigree('einsum', 'Q[K] = A[K]', '--shape', 'K=3', '--json', '--backend', 'wasm');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ tensors: { A: { shape: [3] } } });
  });
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readMatrixFile } from 'filigree';
import { writeHarwellBoeing, type Csr } from '@filigree/sparse';
import {
  dense,
  filigree,
  filigreeProcess,
  marketOf,
  scratch,
  scratchFile,
  sparseOf,
  workingBackends,
  type Dense,
} from './support.js';

const grid = (n: number): Dense =>
  Array.from({ length: n * n }, (_, i) =>
    Array.from({ length: n * n }, (_, j) => {
      const [dx, dy] = [Math.abs((i % n) - (j % n)), Math.abs(Math.floor(i / n) - Math.floor(j / n))];
      return dx + dy === 0 ? 4 : dx + dy === 1 ? -1 : 0;
    }),
  );

/** Entries that a product or power of a matrix has when nothing cancels. */
const entries = (m: Dense): number => m.flat().filter((x) => x !== 0).length;
const squared = (m: Dense): number => {
  const sizes = m.map((row) => row.map(Math.abs));
  return entries(dense.multiply(sizes, sizes));
};

const A = scratchFile('a.mtx', marketOf(grid(4)));
const W = scratchFile('w.mtx', marketOf([[1, 2, 3]]));

const harwellBoeing = (m: Csr<Float64Array>): Uint8Array => {
  const written = writeHarwellBoeing(m);
  return '_tag' in written && written._tag === 'Right' ? written.right : expect.unreachable();
};

afterEach(() => vi.unstubAllEnvs());

describe('filigree devices', () => {
  it('lists every backend, with a reason where it does not work', async () => {
    const { status, out } = await filigree('devices', '--json');
    expect(status).toBe(0);
    const { backends } = JSON.parse(out) as {
      backends: { name: string; usable: boolean; reason: string; toolchain: string }[];
    };
    expect(backends.map((b) => b.name)).toEqual(['cpp', 'wasm', 'cuda', 'hip', 'metal']);
    for (const b of backends) expect(b.usable ? b.toolchain : b.reason).not.toBe('');
    expect((await filigree('devices')).out).toMatch(/^wasm +works/m);
  });

  it('finds no C++ compiler where PATH has none', async () => {
    vi.stubEnv('PATH', scratch);
    vi.stubEnv('CXX', undefined);
    vi.stubEnv('FILIGREE_CXX', undefined);
    const { backends } = JSON.parse((await filigree('devices', '--json')).out) as {
      backends: { usable: boolean; reason: string }[];
    };
    expect(backends[0].usable).toBe(false);
    expect(backends[0].reason).toMatch(/toolchain\/missing/);
  });
});

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
      nnzOut: squared(grid(4)),
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
});

describe('filigree expr', () => {
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
      expect([status, (JSON.parse(out) as { nnzOut: number }).nnzOut]).toEqual([0, squared(grid(3))]);
    }
  });

  const bad: readonly (readonly [code: string, argv: readonly string[]])[] = [
    ['expr/parse', ['A**A', '--bind', `A=${A}`]],
    ['expr/unbound', ['A*B', '--bind', `A=${A}`]],
    ['expr/shape', ['A*W', '--bind', `A=${A}`, '--bind', `W=${W}`]],
    ['file/missing', ['A', '--bind', `A=${join(scratch, 'nowhere.mtx')}`]],
    ['file/folder', ['A', '--bind', `A=${scratch}`]],
    ['mtx/header', ['A', '--bind', `A=${scratchFile('header.mtx', 'not a matrix\n')}`]],
    [
      'mtx/truncated',
      ['A', '--bind', `A=${scratchFile('short.mtx', '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n')}`],
    ],
    [
      'mtx/range',
      ['A', '--bind', `A=${scratchFile('range.mtx', '%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n')}`],
    ],
    ['hb/header', ['A', '--bind', `A=${scratchFile('broken.rua', 'a title\n')}`]],
    ['file/gzip', ['A', '--bind', `A=${scratchFile('broken.mtx.gz', gzipSync('%%').subarray(0, 12))}`]],
    ['ablate/unknown', ['A', '--bind', `A=${A}`, '--ablate', 'magic']],
    ['runtime/backend', ['A', '--bind', `A=${A}`, '--backend', 'cuda']],
    ['emit/unwritable', ['A', '--bind', `A=${A}`, '--emit', join(A, 'below-a-file')]],
  ];
  it.each(bad)('refuses with %s', async (code, argv) => {
    const { status, out, err } = await filigree(
      'expr',
      ...argv,
      '--json',
      '--backend',
      'wasm',
      ...(argv.includes('cuda') ? ['--backend', 'cuda'] : []),
    );
    expect(status).toBe(1);
    const answer = JSON.parse(out) as { error: { code: string; message: string; remedy: string } };
    expect(answer.error.code).toBe(code);
    expect(answer.error.remedy).not.toBe('');
    expect(err).toContain(`error[${code}]`);
    expect(err).toContain('remedy:');
    expect(err).not.toMatch(/^ +at /m);
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
    expect(JSON.parse(out)).toMatchObject({ check: { passed: false, maxRelError: null } });
    expect(err).toContain('expr/check');
  });
});

describe('bad usage', () => {
  it.each<readonly string[][]>([
    [['fly']],
    [['expr']],
    [['expr', 'A', '--bind', 'A']],
    [['expr', 'A', '--bind', `A=${A}`, '--bind', `A=${A}`]],
    [['expr', 'A', '--backend', 'vax']],
    [['expr', 'A', '--threads', 'many']],
    [['expr', 'A', '--dtype', 'f16']],
    [['run']],
    [['run', 'start', 'mesh']],
    [['inspect', 'A']],
    [['opt', 'a.fil', '--nonsense']],
  ])('%j ends with status 2', async (argv) => {
    const { status, out, err } = await filigree(...argv);
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/error:/);
    const json = await filigree(...argv, '--json');
    expect(json.status).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'cli/usage' } });
  });

  it('is not to ask for help', async () => {
    const { status, out } = await filigree('--help');
    expect(status).toBe(0);
    for (const name of ['devices', 'expr', 'opt', 'compile', 'run', 'inspect'])
      expect(out).toMatch(new RegExp(`^ +${name} `, 'm'));
  });
});

describe('filigree opt', () => {
  const source = `module @m {
  buffer @x : f64[4] output
  kernel @k() {
    %0 = arith.constant {value = 2} : f64
    %1 = arith.constant {value = 3} : f64
    %2 = arith.mul %0, %1 : f64
    %i = arith.constant {value = 1} : i32
    mem.store %2, %i {buffer = @x}
    scf.yield
  }
}
`;
  const file = scratchFile('m.fil', source);

  it('runs the passes named and prints the module', async () => {
    const { status, out } = await filigree('opt', file, '--passes', 'canonicalize,dce');
    expect(status).toBe(0);
    expect(out).toContain('value = 6');
    expect(out).not.toContain('arith.mul');
    expect((await filigree('opt', file)).out).not.toContain('arith.mul');
  });

  it('prints after every pass', async () => {
    const { out } = await filigree('opt', file, '--passes', 'cse,canonicalize', '--print-after-all');
    expect(out).toMatch(/^; after cse\n[^]*arith\.mul[^]*^; after canonicalize\n/m);
    const json = JSON.parse((await filigree('opt', file, '--passes', 'cse,dce', '--json')).out) as {
      passes: { name: string }[];
    };
    expect(json.passes.map((p) => p.name)).toEqual(['cse', 'dce']);
  });

  it.each<readonly [string, readonly string[]]>([
    ['pipeline/unknown-pass', [file, '--passes', 'cse,magic']],
    ['pass/option', [file, '--passes', 'unroll{speed=9}']],
    ['file/missing', [join(scratch, 'nowhere.fil')]],
    ['verify/', [scratchFile('bad.fil', source.replace('%2, %i', '%i, %i'))]],
    ['parse/', [scratchFile('worse.fil', 'module @m {')]],
  ])('refuses with %s', async (code, argv) => {
    const { status, out } = await filigree('opt', ...argv, '--json');
    expect(status).toBe(1);
    expect((JSON.parse(out) as { error: { code: string } }).error.code).toMatch(new RegExp(`^${code}`));
  });
});

describe('filigree compile', () => {
  const module = scratchFile(
    'kernels.mjs',
    `const twice = (v) => 2 * v;
     export const double = { inputs: { x: 8 }, run: ({ x }) => ({ y: x.map((v) => twice(v)) }), scope: { twice } };
     export const dot = { inputs: { a: 8, b: 8 }, run: ({ a, b }) => ({ s: a.reduce((s, v, i) => s + v * b[i], 0) }) };
     export const other = 5;`,
  );

  it('compiles the programs that a module exports', async () => {
    const folder = join(scratch, 'compiled');
    const { status, out } = await filigree('compile', module, '--json', '--backend', 'wasm', '--emit', folder);
    expect(status).toBe(0);
    const { kernels, ms } = JSON.parse(out) as {
      kernels: { name: string; tasks: number; sources: string[] }[];
      ms: object;
    };
    expect(kernels.map((k) => k.name).sort()).toEqual(['dot', 'double']);
    for (const k of kernels) {
      expect(k.tasks).toBeGreaterThan(0);
      for (const s of k.sources) expect(existsSync(s)).toBe(true);
    }
    expect(Object.keys(ms)).toEqual(['trace', 'analyse', 'generate', 'compile']);
    expect(
      JSON.parse((await filigree('compile', module, '--export', 'dot', '--json', '--backend', 'wasm')).out),
    ).toMatchObject({
      kernels: [{ name: 'dot' }],
    });
  });

  it.each<readonly [string, readonly string[]]>([
    ['file/missing', [join(scratch, 'nowhere.mjs')]],
    ['compile/export', [module, '--export', 'none']],
    ['compile/no-program', [module, '--export', 'other']],
    ['module/failed', [scratchFile('throws.mjs', 'throw new Error("no")')]],
    [
      'lang/symbolic-branch',
      [
        scratchFile(
          'branch.mjs',
          'export const k = { inputs: { x: 1 }, run({ x }) { if (x[0] > 0) return { y: 1 }; return { y: 2 }; } }',
        ),
      ],
    ],
  ])('refuses with %s', async (code, argv) => {
    const { status, out } = await filigree('compile', ...argv, '--json', '--backend', 'wasm');
    expect([status, (JSON.parse(out) as { error: { code: string } }).error.code]).toEqual([1, code]);
  });
});

describe('filigree run', () => {
  const gallery = scratchFile(
    'gallery.mjs',
    `const example = (name, passed) => ({
       name, rows: ['EX0'], summary: 'for tests',
       run: async ({ args, backend, dtype, threads, seed, bench, ablate, progress }) => {
         progress(0.5, 'half way');
         return { metrics: { ...args, backend, dtype, threads, seed, bench: String(bench), ablate: ablate.join(' ') }, check: { passed, maxRelError: 0 }, ms: { run: 1 }, nodes: 3, kernels: 1, baselines: { plain: 2 } };
       } });
     export const gallery = { good: example('good', true), bad: example('bad', false) };`,
  );

  it('hands its options to the example and answers as documented', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const { status, out, err } = await filigree(
      'run',
      'good',
      'n=5',
      'mesh=a=b',
      '--json',
      '--backend',
      'wasm',
      '--threads',
      '2',
      '--seed',
      '7',
      '--ablate',
      'simd,roll',
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      example: 'good',
      metrics: {
        n: '5',
        mesh: 'a=b',
        backend: 'wasm',
        dtype: 'f64',
        threads: 2,
        seed: 7,
        bench: 'false',
        ablate: 'simd roll',
      },
      check: { passed: true },
      ms: { run: 1 },
      baselines: { plain: 2 },
      memoryMB: expect.any(Number),
    });
    expect(err).toBe('filigree: half way\n');
  });

  it('lists the examples', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    expect((await filigree('run', '--list')).out).toMatch(/^good +EX0: for tests$/m);
    expect(JSON.parse((await filigree('run', '--list', '--json')).out)).toMatchObject({
      examples: [{ name: 'good', rows: ['EX0'] }, { name: 'bad' }],
    });
  });

  it('ends with status 1 where a check fails, an example is unknown, or there is no gallery', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const failed = await filigree('run', 'bad', '--json', '--backend', 'wasm');
    expect([failed.status, JSON.parse(failed.out)]).toMatchObject([1, { check: { passed: false } }]);
    expect((await filigree('run', 'none')).err).toContain('run/unknown-example');
    vi.stubEnv('FILIGREE_GALLERY', join(scratch, 'nowhere.mjs'));
    const none = await filigree('run', '--list', '--json');
    expect([none.status, JSON.parse(none.out)]).toMatchObject([1, { error: { code: 'run/no-gallery' } }]);
  });
});

describe('filigree inspect', () => {
  it('writes a page that needs nothing else', async () => {
    const out = join(scratch, 'report.html');
    const { status } = await filigree('inspect', "A'*A+A", '--bind', `A=${A}`, '--out', out, '--backend', 'wasm');
    expect(status).toBe(0);
    const html = readFileSync(out, 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(/(src|href)=/);
    for (const text of [
      "A'*A+A",
      'A: 16 × 16, 64 entries',
      `result: 16 × 16, ${squared(grid(4))} entries`,
      'Expression graph',
      'arith.',
      '(module',
    ])
      expect(html).toContain(text);
    for (const tag of ['section', 'table', 'svg', 'details', 'pre', 'figure'])
      expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
  });

  it('reports a gallery example', async () => {
    vi.stubEnv(
      'FILIGREE_GALLERY',
      scratchFile(
        'g2.mjs',
        `export const gallery = { one: { name: 'one', rows: [], summary: '', run: async () => ({ metrics: { weight: '<3' }, check: { passed: true }, ms: { run: 2 } }) } };`,
      ),
    );
    const out = join(scratch, 'example.html');
    expect((await filigree('inspect', 'one', '--out', out, '--backend', 'wasm')).status).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('&lt;3');
  });
});

describe('the machine', () => {
  it('without a C++ compiler runs on wasm, unless cpp is asked for', async () => {
    const env = { PATH: scratch, CXX: undefined, FILIGREE_CXX: undefined };
    const argv = ['expr', 'A*A', '--bind', `A=${A}`, '--json'];
    const [any, cpp] = await Promise.all([
      filigreeProcess(argv, env),
      filigreeProcess([...argv, '--backend', 'cpp'], env),
    ]);
    expect([any.status, JSON.parse(any.out)]).toMatchObject([0, { backend: 'wasm', check: { passed: true } }]);
    expect([cpp.status, JSON.parse(cpp.out)]).toMatchObject([1, { error: { code: 'runtime/backend' } }]);
    expect(cpp.err).toContain('no working C++ compiler');
  });

  it.runIf(workingBackends.includes('cpp'))('with a compiler that fails says so', async () => {
    vi.stubEnv('FILIGREE_CXX', scratch);
    const { status, out } = await filigree('expr', 'A*A', '--bind', `A=${A}`, '--json', '--backend', 'cpp');
    expect([status, (JSON.parse(out) as { error: { message: string } }).error.message]).toEqual([
      1,
      expect.stringContaining('toolchain/unusable'),
    ]);
  });

  it.each(workingBackends)('without a cache folder that can be written warns, and works on %s', async (backend) => {
    vi.stubEnv('FILIGREE_CACHE_DIR', join(A, 'below-a-file'));
    const { status, err } = await filigree('expr', 'A*A+2*A', '--bind', `A=${A}`, '--json', '--backend', backend);
    expect(status).toBe(0);
    expect(err).toContain('warning[cache/unwritable]');
  });
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cppProject,
  declareKernel,
  evaluateKernel,
  family,
  readMatrixFile,
  scalar,
  tensor,
  tensorKernel,
  type KernelDecl,
  type ProjectFile,
} from 'filigree';
import { runCommandLine } from 'filigree/command-line';

const runs = (command: string): boolean => spawnSync(command, ['--version']).status === 0;
const wanted = process.env['CI'] === 'true';
const cmake = wanted || (runs('cmake') && (runs('g++') || runs('c++')));
const fortran = wanted || runs('gfortran');

const scratch = mkdtempSync(join(tmpdir(), 'filigree-project-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const example = fileURLToPath(new URL('../cmake', import.meta.url));

const command = (name: string, ...args: string[]): string => {
  const done = spawnSync(name, args, { encoding: 'utf8' });
  expect(done.status, `${name} ${args.join(' ')}\n${done.stdout}\n${done.stderr}`).toBe(0);
  return done.stdout;
};

const build = (source: string, folder: string, ...settings: string[]): void => {
  command('cmake', '-S', source, '-B', folder, ...settings);
  command('cmake', '--build', folder, '-j', '2');
};

const write = (folder: string, files: readonly ProjectFile[]): void => {
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
};

describe.runIf(cmake)('a project of generated kernels', () => {
  it('is taken by C++, C and Fortran, and all come to what nested loops do', { timeout: 240_000 }, async () => {
    const [generated, folder] = [join(scratch, 'generated'), join(scratch, 'build')];
    const formula = 'Q[kp] += dt*K[kl]*I[lq]*A[qp]';
    const stiffness = join(example, 'stiffness.mtx');
    const status = await runCommandLine(
      [
        'einsum',
        formula,
        '--shape',
        'I=20,9',
        '--shape',
        'p=9',
        '--known',
        `K=${stiffness}`,
        '--layout',
        'Q=aligned',
      ].concat(['--name', 'volume', '--emit', generated, '--project', '--backend', 'wasm']),
      { out: () => undefined, err: () => undefined },
    );
    expect(status).toBe(0);
    build(example, folder, `-DGENERATED=${generated}`);
    command('ctest', '--test-dir', folder, '--output-on-failure');

    const { pattern, values } = await readMatrixFile(stiffness);
    const K = new Float64Array(400);
    for (let i = 0; i < 20; i++)
      for (let p = pattern.rowPtr[i]!; p < pattern.rowPtr[i + 1]!; p++) K[i + 20 * pattern.colIdx[p]!] = values[p]!;
    const decl = declareKernel(formula, { shapes: { I: [20, 9], p: 9, k: 20 } });
    const { Q } = evaluateKernel(
      decl,
      {
        K,
        I: Float64Array.from({ length: 180 }, (_, n) => 1 / (1 + (n % 20) + Math.floor(n / 20))),
        A: Float64Array.from({ length: 81 }, (_, n) => (n % 10 === 0 ? 2 : 0.5)),
      },
      { dt: 0.25 },
    );
    const expected = Q!.reduce((sum, x, n) => sum + ((n % 20) + 1) * x, 0);
    const programs = ['main_cpp', 'main_c', ...(fortran ? ['main_fortran'] : [])];
    for (const name of programs) {
      const [sum, nonzero, hardware] = command(join(folder, name)).trim().split(/\s+/).map(Number);
      expect(Math.abs(sum! - expected), name).toBeLessThan(1e-9 * Math.abs(expected));
      expect(nonzero, name).toBeGreaterThan(0);
      expect(hardware, name).toBeGreaterThanOrEqual(nonzero!);
    }
  });

  it('passes its own unit tests, which fail where a kernel is wrong', { timeout: 240_000 }, async () => {
    const folder = join(scratch, 'own');
    const files = await cppProject(kernels(), { name: 'dg', dtype: 'f32' });
    write(folder, files);
    build(folder, join(folder, 'build'));
    const tests = ['--test-dir', join(folder, 'build'), '--output-on-failure'];
    expect(command('ctest', ...tests)).toMatch(/100% tests passed, 0 tests failed out of 5/);

    const path = 'src/kernel/volume.cpp';
    const { contents } = files.find((f) => f.path === path)!;
    write(folder, [{ path, contents: contents.replace(/\bdt\);/, '2 * dt);') }]);
    command('cmake', '--build', join(folder, 'build'));
    const done = spawnSync('ctest', tests, { encoding: 'utf8' });
    expect(done.stdout).toMatch(/volume: relative difference \S+, FAILED/);
    expect(done.stdout).toMatch(/1 tests failed out of 5/);
  });

  it(
    'gives other names to what means something to a language, and passes its tests',
    { timeout: 240_000 },
    async () => {
      const folder = join(scratch, 'names');
      const of = (name: string) => tensor(name, [4, 4]);
      const [view, data, position, View] = [of('view'), of('data'), of('position'), of('View')];
      const [std, none, real, word] = [of('std'), of('NULL'), of('c_double'), of('namespace')];
      const [pi, underscored, upper, Data] = [of('M_PI'), of('namespace_'), of('DATA'), of('Data')];
      const files = await cppProject(
        [
          tensorKernel('std', view('ij').assign(data('ik').mul(position('kj')))),
          tensorKernel('names', none('ij').assign(std('ik').mul(real('kj')))),
          tensorKernel('kernel', View('ij').assign(word('ik').mul(data('kj')))),
          tensorKernel('linux', underscored('ij').assign(word('ik').mul(pi('kj')))),
          tensorKernel('Linux', upper('ij').assign(Data('ik').mul(data('kj')))),
        ],
        { name: 'names' },
      );
      expect(new Set(files.map((f) => f.path.toLowerCase())).size).toBe(files.length);
      write(folder, files);
      build(folder, join(folder, 'build'));
      expect(command('ctest', '--test-dir', join(folder, 'build'))).toMatch(
        /100% tests passed, 0 tests failed out of 5/,
      );
      if (fortran) command('gfortran', '-fsyntax-only', '-J', folder, join(folder, 'src/names.f90'));
    },
  );

  it(
    'compiles with all warnings as errors: tensors that store nothing, scalars of what is zero, loops that want no vectors',
    { timeout: 240_000 },
    async () => {
      const folder = join(scratch, 'warnings');
      const shapes = { C: [6, 6, 6, 6], B: [6], D: [6, 6] };
      const nothing = { shape: [6], bits: new Uint8Array(6) };
      const facts = { shapes, patterns: { B: nothing } };
      const files = await cppProject([declareKernel('T[ijl] = 3*C[illj] + s*B[i]*D[jl]', facts)], { name: 'zero' });
      expect(files.find((f) => f.path === 'src/kernel/einsum.cpp')!.contents).toContain('#pragma omp simd safelen(1)');
      write(folder, files);
      build(folder, join(folder, 'build'), '-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror');
      command('ctest', '--test-dir', join(folder, 'build'), '--output-on-failure');
    },
  );

  it('asks for what the next call reads, where it is told', async () => {
    const { decl: I } = tensor('I', [10, 4]);
    const files = await cppProject([{ ...kernels()[0]!, prefetch: [I] }], { name: 'dg' });
    const header = files.find((f) => f.path === 'include/dg/kernel/volume.h')!.contents;
    expect(header).toContain('const double* I = nullptr;\n  } prefetch;');
  });
});

/** Families, known values in all layouts, scalars, a sum of products, temporaries, a tensor of no dimensions. */
const kernels = (): readonly KernelDecl[] => {
  const known = (rows: number, columns: number, share: number): Float64Array =>
    Float64Array.from({ length: rows * columns }, (_, n) => ((n * 7919) % 100 < 100 * share ? ((n * 31) % 17) - 8 : 0));
  const stiffness = family('K', 2, (i) => ({
    shape: [10, 10],
    values: known(10, 10, 0.2),
    ...(i === 0 ? { layout: 'csc' as const } : {}),
  }));
  const star = family('star', 2, () => ({
    shape: [4, 4],
    pattern: { shape: [4, 4], bits: Uint8Array.from(known(4, 4, 0.4), (x) => (x === 0 ? 0 : 1)) },
  }));
  const [Q, I, norm] = [tensor('Q', [10, 4], { layout: 'aligned' }), tensor('I', [10, 4]), tensor('norm', [])];
  const flux = tensor('F', [10, 10, 2], { values: [...known(10, 20, 0.1)], layout: 'compressed' });
  const kept = { shape: [10, 4, 2], bits: Uint8Array.from(known(10, 8, 0.5), (x) => (x === 0 ? 0 : 1)) };
  const S = tensor('S', kept.shape, { pattern: kept, layout: 'compressed' });
  const volume = stiffness.map((K, d) => K('kl').mul(I('lq')).mul(star[d]!('qp'))).reduce((a, b) => a.add(b));
  const derivative = family('dQ', 3, () => ({ shape: [10, 4] }));
  return [
    tensorKernel('volume', Q('kp').accumulate(volume.scale(scalar('dt')))),
    tensorKernel(
      'derivative(1)',
      derivative[1]!('kp').assign(stiffness[0]!('lk').mul(derivative[0]!('lq')).mul(star[0]!('qp'))),
    ),
    tensorKernel(
      'derivative(2)',
      derivative[2]!('kp').assign(stiffness[1]!('lk').mul(derivative[1]!('lq')).mul(star[1]!('qp'))),
    ),
    /* Of a result that reaches beyond its pattern what lies within is kept. */
    tensorKernel('face', S('kpf').assign(flux('klf').mul(I('lp')).scale(scalar('area')))),
    /* Known factors side by side: their product is in the code. */
    tensorKernel('twice', I('kp').assign(stiffness[0]!('kl').mul(stiffness[1]!('lm')).mul(Q('mp')).scale(0.25))),
    tensorKernel('norm', norm('').assign(I('kp').mul(Q('kp')))),
  ];
};

import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compile } from 'filigree';
import { defaultCacheFolder, findToolchain } from '@filigree/backend/native';
import {
  filigree,
  filigreeProcess,
  folderWithCompiler,
  marketOf,
  refusal,
  scratch,
  scratchFile,
  startFiligree,
  workingBackends,
} from './support.js';

const A = scratchFile(
  'a.mtx',
  marketOf([
    [2, 1, 0],
    [0, 3, 1],
    [4, 0, 5],
  ]),
);
const product = (...more: string[]): string[] => ['expr', 'A*A', '--bind', `A=${A}`, ...more];

const toolchain = await findToolchain()();
const compiler = E.isRight(toolchain) ? toolchain.right.path : undefined;
const hasCompiler = workingBackends.includes('cpp');

/** A script that is the real compiler, but for the kernels, where it does something else. */
const failingOnKernels = (script: string): string =>
  `case "$*" in *kernels.cpp*) ${script};; esac\nPATH=${compiler && dirname(compiler)}:/usr/bin:/bin exec ${compiler} "$@"`;

/* Only this folder's programs are found, and nothing that was compiled before. */
const onlyIn = (folder: string): void => {
  vi.stubEnv('PATH', folder);
  vi.stubEnv('CXX', undefined);
  vi.stubEnv('FILIGREE_CXX', undefined);
  vi.stubEnv('FILIGREE_CACHE_DIR', join(folder, 'cache'));
};

afterEach(() => vi.unstubAllEnvs());

describe('without a C++ compiler', () => {
  it('programs run on wasm, and cpp is refused', async () => {
    const env = { PATH: scratch, CXX: undefined, FILIGREE_CXX: undefined };
    const any = await filigreeProcess(product('--json'), env);
    expect([any.status, JSON.parse(any.out)]).toMatchObject([0, { backend: 'wasm', check: { passed: true } }]);
    onlyIn(scratch);
    const error = await refusal(...product('--backend', 'cpp'));
    expect(error.code).toBe('runtime/backend');
    expect(error.message).toContain('no working C++ compiler');
  });
});

describe('with a compiler that', () => {
  it.each([
    ['always fails', 'echo no way >&2; exit 1', 'no way'],
    ['is killed', 'kill -9 $$', 'SIGKILL'],
  ])('%s, programs run on wasm, and cpp is refused with the reason', async (what, script, reason) => {
    onlyIn(folderWithCompiler(what, script));
    const any = await filigree(...product('--json'));
    expect([any.status, JSON.parse(any.out)]).toMatchObject([0, { backend: 'wasm' }]);
    const error = await refusal(...product('--backend', 'cpp'));
    expect(error.code).toBe('runtime/backend');
    expect(error.message).toContain(reason);
  });

  it.runIf(hasCompiler).each([
    ['fails on the kernels', 'echo "kernels.cpp:1:1: error: too hard" >&2; exit 1', 'cpp/compile', 'too hard'],
    ['is killed on the kernels', 'kill -9 $$', 'cpp/killed', 'SIGKILL'],
    [
      'writes garbage',
      'for a in "$@"; do [ "$last" = -o ] && echo garbage > "$a"; last=$a; done; exit 0',
      'load/library',
      'cannot be opened',
    ],
  ])('%s, says so', async (what, script, code, reason) => {
    onlyIn(folderWithCompiler(what, failingOnKernels(script)));
    const error = await refusal(...product());
    expect(error.code).toBe(code);
    expect(error.message).toContain(reason);
  });

  it.runIf(hasCompiler)('was named and does not work, says so', async () => {
    vi.stubEnv('FILIGREE_CXX', scratch);
    expect((await refusal(...product('--backend', 'cpp'))).message).toContain('toolchain/unusable');
  });
});

describe('without a folder for temporary files', () => {
  it.runIf(hasCompiler)('the compiler keeps its own beside what it writes', async () => {
    vi.stubEnv('FILIGREE_CACHE_DIR', join(scratch, 'kept'));
    const argv = product('--json', '--backend', 'cpp');
    expect((await filigree(...argv)).status).toBe(0);
    /* It exists, and nobody can write there. */
    vi.stubEnv('TMPDIR', '/proc');
    const other = await filigree(...argv, '--dtype', 'f32');
    expect([other.status, JSON.parse(other.out)]).toMatchObject([0, { dtype: 'f32', check: { passed: true } }]);
  });
});

describe.each(workingBackends)('a cache folder that is named from where one stands, on %s', (backend) => {
  const keeps = async (folder: string, from: string): Promise<void> => {
    const { status, out, err } = await filigree(...product('--json', '--backend', backend, '--threads', '3'));
    expect([status, JSON.parse(out), err]).toMatchObject([
      0,
      { check: { passed: true } },
      expect.not.stringContaining('warning'),
    ]);
    expect(readdirSync(join(from, folder))).not.toEqual([]);
  };

  it('holds what compilers write in folders of their own', async () => {
    const folder = join(relative(process.cwd(), scratch), `relative-${backend}`);
    vi.stubEnv('FILIGREE_CACHE_DIR', folder);
    await keeps(folder, process.cwd());
  });

  it('holds for folders of temporary files', async () => {
    vi.stubEnv('TMPDIR', relative(process.cwd(), scratch));
    const { status, out } = await filigree(...product('--json', '--backend', backend, '--threads', '4', '--no-cache'));
    expect([status, JSON.parse(out)]).toMatchObject([0, { check: { passed: true } }]);
  });
});

describe('without a home folder', () => {
  it('nothing is kept where one happens to stand', () => {
    vi.stubEnv('HOME', '');
    expect(isAbsolute(defaultCacheFolder({}))).toBe(true);
  });
});

describe.each(workingBackends)('without a cache folder that can be written, on %s', (backend) => {
  it('commands work and warn', async () => {
    vi.stubEnv('FILIGREE_CACHE_DIR', join(A, 'below-a-file'));
    const { status, err } = await filigree(...product('--json', '--backend', backend));
    expect(status).toBe(0);
    expect(err).toContain('warning[cache/unwritable]');
    expect(err).toContain('remedy:');
    const module = scratchFile(
      `${backend}.mjs`,
      'export const p = { inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] * x[1] }) };',
    );
    expect((await filigree('compile', module, '--backend', backend)).err).toContain('warning[cache/unwritable]');
  });

  it('programs compile and hold the warning', async () => {
    const p = await compile(
      { inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] - x[1] }) },
      { backend, cache: join(A, 'below-a-file') },
    );
    expect(p.warnings.map((w) => w.code)).toEqual(['cache/unwritable']);
    p.dispose();
  });
});

describe('Ctrl-C', () => {
  it('stops a trace at once', async () => {
    const n = 20_000;
    const entries = Array.from({ length: 9 * n }, (_, t) => `${(t % n) + 1} ${((t * 7919) % n) + 1} 1`);
    const large = scratchFile(
      'large.mtx',
      `%%MatrixMarket matrix coordinate real general\n${n} ${n} ${9 * n}\n${entries.join('\n')}\n`,
    );
    const argv = ['expr', 'A^3', '--bind', `A=${large}`, '--json', '--backend', 'wasm'];
    const { status, signal, out } = await filigreeProcess(argv, {}, 'tracing');
    expect(signal ?? status).toEqual('SIGINT');
    expect(out).toBe('');
  });

  it.runIf(hasCompiler)('stops a compilation', async () => {
    const started = join(scratch, 'started');
    const folder = folderWithCompiler('slow', failingOnKernels(`: > ${started}; PATH=/usr/bin:/bin exec sleep 3`));
    const env = { PATH: folder, CXX: undefined, FILIGREE_CXX: undefined, FILIGREE_CACHE_DIR: join(folder, 'cache') };
    const child = startFiligree(product('--json'), env);
    let out = '';
    child.stdout.on('data', (d: Buffer) => (out += d.toString()));
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await vi.waitUntil(() => existsSync(started), { timeout: 30_000 });
    child.kill('SIGINT');
    expect([await ended, out]).toEqual([130, '']);
    const entries = readdirSync(join(folder, 'cache')).filter((entry) => !entry.startsWith('.'));
    const finished = entries.filter((entry) => !existsSync(join(folder, 'cache', entry, 'toolchain.json')));
    expect(finished).toEqual([]);
  });
});

describe('a reader that goes away', () => {
  it('is no error', async () => {
    const child = startFiligree(product('--json', '--backend', 'wasm'));
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (d: Buffer) => (err += d.toString()));
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect([status, err.replaceAll(/^filigree: .*\n/gm, '')]).toEqual([0, '']);
  });
});

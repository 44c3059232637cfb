import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findToolchain, instructionSet, instructionSets } from '@filigree/backend/native';

/** A folder of shell scripts that stand in for compilers. They need a PATH of their own for sh and touch. */
const compilers = (scripts: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

/* Says `version`, refuses the flags in `lacks`, else succeeds. */
const fake = (version: string, ...lacks: readonly string[]): string =>
  `case "$*" in *--version*) echo '${version}'; exit 0;; ${lacks.map((f) => `*${f}*) echo "unknown ${f}" >&2; exit 1;;`).join(' ')} esac\nfor a; do out=$a; done; : > "$out"; exit 0`;

const find = async (env: Record<string, string>, compiler?: string) =>
  findToolchain({ env, cache: false, ...(compiler === undefined ? {} : { compiler }) })();

describe('the search for a compiler', () => {
  it('takes the option before FILIGREE_CXX before CXX before PATH', async () => {
    const folder = compilers({ one: fake('one 1'), two: fake('two 2'), three: fake('three 3'), 'g++': fake('g++ 4') });
    const at = (name: string): string => join(folder, name);
    const env = { PATH: folder, FILIGREE_CXX: at('two'), CXX: at('three') };
    expect(await find(env, at('one'))).toMatchObject({ right: { version: 'one 1' } });
    expect(await find(env)).toMatchObject({ right: { version: 'two 2' } });
    expect(await find({ ...env, FILIGREE_CXX: '' })).toMatchObject({ right: { version: 'three 3' } });
    expect(await find({ PATH: folder })).toMatchObject({ right: { version: 'g++ 4', path: at('g++') } });
  });

  it('takes a path with spaces in it as one, with arguments behind it or none', async () => {
    const folder = compilers({ 'my own g++': fake('own 1'), launcher: fake('launched 2'), 'g++': fake('g++ 3') });
    const own = join(folder, 'my own g++');
    expect(await find({ PATH: folder, FILIGREE_CXX: own })).toMatchObject({ right: { version: 'own 1', path: own } });
    expect(await find({ PATH: folder, FILIGREE_CXX: `${own} -m64` })).toMatchObject({ right: { version: 'own 1' } });
    expect(await find({ PATH: folder, FILIGREE_CXX: 'launcher g++' })).toMatchObject({
      right: { version: 'launched 2' },
    });
    expect(await find({ PATH: folder, FILIGREE_CXX: `${own}s` })).toMatchObject({
      left: [{ code: 'toolchain/unusable' }],
    });
  });

  it('looks for a compiler of C by the names of those', async () => {
    const folder = compilers({ one: fake('one 1'), two: fake('two 2'), gcc: fake('gcc 3'), 'g++': fake('g++ 4') });
    const at = (name: string): string => join(folder, name);
    const env = { PATH: folder, FILIGREE_CXX: at('g++'), CXX: at('g++') };
    const findC = (more: Record<string, string>) =>
      findToolchain({ language: 'c', env: { ...env, ...more }, cache: false })();
    expect(await findC({ FILIGREE_CC: at('one'), CC: at('two') })).toMatchObject({ right: { version: 'one 1' } });
    expect(await findC({ CC: at('two') })).toMatchObject({ right: { version: 'two 2' } });
    expect(await findC({})).toMatchObject({ right: { version: 'gcc 3' } });
    expect(await findC({ PATH: '' })).toMatchObject({
      left: [{ code: 'toolchain/missing', remedy: expect.stringContaining('FILIGREE_CC') as string }],
    });
  });

  it('prefers the newest clang with a version in its name, and a compiler with OpenMP', async () => {
    const both = compilers({
      'clang++-19': fake('clang version 19'),
      'clang++-20': fake('clang version 20'),
      'g++': fake('g++ 12'),
    });
    expect(await find({ PATH: both })).toMatchObject({
      right: { version: 'clang version 20', family: 'clang', openmp: true },
    });
    const without = compilers({ 'clang++-19': fake('clang version 19', '-fopenmp'), 'g++': fake('g++ 12') });
    expect(await find({ PATH: without })).toMatchObject({ right: { version: 'g++ 12', family: 'gcc' } });
    const alone = compilers({ 'clang++': fake('Apple clang version 16', '-fopenmp') });
    expect(await find({ PATH: alone })).toMatchObject({ right: { openmp: false, target: ['-march=native'] } });
  });

  it('notes what a compiler lacks', async () => {
    const folder = compilers({ 'g++': fake('g++ 4', '-march=native') });
    expect(await find({ PATH: folder })).toMatchObject({ right: { openmp: true, target: [] } });
  });

  it('is not made again by another process, for compilers that lack something either, until that may have been installed', async () => {
    const libraries = compilers({});
    const seen = join(compilers({}), 'seen');
    const noted = (version: string, ...lacks: readonly string[]): string =>
      `echo "$0" >> ${seen}; case "$*" in *-print-search-dirs*) echo 'libraries: =/nowhere:${libraries}'; exit 0;; esac; ${fake(version, ...lacks)}`;
    const folder = compilers({ 'clang++-19': noted('clang version 19', '-fopenmp'), 'g++': noted('g++ 12') });
    const cache = compilers({});
    const text = `
      const { findToolchain } = await import('@filigree/backend/native');
      const [folder, cache] = process.argv.slice(1);
      console.log(JSON.stringify((await findToolchain({ env: { PATH: folder }, cache })()).right.version));`;
    const search = (): { readonly version: string; readonly calls: number } => {
      writeFileSync(seen, '');
      const args = [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), '--input-type=module', '-e', text];
      const done = spawnSync(process.execPath, [...args, folder, cache], { cwd: new URL('..', import.meta.url) });
      const calls = readFileSync(seen, 'utf8').split('\n').length - 1;
      return { version: JSON.parse(String(done.stdout)) as string, calls };
    };
    const first = search();
    expect(first.version).toBe('g++ 12');
    expect(first.calls).toBeGreaterThan(3);
    expect(search()).toEqual({ version: 'g++ 12', calls: 0 });
    writeFileSync(join(libraries, 'libomp.so'), '');
    expect(search().calls).toBeGreaterThan(0);
    expect(search()).toEqual({ version: 'g++ 12', calls: 0 });
  });

  it('makes code for what FILIGREE_TARGET names, or refuses', async () => {
    const [name] = instructionSets();
    const { flags } = instructionSet({ FILIGREE_TARGET: name });
    const able = compilers({ 'g++': fake('g++ 12') });
    const found = await find({ PATH: able, FILIGREE_TARGET: name });
    expect(found).toMatchObject({ right: { target: flags, cpu: expect.stringMatching(`-${name}$`) as string } });
    const best = instructionSet({});
    const tuned = (nth: number): readonly string[] => [...best.flags, ...best.tuning.slice(nth, nth + 1)];
    expect(await find({ PATH: able })).toMatchObject({ right: { target: tuned(0) } });
    const later = compilers({ 'g++': fake('g++ 13', ...best.tuning.slice(0, 1).map((flag) => `${flag}\\ `)) });
    expect(await find({ PATH: later })).toMatchObject({ right: { target: tuned(1) } });
    const other = compilers({ 'clang++': fake('clang version 15') });
    expect(await find({ PATH: other })).toMatchObject({ right: { target: best.flags } });
    expect(await find({ PATH: able, FILIGREE_TARGET: 'mmx' })).toMatchObject({ left: [{ code: 'toolchain/target' }] });
    const old = compilers({ 'g++': fake('g++ 4', ...flags) });
    expect(await find({ PATH: old, FILIGREE_TARGET: name })).toMatchObject({
      left: [{ message: expect.stringContaining('which FILIGREE_TARGET asks for') as string }],
    });
  });

  it('passes on the arguments of a command', async () => {
    const folder = compilers({ ccache: fake('g++ 12') });
    expect(await find({ PATH: folder, CXX: 'ccache g++' })).toMatchObject({
      right: { path: join(folder, 'ccache'), args: ['g++'] },
    });
  });

  it('says what to do when there is none', async () => {
    expect(await find({ PATH: compilers({}) })).toMatchObject({
      left: [{ code: 'toolchain/missing', remedy: expect.stringContaining('apt install g++') as string }],
    });
  });

  it('passes over one that hangs, and one that writes nothing', async () => {
    const hangs = compilers({ 'g++': 'sleep 1000' });
    const found = await findToolchain({ env: { PATH: hangs }, limitMs: 200, cache: false })();
    expect(found).toMatchObject({
      left: [{ code: 'toolchain/missing', message: expect.stringContaining('does not answer within 0.2 s') as string }],
    });
    const idle = compilers({ 'g++': 'echo garbage; exit 0' });
    expect(await find({ PATH: idle })).toMatchObject({
      left: [{ code: 'toolchain/missing', message: expect.stringContaining('writes no file') as string }],
    });
  });

  it('names the one that was asked for and does not work, and looks no further', async () => {
    const folder = compilers({
      broken: 'echo "bad install" >&2; exit 2',
      useless: fake('x 1', 'probe.cpp'),
      'g++': fake('g++ 12'),
    });
    const broken = await find({ PATH: folder, CXX: join(folder, 'broken') });
    expect(broken).toMatchObject({
      left: [{ code: 'toolchain/unusable', message: expect.stringMatching(/^CXX names .*bad install/) as string }],
    });
    const useless = await find({ PATH: folder }, 'useless');
    expect(useless).toMatchObject({
      left: [{ message: expect.stringContaining('cannot build a shared library') as string }],
    });
    expect(await find({ PATH: folder, FILIGREE_CXX: 'absent' })).toMatchObject({
      left: [{ message: expect.stringContaining('not on PATH') as string }],
    });
  });
});

/* A process starts others itself, or has them started where it is large. */
const SMALL = 0;
const LARGE = 256 << 20;

/** Starts a process that holds so many bytes and runs a module's text, of which `runProcess` and the arguments are known. */
const processOf = (bytes: number, text: string, ...args: string[]): ChildProcess => {
  const module = `
      const { runProcess } = await import('@filigree/backend/native');
      const [, ...args] = process.argv;
      globalThis.held = Buffer.alloc(${bytes}, 1);
      ${text}`;
  return spawn(
    process.execPath,
    [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), '--input-type=module', '-e', module, ...args],
    {
      cwd: new URL('..', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
};

describe.skipIf(process.platform === 'win32')('a compiler that runs', () => {
  it.each([
    ['SIGTERM', SMALL],
    ['SIGHUP', SMALL],
    ['SIGTERM', LARGE],
    ['SIGKILL', LARGE],
  ] as const)('ends with the process that %s ends, which holds %i bytes', async (signal, bytes) => {
    const file = join(compilers({}), 'pid');
    const child = processOf(
      bytes,
      `void runProcess('sh', ['-c', 'echo $$ > ' + args[0] + '; sleep 60; exit']);
      setInterval(() => {}, 1000);`,
      file,
    );
    const pid = await until(() => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0));
    expect(runs(pid)).toBe(true);
    const ended = new Promise((resolve) => child.on('exit', (_, by) => resolve(by)));
    child.kill(signal);
    expect(await ended).toBe(signal);
    await until(() => !runs(pid));
  });

  it.each([
    [SMALL, true],
    [LARGE, false],
  ])('tells how it ended, to a process that holds %i bytes', async (bytes, itself) => {
    const child = processOf(
      bytes,
      `const sh = (text, options) => runProcess('sh', ['-c', text], options);
      const env = { ...process.env, WORD: 'said' };
      const [parent, ...ends] = await Promise.all([
        sh('echo $PPID'),
        sh('pwd; echo $WORD; echo $WORD >&2; exit 3', { cwd: '/', env }),
        sh('sleep 60', { limitMs: 200 }),
        sh('kill -9 $$'),
        runProcess('/nowhere/cc', []),
      ]);
      console.log(JSON.stringify({ itself: Number(parent.stdout) === process.pid, ends }));`,
    );
    const said = await text(child.stdout!);
    expect(JSON.parse(said)).toEqual({
      itself,
      ends: [
        { stdout: '/\nsaid\n', stderr: 'said\n', status: 3 },
        { stdout: '', stderr: '', signal: 'SIGKILL', timedOut: true },
        { stdout: '', stderr: '', signal: 'SIGKILL' },
        { stdout: '', stderr: '', failure: 'ENOENT' },
      ],
    });
  });
});

/** What this gives at last that counts as true. */
const until = async <T>(found: () => T): Promise<T> => {
  for (;;) {
    const value = found();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

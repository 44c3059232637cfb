import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import koffi from 'koffi';
import type { Backend, CompileOptions, Sources } from '@filigree/backend';
import { type GpuMachine, gpuBackend } from '@filigree/backend/gpu';
import { cachedFile, contentHash, firstLines, locate, runProcess } from '@filigree/backend/native';
import {
  type MetalOptions,
  compileMetal,
  hostDefines,
  hostTexts,
  metalDriver,
  metalInPairs,
  metalLanguage,
} from '@filigree/backend-metal';
import { attempt, fail, orThrow } from '@filigree/ir';
import { compileForCpu, native } from './compile.js';
import { type Order, orderFlags } from './order.js';

/** Changes a text before it is compiled: of the host, of the stand-in, or of the driver. */
export type Change = (text: string, file: string) => string;

/** What stands in for Metal: the order of threads, and what is changed in its text or that of the host. */
export interface StandIn {
  readonly order?: Order;
  readonly change?: Change;
}

/**
 * The backend for Metal with its own host, between which and the CPU there is a stand-in of Metal: what is compiled, loaded, bound and waited for is what
 * a Mac would be asked for.
 */
export const metalByHost = (
  standIn?: StandIn,
  { limit, graphs = false, timed, doubles, ...options }: MetalOptions = {},
): Backend =>
  gpuBackend(
    doubles === 'pairs' ? metalInPairs : metalLanguage,
    { ...metalHostMachine(standIn, limit), graphs, timed },
    options,
  );

/** The machine of `metalByHost`, which gives up on kernels after so many seconds. */
export const metalHostMachine = ({ order = 'forward', change }: StandIn = {}, limit?: number): GpuMachine => {
  const opened: { host?: Promise<string> } = {};
  const host = (): Promise<string> => (opened.host ??= hostOnStandIn(order, change));
  return {
    compile: (sources, options) =>
      attempt(async () => {
        const artifact = orThrow(await compileMetal(sources, options)());
        await compileForStandIn(await host(), artifact.path!, sources, options);
        return artifact;
      }),
    driver: async () => metalDriver({ path: await host(), limit }),
    background: true,
    probe: () => Promise.resolve({ name: 'metal', usable: true, reason: '', toolchain: 'a stand-in on the CPU' }),
  };
};

/** Whether this machine has what compiles the host. */
export const hasObjectiveC = async (): Promise<boolean> => {
  const gcc = await locate('gcc', process.env['PATH'] ?? '');
  return gcc !== undefined && (await runProcess(gcc, [...OBJECTIVE_C, '-fsyntax-only', '/dev/null'])).status === 0;
};

const OBJECTIVE_C = ['-x', 'objective-c', '-std=gnu11'];

/** What is asked of the stand-in for each text that is to be a library: it finds what was compiled. */
export const compileForStandIn = async (
  host: string,
  artifact: string,
  sources: Sources,
  options?: CompileOptions,
): Promise<void> => {
  const text = (await readFile(artifact, 'utf8')).replace(/^MTLB\n/, '');
  const { file } = metalLanguage;
  const files = sources.files.map((f) => (f.name === file ? { ...f, contents: text } : f));
  const { cache } = options ?? {};
  const built = await compileForCpu(metalLanguage, 'metal_stdlib')(
    { ...sources, files },
    cache === undefined ? {} : { cache },
  )();
  const found = built._tag === 'Right' ? [built.right.path!, ''] : ['', built.left.map((d) => d.message).join('\n')];
  koffi.load(host).func('filigree_compiled', 'int', ['str', 'str', 'str'])(text, ...found);
};

/** The file of the host over the stand-in. */
export const hostOnStandIn = async (order: Order, change?: Change): Promise<string> => {
  const gcc =
    (await locate('gcc', process.env['PATH'] ?? '')) ??
    fail('shims/objective-c', 'there is no gcc on PATH', { remedy: 'install gcc, g++ and gobjc' });
  const given = {
    'driver.cpp': await readFile(join(native, 'driver.cpp'), 'utf8'),
    'foundation.m': await readFile(join(native, 'metal/foundation.m'), 'utf8'),
    'metal.m': await readFile(join(native, 'metal/metal.m'), 'utf8'),
    ...(await hostTexts()),
  };
  const texts = Object.fromEntries(
    Object.entries(given).map(([file, text]) => [file, change ? change(text, file) : text]),
  );
  const compiled = Object.keys(texts).filter((file) => !file.endsWith('.h'));
  const headers = [
    'launch.hpp',
    'metal/classes.h',
    'metal/stand-in.h',
    'metal/Foundation/Foundation.h',
    'metal/Metal/Metal.h',
  ];
  const { stdout: version } = await runProcess(gcc, ['--version']);
  const strict = change ? [] : ['-Wall', '-Wextra', '-Werror'];
  const common = ['-O1', '-g1', '-fPIC', ...strict, `-I${native}`, `-I${join(native, 'metal')}`];
  /* The classes stay known when the library is closed. */
  const linked = ['-shared', '-Wl,-z,nodelete'];
  const key = contentHash(
    ...['metal-stand-in', version, ...linked, ...orderFlags(order), ...common, ...hostDefines, ...Object.values(texts)],
    ...(await Promise.all(headers.map((h) => readFile(join(native, h), 'utf8')))),
  );
  /* Classes have names that only this build has. */
  const defines = [...orderFlags(order), ...hostDefines, `-DFILIGREE_BUILD=b${key.slice(0, 16)}`];
  const { path } = await cachedFile({
    key,
    file: 'metal.so',
    build: async (into) => {
      const run = async (...args: readonly string[]): Promise<void> => {
        const done = await runProcess(gcc, args, { cwd: dirname(into) });
        if (done.status !== 0) fail('shims/compile', `${gcc} failed:\n${firstLines(done.stderr, 20)}`);
      };
      for (const [file, contents] of Object.entries(texts)) await writeFile(join(dirname(into), file), contents);
      for (const file of compiled) {
        const language = file.endsWith('.m') ? OBJECTIVE_C : ['-std=c++17'];
        await run(...language, ...common, ...defines, '-c', file, '-o', `${file}.o`);
      }
      const objects = compiled.map((f) => `${f}.o`);
      await run(...linked, ...objects, '-o', into, '-lobjc', '-lstdc++', '-ldl', '-lm');
    },
  });
  return path;
};

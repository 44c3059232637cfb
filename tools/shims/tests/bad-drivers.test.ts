import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findToolchain } from '@filigree/backend/native';
import type { Executable } from '@filigree/backend';
import { type DriverOptions, gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { cudaDriver, cudaLanguage } from '@filigree/backend-cuda';
import { hipDriver } from '@filigree/backend-hip';
import { orThrow } from '@filigree/ir';
import { afterEach, describe, expect, it } from 'vitest';
import { compileForCpu, native, sharedLibrary } from '../src/compile.js';
import { counting } from './counting.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const text = readFileSync(join(native, 'driver.cpp'), 'utf8');

/* A driver in which a call does nothing but give a result, as `FORCED` says: `cuInit=100`. */
const FORCED = 'FILIGREE_FORCED_RESULT';
const forced = `
static int forced(const char* name) {
  const char* said = getenv("${FORCED}");
  const size_t length = strlen(name);
  return said != nullptr && strncmp(said, name, length) == 0 && said[length] == '=' ? atoi(said + length + 1) : 0;
}

extern "C" {`;
const faulty = text
  .replace('\nextern "C" {', forced)
  .replace(/^int ((?:cu|hip)\w+)(\([^\n]*?\)) \{/gm, 'int $1$2 { if (const int result = forced("$1")) return result;');

const pathOf = async (source: string): Promise<string> => (await sharedLibrary('driver', source)).path;

afterEach(() => void delete process.env[FORCED]);

const loaded = async (options: DriverOptions): Promise<Executable> => {
  const opened: { driver?: ReturnType<typeof cudaDriver> } = {};
  const probe = () => Promise.resolve({ name: 'cuda', usable: true, reason: '', toolchain: '' });
  const backend = gpuBackend(cudaLanguage, {
    compile: compileForCpu(cudaLanguage, 'cuda.hpp'),
    driver: () => (opened.driver ??= cudaDriver(options)),
    probe,
  });
  const legal = orThrow(backend.legalize.run(counting()));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  return orThrow(await backend.load!(artifact, legal)());
};

describe('where there is no driver', () => {
  it.each([
    ['cuda', cudaDriver],
    ['hip', hipDriver],
  ] as const)('%s says which file is missing, and a probe says so too', async (name, open) => {
    const path = '/nowhere/libdriver.so';
    await expect(open({ path })).rejects.toThrow(new RegExp(`${name}/driver.*/nowhere/libdriver\\.so.*remedy`, 's'));
    const said = await probeGpu(
      name,
      () => open({ path }),
      () => Promise.resolve({ version: '' }),
    );
    expect(said).toMatchObject({ usable: false, reason: expect.stringContaining(`${name}/driver`) as string });
  });
});

describe.skipIf(!usable)('a driver', () => {
  it.each<readonly [what: string, name: string, result: number, said: RegExp]>([
    ['without a device', 'cuInit', 100, /cuda\/driver.*there is no device/s],
    ['older than the toolchain', 'cuInit', 35, /cuda\/call.*older than the toolchain.*newer driver/s],
    ['whose device another process keeps', 'cuDevicePrimaryCtxRetain', 46, /cuda\/driver.*another process/s],
    ['without room', 'cuMemAlloc_v2', 2, /cuda\/call.*out of memory.*smaller buffers/s],
    ['that is too old for the kernels', 'cuModuleLoad', 222, /cuda\/call.*too old for the kernels/s],
  ])('%s is a diagnostic', async (_, name, result, said) => {
    process.env[FORCED] = `${name}=${result}`;
    await expect(pathOf(faulty).then((path) => loaded({ path }))).rejects.toThrow(said);
  });

  it.runIf(process.platform === 'linux')('stays loaded when nobody has it any more', async () => {
    const path = await pathOf(`${text}\n// of its own`);
    const isLoaded = (): boolean => readFileSync('/proc/self/maps', 'utf8').includes(path);
    expect(isLoaded()).toBe(false);
    await cudaDriver({ path });
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 3; round++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(isLoaded()).toBe(true);
  });

  it('that lacks a call is a diagnostic', async () => {
    const path = await pathOf(text.replace('cuMemAlloc_v2(', 'gone('));
    await expect(loaded({ path })).rejects.toThrow(/cuda\/driver.*no call cuMemAlloc_v2.*newer driver/s);
  });

  it.each<readonly [what: string, result: number, said: RegExp]>([
    ['touched what is not its own', 700, /touched memory that is not its own.*checked/s],
    ['ran into the limit of the system', 702, /a kernel ran too long/],
    ['failed', 719, /a kernel failed on the device.*checked/s],
    ['did what nobody knows', 999, /error 999/],
  ])('that says of a kernel that it %s is a diagnostic', async (_, result, said) => {
    const x = await loaded({ path: await pathOf(faulty) });
    process.env[FORCED] = `cuStreamSynchronize=${result}`;
    expect(() => x.launch('add', [])).toThrow(said);
    x.dispose();
  });

  it('is given up on where a kernel takes too long, if that is asked for', async () => {
    const x = await loaded({ path: await pathOf(faulty), limit: 0.05 });
    x.launch('add', []);
    expect([...x.buffer('x').read()]).toEqual(Array(8).fill(1));
    expect(() => x.launch('long', [])).toThrow(/cuda\/limit.*not done after 0.05 s.*does not end/s);
    await expect(x.launchAsync('add', [])).rejects.toThrow(/cuda\/limit/);
    expect(() => x.buffer('x').read()).toThrow(/cuda\/limit/);
    x.dispose();
  });
});

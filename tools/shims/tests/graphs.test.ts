import { describe, expect, it } from 'vitest';
import type { Executable } from '@filigree/backend';
import { type GpuDriver, type GpuLanguage, type GpuMachine, gpuBackend } from '@filigree/backend/gpu';
import { cudaDriver, cudaLanguage } from '@filigree/backend-cuda';
import { metalLanguage } from '@filigree/backend-metal';
import { findToolchain } from '@filigree/backend/native';
import { type Module, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { native, sharedLibrary } from '../src/compile.js';
import { cudaMachine, hasObjectiveC, metalHostMachine } from '../src/index.js';

/* Of the tier `toolchain`. */
const required = process.env['CI'] === 'true';
const usable = (await findToolchain()())._tag === 'Right' || required;
const devices: readonly (readonly [string, GpuLanguage, GpuMachine, boolean])[] = [
  ['cuda', cudaLanguage, cudaMachine('forward'), usable],
  ['metal', metalLanguage, metalHostMachine(), (await hasObjectiveC()) || required],
];

const buffers = [declareBuffer('x', 'i32', 700, 'inout')];

/** Adds a number to each element, so often, and doubles them all. */
const module: Module = makeModule('graphs', buffers, [
  buildKernel(
    'add',
    { by: 'i32', often: 'i32' },
    (b, { by, often }) =>
      void b.for(b.i32(0), often, b.i32(1), {}, [], () =>
        b.for(b.i32(0), b.i32(700), b.i32(1), { parallel: true }, [], (n) =>
          b.store('x', b.add(b.load('x', n), by), n),
        ),
      ),
    buffers,
  ),
  buildKernel(
    'double',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(700), b.i32(1), { parallel: true }, [], (n) =>
        b.store('x', b.mul(b.load('x', n), b.i32(2)), n),
      ),
    buffers,
  ),
]);

interface Counts {
  launches: number;
  graphs: number;
  begun: number;
}

/** The machine, and how often what is asked of it. */
const counted = (
  machine: GpuMachine,
  counts: Counts,
  change: (driver: GpuDriver) => GpuDriver = (d) => d,
): GpuMachine => {
  const driver = async (): Promise<GpuDriver> => {
    const d = change(await machine.driver!());
    return {
      ...d,
      launch: (...args) => {
        counts.launches++;
        d.launch(...args);
      },
      ...(d.graph
        ? {
            graph: (begin) => {
              counts.graphs++;
              const graph = d.graph!(begin);
              return {
                close: graph.close,
                begin: () => {
                  counts.begun++;
                  graph.begin();
                },
              };
            },
          }
        : {}),
    };
  };
  return { ...machine, driver, graphs: true };
};

const loaded = async (language: GpuLanguage, machine: GpuMachine): Promise<Executable> => {
  const backend = gpuBackend(language, machine);
  const legal = orThrow(backend.legalize.run(module));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  return orThrow(await backend.load!(artifact, legal)());
};

const contents = (x: Executable): number => {
  const { block, offset } = x.buffer('x');
  const seen = new Int32Array(1);
  x.memory.read(block, offset + 4 * 699, seen);
  return seen[0]!;
};

describe.each(devices)('a list of launches that runs again on %s', (_, language, machine, here) => {
  it.skipIf(!here)('is a graph from the second time on, until its arguments change', async () => {
    const counts: Counts = { launches: 0, graphs: 0, begun: 0 };
    const x = await loaded(language, counted(machine, counts));
    const list = x.commands([
      { kernel: 'add', args: [1, 3] },
      { kernel: 'double', args: [] },
    ]);
    let want = 0;
    const run = (by: number, often: number): void => {
      list.run();
      want = (want + by * often) * 2;
      expect(contents(x)).toBe(want);
    };
    run(1, 3);
    const once = counts.launches;
    expect(once).toBeGreaterThan(4);
    expect(counts.graphs).toBe(0);
    run(1, 3);
    run(1, 3);
    await list.runAsync();
    want = (want + 3) * 2;
    expect(contents(x)).toBe(want);
    expect(counts).toEqual({ launches: 2 * once, graphs: 1, begun: 3 });
    list.set(0, [5, 2]);
    run(5, 2);
    run(5, 2);
    expect(counts.graphs).toBe(2);
    x.dispose();
  });

  it.skipIf(!here)('is refused by name where the driver knows no graphs', async () => {
    const none = ({ graph: _, ...driver }: GpuDriver): GpuDriver => driver;
    const x = await loaded(language, counted(machine, { launches: 0, graphs: 0, begun: 0 }, none));
    const list = x.commands([{ kernel: 'double', args: [] }]);
    list.run();
    expect(() => list.run()).toThrow(/gpu\/graphs.*keeps no launches as graphs/s);
    x.dispose();
  });
});

describe.skipIf(!usable)('a driver that lacks a call for graphs', () => {
  it('is refused by the name of it', async () => {
    const text = readFileSync(join(native, 'driver.cpp'), 'utf8').replace(/cuGraphLaunch/g, 'gone');
    const driver = await cudaDriver({ path: (await sharedLibrary('driver', text)).path });
    expect(() => driver.graph!(() => undefined)).toThrow(/cuda\/graphs.*no call cuGraphLaunch/s);
  });
});

import type { Executable } from '@filigree/backend';
import { type GpuDriver, type GpuLanguage, type GpuMachine, type LaunchTime, gpuBackend } from '@filigree/backend/gpu';
import { cudaDriver, cudaLanguage } from '@filigree/backend-cuda';
import { hipDriver, hipLanguage } from '@filigree/backend-hip';
import { metalLanguage } from '@filigree/backend-metal';
import { conformancePrograms } from '@filigree/conformance';
import { findToolchain } from '@filigree/backend/native';
import { type Module, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { type Grid1, dense, field, i, kernel, layout, program, range } from 'filigree';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { native, sharedLibrary } from '../src/compile.js';
import { type Order, cudaMachine, hasObjectiveC, hipMachine, metalHostMachine } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const SHORT = 256;
const LONG = 1 << 20;
const buffers = [declareBuffer('x', 'f32', SHORT, 'inout'), declareBuffer('y', 'f32', LONG, 'inout')];

/** Two loops, of which the second does some thousand times as much. */
const module: Module = makeModule('timed', buffers, [
  buildKernel(
    'both',
    {},
    (b) => {
      for (const { name, length } of buffers)
        b.for(b.i32(0), b.i32(length), b.i32(1), { parallel: true }, [], (n) =>
          b.store(name, b.add(b.load(name, n), b.constant(1, 'f32')), n),
        );
    },
    buffers,
  ),
]);

const loaded = async (language: GpuLanguage, machine: GpuMachine, of = module): Promise<Executable> => {
  const backend = gpuBackend(language, machine);
  const legal = orThrow(backend.legalize.run(of));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  return orThrow(await backend.load!(artifact, legal)());
};

const devices: readonly (readonly [string, GpuLanguage, (order: Order) => GpuMachine, boolean])[] = [
  ['cuda', cudaLanguage, cudaMachine, usable],
  ['hip', hipLanguage, hipMachine, usable],
  [
    'metal',
    metalLanguage,
    (order) => metalHostMachine({ order }),
    (await hasObjectiveC()) || process.env['CI'] === 'true',
  ],
];

describe.each(devices)('launches on %s', (_, language, machine, here) => {
  it.skipIf(!here)('are told what they took, in order, whichever way they are run', async () => {
    const told: LaunchTime[] = [];
    const x = await loaded(language, { ...machine('forward'), graphs: true, timed: (t) => told.push(t) });
    const list = x.commands([{ kernel: 'both', args: [] }]);
    const runs = [() => x.run(), () => x.runAsync(), () => list.run(), () => list.run()];
    const took: (readonly [number, number])[] = [];
    for (const run of runs) {
      const began = performance.now();
      await run();
      const [short, long, ...more] = told.splice(0);
      const wall = performance.now() - began;
      expect(more).toEqual([]);
      expect(short).toMatchObject({ kernel: 'both', function: 'filigree_kernel_both_0', blocks: 1, threads: 256 });
      expect(long).toMatchObject({ kernel: 'both', function: 'filigree_kernel_both_1', threads: 256 });
      expect(long!.blocks).toBeGreaterThan(1);
      expect(short!.ms).toBeGreaterThan(0);
      expect(short!.ms + long!.ms).toBeLessThan(wall);
      took.push([short!.ms, long!.ms]);
    }
    // A machine that does other things may stop any one launch for long, but hardly the short one each time.
    const least = (which: 0 | 1): number => Math.min(...took.map((t) => t[which]));
    expect(least(1)).toBeGreaterThan(least(0));
    expect(x.buffer('x').read()[0]).toBe(runs.length);
    x.dispose();
  });
});

describe.skipIf(!usable)('a team', () => {
  const { module: tiles } = conformancePrograms().find((p) => p.name === 'tiles reversed by teams')!;
  const size = tiles.buffers.find((b) => b.role === 'scratch')!.length;

  it.each([
    [32, 'cuda', cudaLanguage, cudaMachine],
    [32, 'hip', { ...hipLanguage, warp: 32 }, hipMachine],
    [64, 'hip', hipLanguage, hipMachine],
  ] as const)('is of whole warps of %d on %s', async (warp, _, language, machine) => {
    const told: LaunchTime[] = [];
    const x = await loaded(language, { ...machine('forward'), timed: (t) => told.push(t) }, tiles);
    x.run();
    expect(told.map((t) => t.threads)).toEqual([Math.ceil(size / warp) * warp]);
    x.dispose();
  });

  it('has threads that would not be there with another width', () => {
    expect(Math.ceil(size / 64) * 64).not.toBe(Math.ceil(size / 32) * 32);
  });
});

describe.skipIf(!usable)('who asks what launches take', () => {
  it('is told of a program of fields', async () => {
    const told: LaunchTime[] = [];
    const backend = gpuBackend(cudaLanguage, { ...cudaMachine('forward'), timed: (t) => told.push(t) });
    const u = field('u', 'f32');
    const step = kernel([u], (u: Grid1) => {
      for (const n of range(1000)) u[n] += 1;
    });
    const sim = await program({ layout: layout(dense(i, 1000).place(u)), kernels: { step }, backend });
    sim.run.step();
    sim.fields.u.get([0]);
    expect(told.map((t) => t.kernel)).toContain('step');
    sim.dispose();
  });

  it('is refused by name where the driver has no clock, or lacks a call', async () => {
    const machine = cudaMachine('forward');
    const none = ({ moment: _, ...driver }: GpuDriver): GpuDriver => driver;
    const timed = (): void => undefined;
    await expect(
      loaded(cudaLanguage, { ...machine, timed, driver: async () => none(await machine.driver!()) }),
    ).rejects.toThrow(/gpu\/times.*does not say what launches take/s);
    for (const [call, open] of [
      ['cuEventElapsedTime', cudaDriver],
      ['hipEventRecord', hipDriver],
    ] as const) {
      const text = readFileSync(join(native, 'driver.cpp'), 'utf8').replace(call, 'gone');
      const driver = await open({ path: (await sharedLibrary('driver', text)).path });
      expect(() => driver.moment!()).toThrow(new RegExp(`/times.*no call ${call}`, 's'));
    }
  });
});

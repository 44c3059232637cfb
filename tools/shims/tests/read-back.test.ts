import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { type GpuDriver, type GpuMachine, gpuBackend } from '@filigree/backend/gpu';
import { cudaLanguage } from '@filigree/backend-cuda';
import { active, dense, field, i, idiv, kernel, layout, program, range } from 'filigree';
import type { Grid1 } from 'filigree';
import { cudaMachine } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/* What the host asked of the device since it was last looked at: bytes that were read, and that were cleared. */
const asked: { reads: number[]; clears: number[] } = { reads: [], clears: [] };

const watched = (): GpuMachine => {
  const machine = cudaMachine('forward');
  const driver = async (): Promise<GpuDriver> => {
    const d = await machine.driver!();
    return {
      ...d,
      read: (from, into) => {
        asked.reads.push(into.length);
        d.read(from, into);
      },
      clear: (at, bytes) => {
        asked.clears.push(bytes);
        d.clear(at, bytes);
      },
    };
  };
  return { ...machine, driver };
};

const [u, v, total] = [field('u', 'i32'), field('v', 'i32'), field('total', 'i32')];

const kernels = {
  fill: kernel([v], (v: Grid1) => {
    for (const n of range(100)) v[n] = 3 * n + 1;
  }),
  /* Atomics on words of the arena: of a field, not of what kernels report. */
  add: kernel([v, total], (v: Grid1, total: Grid1) => {
    for (const n of range(100)) total[v[n]! % 4]! += 1;
  }),
  activate: kernel([u, 'i32'], (u: Grid1, last: number) => {
    for (const n of range(last)) u[n] = n;
  }),
  /* Elements that are there. */
  triple: kernel([u], (u: Grid1) => {
    for (const n of active(u)) u[n] = 3 * u[n]!;
  }),
  divide: kernel([v, 'i32'], (v: Grid1, by: number) => {
    for (const n of range(100)) v[n] = idiv(v[n]!, by);
  }),
};

const opened = (debug = false) =>
  program({
    layout: layout(
      dense(i, 64).pointer({ cells: 5 }).dense(i, 8).place(u),
      dense(i, 100).place(v),
      dense(i, 4).place(total),
    ),
    kernels,
    backend: gpuBackend(cudaLanguage, watched()),
    debug,
  });

/** What is asked while something runs. */
const during = (run: () => void): typeof asked => {
  asked.reads = [];
  asked.clears = [];
  run();
  return { ...asked };
};

const NOTHING = { reads: [], clears: [] };
const STATUS = { reads: [32], clears: [] };
const TRAP = { reads: [4], clears: [] };

describe.skipIf(!usable)('what the host reads after a launch on a GPU', () => {
  it('is nothing where a kernel can report nothing', async () => {
    const sim = await opened();
    for (let round = 0; round < 2; round++)
      for (const name of ['fill', 'add', 'triple'] as const)
        expect(
          during(() => sim.run[name]()),
          name,
        ).toEqual(NOTHING);
    expect(sim.fields.total.toArray()).toEqual(Int32Array.of(50, 50, 50, 50));
    sim.dispose();
  });

  it('are the few words of the status where a pool may be full, and what they say is thrown by that launch', async () => {
    const sim = await opened();
    expect(during(() => sim.run.activate(40))).toEqual(STATUS);
    expect(() => sim.run.activate(41)).toThrow(/launch\/exhausted/);
    expect(during(() => sim.run.activate(40))).toEqual(STATUS);
    sim.run.triple();
    expect(sim.fields.u.get([39])).toBe(117);
    sim.dispose();
  });

  it('is the trap word where a kernel may trap, which is cleared only after one did', async () => {
    const sim = await opened();
    sim.run.fill();
    expect(during(() => sim.run.divide(2))).toEqual(TRAP);
    expect(() => sim.run.divide(0)).toThrow(/run\/trap/);
    expect(during(() => sim.run.divide(2))).toEqual({ ...TRAP, clears: [4] });
    expect(during(() => sim.run.divide(2))).toEqual(TRAP);
    sim.dispose();
  });

  it('is what a kernel that is debugged may say', async () => {
    const sim = await opened(true);
    expect(during(() => sim.run.fill()).reads).toEqual([32]);
    expect(() => sim.run.divide(0)).toThrow(/launch\/division/);
    sim.dispose();
  });
});

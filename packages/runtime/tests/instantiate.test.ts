import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { buildKernel, declareBuffer, makeModule, type Builder, type Value } from '@filigree/ir';
import { availability, chooseBackend, instantiate } from '@filigree/runtime';

const buffers = [declareBuffer('x', 'f64', 1000, 'input'), declareBuffer('y', 'f64', 1000, 'output')];
const twice = makeModule('twice', buffers, [
  buildKernel(
    'twice',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(1000), b.i32(1), { parallel: true }, [], (i) => {
        const x = b.load('x', i);
        b.store('y', b.add(x, x), i);
      });
    },
    buffers,
  ),
]);

const integers = [declareBuffer('x', 'i32', 16, 'inout')];
const each = (b: Builder, value: (x: Value) => Value): void =>
  b.for(b.i32(0), b.i32(16), b.i32(1), { parallel: true }, [], (i) => b.store('x', value(b.load('x', i)), i)) as never;
/** x = scale x + (on ? shift : 0), and x = x / by + more. */
const steps = makeModule('steps', integers, [
  buildKernel(
    'affine',
    { scale: 'f64', shift: 'i64', on: 'i1' },
    (b, { scale, shift, on }) =>
      each(b, (x) =>
        b.add(b.cast(b.mul(b.cast(x, 'f64'), scale), 'i32'), b.select(on, b.cast(shift, 'i32'), b.i32(0))),
      ),
    integers,
  ),
  buildKernel(
    'divide',
    { by: 'i32', more: 'u8' },
    (b, { by, more }) => each(b, (x) => b.add(b.div(x, by), b.cast(more, 'i32'))),
    integers,
  ),
]);

for (const backend of [cpp(), wasm()]) {
  const { usable, reason } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`instantiate on ${backend.name}`, () => {
    it('runs in place, on one thread and on two, and off the main thread', async () => {
      expect(reason).toBe('');
      const made = await instantiate(twice, backend)();
      if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
      const { buffers: memory, run, runAsync, dispose, ms, sources } = made.right;
      memory.x.set(Float64Array.from({ length: 1000 }, (_, i) => i) as never);
      run();
      expect(memory.y[999]).toBe(1998);
      memory.y.fill(0 as never);
      run({ threads: 2 });
      expect(memory.y[7]).toBe(14);
      memory.y.fill(0 as never);
      await runAsync();
      expect(memory.y[8]).toBe(16);
      expect(ms.compile).toBeGreaterThanOrEqual(0);
      expect(sources.files.length).toBeGreaterThan(0);
      dispose();
      expect(() => run()).toThrow(/dispose/);
    });

    it('replays launches with arguments of every type, in order, and stops where one traps', async () => {
      const made = await instantiate(steps, backend)();
      if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
      const { buffer, commands, launch, dispose, given } = made.right;
      expect(given).toBe(steps);
      const x = buffer('x');
      const list = commands([
        { kernel: 'affine', args: [2, 1n, true] },
        { kernel: 'divide', args: [3, 4] },
        { kernel: 'affine', args: [-1, 0n, false] },
      ]);
      const after = (values: readonly number[], scale: number): number[] =>
        values.map((v) => -Math.trunc((v * scale + 1) / 3) - 4);
      for (const threads of [1, 2])
        for (const [round, scale] of [2, 2, 5].entries()) {
          const values = Array.from({ length: 16 }, (_, k) => k * 7 + round);
          x.write(Int32Array.from(values));
          list.set(0, [scale, 1n, true]);
          if (round === 1) await list.runAsync({ threads });
          else list.run({ threads });
          expect([...x.read()]).toEqual(after(values, scale));
        }
      expect(() => list.set(0, [1, 2])).toThrow(/takes 3 arguments/);
      expect(() => commands([{ kernel: 'none', args: [] }])).toThrow(/no kernel @none/);
      x.write(new Int32Array(16).fill(6));
      list.set(1, [0, 0]);
      list.set(2, [1, 100n, true]);
      expect(() => list.run()).toThrow(/divided by zero/);
      expect(x.read()[0]).toBeLessThan(100);
      x.write(Int32Array.of(31));
      launch('affine', [1, 1n, true]);
      expect(x.read()[0]).toBe(32);
      expect(() => commands([]).run()).not.toThrow();
      dispose();
      expect(() => list.run()).toThrow(/dispose/);
      expect(() => x.read()).toThrow(/memory\/freed/);
    });
  });
}

describe('choosing a backend', () => {
  it('takes the first that works, and a named one or nothing', async () => {
    const chosen = await chooseBackend([wasm()])();
    expect(E.isRight(chosen) && chosen.right.name).toBe('wasm');
    const unknown = await chooseBackend([wasm()], 'cuda')();
    expect(E.isLeft(unknown) && unknown.left[0].code).toBe('runtime/backend');
    const broken = {
      ...wasm(),
      probe: async () => ({ name: 'wasm', usable: false, reason: 'switched off', toolchain: '' }),
    };
    const none = await chooseBackend([broken])();
    expect(E.isLeft(none) && none.left[0].message).toContain('switched off');
    const named = await chooseBackend([broken, cpp()], 'wasm')();
    expect(E.isLeft(named) && named.left[0]).toMatchObject({ code: 'runtime/backend', remedy: expect.any(String) });
    expect(E.isLeft(named) && named.left[0].message).toMatch(/does not work here: wasm: switched off/);
    expect((await availability([broken]))[0].usable).toBe(false);
    /* A compiler that was asked for is not replaced by another backend without a word. */
    const asked = {
      ...broken,
      name: 'cpp',
      probe: async () => ({ ...(await broken.probe()), reason: 'FILIGREE_CXX names nothing', asked: true }),
    };
    const instead = await chooseBackend([asked, wasm()])();
    expect(E.isLeft(instead) && instead.left[0].message).toMatch(/FILIGREE_CXX names nothing/);
    expect(E.isRight(await chooseBackend([asked, wasm()], 'wasm')())).toBe(true);
  });

  it('says that a backend only writes sources', async () => {
    const { name, capabilities, legalize, emit, probe } = wasm();
    const result = await instantiate(twice, { name, capabilities, legalize, emit, probe })();
    expect(E.isLeft(result) && result.left[0].code).toBe('runtime/emit-only');
  });
});

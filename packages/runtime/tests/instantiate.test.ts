import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
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
  });

  it('says that a backend only writes sources', async () => {
    const { name, capabilities, legalize, emit, probe } = wasm();
    const result = await instantiate(twice, { name, capabilities, legalize, emit, probe })();
    expect(E.isLeft(result) && result.left[0].code).toBe('runtime/emit-only');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Memory, deviceBuffer, memoryOf, placeModule } from '@filigree/backend/device';
import { layoutSlab } from '@filigree/backend';
import { DiagnosticError, buildKernel, constBuffer, declareBuffer, makeModule } from '@filigree/ir';

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0]!.code;
    throw e;
  }
  return 'none';
};

/** Memory of a device that the host does not see, and what became of its regions. */
const apart = (): { memory: Memory; live: Map<number, Uint8Array>; ended: () => boolean } => {
  const live = new Map<number, Uint8Array>();
  let [next, ended] = [1024, false];
  const at = (address: number, length: number): Uint8Array => {
    for (const [start, bytes] of live)
      if (address >= start && address + length <= start + bytes.length)
        return bytes.subarray(address - start, address - start + length);
    throw new Error('outside of all regions');
  };
  const memory = memoryOf({
    space: 'test',
    allocate: (bytes) => {
      live.set(next, new Uint8Array(bytes));
      const region = { at: next };
      next += 1024 * Math.ceil(bytes / 1024);
      return region;
    },
    release: (region) => void live.delete(region.at),
    read: (from, into) => into.set(at(from, into.length)),
    write: (to, from) => at(to, from.length).set(from),
    dispose: () => void (ended = true),
  });
  return { memory, live, ended: () => ended };
};

describe('a memory', () => {
  it('that the host sees is copied as its device says, and has views and no mirrors', () => {
    const buffer = new ArrayBuffer(64);
    const copies: string[] = [];
    const memory = memoryOf({
      space: 'test',
      mapped: true,
      allocate: () => ({ at: 0, host: () => ({ buffer, byteOffset: 0 }) }),
      release: () => undefined,
      read: (from, into) => {
        copies.push('read');
        into.set(new Uint8Array(buffer, from, into.length));
      },
      write: (to, from) => {
        copies.push('write');
        new Uint8Array(buffer, to).set(from);
      },
    });
    const block = memory.allocate(64);
    memory.write(block, 8, Int32Array.of(7, 8));
    const into = new Int32Array(1);
    memory.read(block, 12, into);
    expect([memory.mapped, into[0], copies]).toEqual([true, 8, ['write', 'read']]);
    expect([...memory.view(block, 8, 'i32', 2)]).toEqual([7, 8]);
    expect(codeOf(() => memory.mirror(block))).toBe('memory/mapped');
  });

  it('gives a block back when the last who holds it frees it, and ends when the last block is free', () => {
    const { memory, live, ended } = apart();
    const [a, b] = [memory.allocate(100), memory.allocate(8)];
    memory.hold(a);
    memory.free(a);
    expect(live.size).toBe(2);
    memory.free(a);
    expect([...live.keys()]).toEqual([b.at]);
    for (const use of [
      () => memory.read(a, 0, new Uint8Array(1)),
      () => memory.write(a, 0, new Uint8Array(1)),
      () => memory.hold(a),
      () => memory.free(a),
    ])
      expect(codeOf(use)).toBe('memory/freed');
    memory.dispose();
    expect(codeOf(() => memory.allocate(8))).toBe('memory/disposed');
    memory.write(b, 4, Int32Array.of(7));
    expect(ended()).toBe(false);
    memory.free(b);
    expect(ended()).toBe(true);
  });

  it('refuses blocks of others, places outside, and views where the host sees nothing', () => {
    const [{ memory }, other] = [apart(), apart()];
    const block = memory.allocate(64);
    expect(codeOf(() => other.memory.read(block, 0, new Uint8Array(1)))).toBe('memory/foreign');
    for (const offset of [-1, 0.5, 61, Number.NaN])
      expect(codeOf(() => memory.read(block, offset, new Float32Array(1)))).toBe('memory/range');
    expect(memory.mapped).toBe(false);
    expect(codeOf(() => memory.view(block, 0, 'f32', 4))).toBe('memory/apart');
  });

  it('is read and written by buffers in it as arrays are', () => {
    const { memory } = apart();
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.tuple(fc.nat(40), fc.array(fc.double(), { maxLength: 20 }))),
        (length, writes) => {
          const block = memory.allocate(8 * length + 16);
          const buffer = deviceBuffer({ name: 'x', type: 'f64', length, block, offset: 16 });
          const model = new Float64Array(length);
          for (const [at, values] of writes) {
            const fits = at + values.length <= length;
            expect(codeOf(() => buffer.write(Float64Array.from(values), at))).toBe(fits ? 'none' : 'memory/range');
            if (fits) model.set(values, at);
          }
          expect(buffer.read()).toEqual(model);
          expect(buffer.read(undefined, length - 1)).toEqual(model.subarray(length - 1));
          expect(codeOf(() => buffer.write(new Float32Array(1)))).toBe('memory/values');
          memory.free(block);
        },
      ),
    );
  });
});

describe('a module in a memory', () => {
  const arena = [
    { ...declareBuffer('a_f32', 'f32', 8, 'inout'), memory: 'a' },
    { ...declareBuffer('a_i32', 'i32', 8, 'inout'), memory: 'a' },
  ];
  const buffers = [...arena, declareBuffer('x', 'f64', 4, 'input'), constBuffer('k', 'f64', [5, 6])];
  const kernel = buildKernel('w', {}, (b) => b.store('a_f32', b.constant(1, 'f32'), b.i32(0)), buffers);
  const module = makeModule('m', buffers, [kernel]);
  const place = (memory: Memory, bind: Parameters<typeof placeModule>[2]) =>
    placeModule(module, memory, bind, layoutSlab(module, new Set(Object.keys(bind))));
  const at = (block: Block, name: string, type: 'f32' | 'i32' | 'f64', length: number, offset = 0) =>
    deviceBuffer({ name, type, length, block, offset });

  it('has what it is not bound to in a block of its own, constants filled in, and holds the others', () => {
    const { memory, live } = apart();
    const block = memory.allocate(64);
    const placement = place(memory, { x: at(block, 'y', 'f64', 4, 32) });
    expect(placement.places.get('x')).toEqual({ block, offset: 32 });
    expect(placement.places.get('a_f32')).toEqual(placement.places.get('a_i32'));
    const k = new Float64Array(2);
    memory.read(placement.own, placement.places.get('k')!.offset, k);
    expect([...k]).toEqual([5, 6]);
    memory.free(block);
    expect(live.size).toBe(2);
    placement.release();
    placement.release();
    expect(live.size).toBe(0);
  });

  it('is refused where it does not fit, and leaves nothing behind', () => {
    const { memory, live } = apart();
    const block = memory.allocate(128);
    const both = (offset: number) => ({
      a_f32: at(block, 'f', 'f32', 8, offset),
      a_i32: at(block, 'i', 'i32', 8, offset),
    });
    expect(codeOf(() => place(memory, { a_f32: at(block, 'f', 'f32', 8) }))).toBe('memory/binding');
    expect(codeOf(() => place(memory, { ...both(0), a_i32: at(block, 'i', 'i32', 8, 4) }))).toBe('memory/binding');
    expect(codeOf(() => place(memory, { ...both(0), x: at(block, 'x', 'f64', 4, 24) }))).toBe('memory/aliasing');
    expect(codeOf(() => place(memory, { k: at(block, 'k', 'f64', 2) }))).toBe('memory/binding');
    expect(codeOf(() => place(memory, { x: at(apart().memory.allocate(64), 'x', 'f64', 4) }))).toBe('memory/foreign');
    expect(live.size).toBe(1);
    place(memory, { ...both(0), x: at(block, 'x', 'f64', 4, 32) }).release();
    expect(live.size).toBe(1);
  });
});

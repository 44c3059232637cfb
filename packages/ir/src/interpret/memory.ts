import { fail } from '../diagnostics/diagnostic.js';
import type { Buffer, TypedArray } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { allocateArray, allocateBuffers, arrayConstructor } from '../kernel/typed-array.js';

/** The memory of a run: every buffer of the module by name, checked against its declaration. */
export const bindBuffers = (
  module: Module,
  arrays: Readonly<Record<string, TypedArray>>,
): ReadonlyMap<string, TypedArray> => {
  const declared = new Map(module.buffers.map((b) => [b.name, b]));
  for (const name of Object.keys(arrays))
    if (!declared.has(name))
      fail('interpret/unknown-buffer', `module @${module.name} has no buffer @${name}`, {
        remedy: `give only ${[...declared.keys()].map((n) => `@${n}`).join(', ') || 'none'}`,
      });
  const given = (b: Buffer): TypedArray | undefined => (Object.hasOwn(arrays, b.name) ? arrays[b.name] : undefined);
  const own = allocateBuffers(module.buffers.filter((b) => b.role === 'temp' && !given(b)));
  const memory = new Map(module.buffers.map((b) => [b.name, contents(b, given(b) ?? own[b.name])]));
  checkShared(module, memory);
  return memory;
};

const checkShared = (module: Module, arrays: ReadonlyMap<string, TypedArray>): void => {
  const first = new Map<string, Buffer>();
  for (const b of module.buffers) {
    if (b.memory === undefined) continue;
    const other = first.get(b.memory);
    first.set(b.memory, other ?? b);
    const [x, y] = [arrays.get(b.name)!, arrays.get((other ?? b).name)!];
    if (x.buffer !== y.buffer || x.byteOffset !== y.byteOffset)
      fail('interpret/shared-memory', `buffers @${b.name} and @${other!.name} are to share the memory @${b.memory}`, {
        remedy: 'give typed arrays that begin at one byte of one ArrayBuffer',
      });
  }
};

const contents = (buffer: Buffer, given: TypedArray | undefined): TypedArray => {
  if (buffer.role === 'scratch') {
    if (given !== undefined)
      fail('interpret/scratch-buffer', `buffer @${buffer.name} is scratch; the host has no view of it`, {
        remedy: 'leave it out',
      });
    return allocateArray(buffer.type, buffer.length);
  }
  if (buffer.role === 'const') {
    if (given !== undefined)
      fail('interpret/const-buffer', `buffer @${buffer.name} is const; its contents are the module's`, {
        remedy: 'leave it out',
      });
    return buffer.data ?? fail('interpret/const-buffer', `const buffer @${buffer.name} has no data`);
  }
  if (given === undefined) {
    return fail('interpret/missing-buffer', `${buffer.role} buffer @${buffer.name} was not given`, {
      remedy: `pass a ${arrayConstructor(buffer.type).name} of length ${buffer.length}`,
    });
  }
  const right = given instanceof arrayConstructor(buffer.type) && given.length === buffer.length;
  if (!right)
    fail(
      'interpret/buffer-type',
      `buffer @${buffer.name} is ${buffer.type}[${buffer.length}], got ${given.constructor.name} of length ${given.length}`,
      { remedy: `pass a ${arrayConstructor(buffer.type).name} of length ${buffer.length}` },
    );
  return given;
};

import { fail } from '../diagnostics/diagnostic.js';
import type { Buffer, Module, TypedArray } from '../kernel/op.js';
import { allocateArray, arrayConstructor } from '../kernel/typed-array.js';

/** The memory of a run: every buffer of the module by name, checked against its declaration. */
export const bindBuffers = (
  module: Module,
  given: Readonly<Record<string, TypedArray>>,
): ReadonlyMap<string, TypedArray> => {
  const declared = new Map(module.buffers.map((b) => [b.name, b]));
  for (const name of Object.keys(given))
    if (!declared.has(name))
      fail('interpret/unknown-buffer', `module @${module.name} has no buffer @${name}`, {
        remedy: `give only ${[...declared.keys()].map((n) => `@${n}`).join(', ') || 'none'}`,
      });
  return new Map(
    module.buffers.map((b) => [b.name, contents(b, Object.hasOwn(given, b.name) ? given[b.name] : undefined)]),
  );
};

const contents = (buffer: Buffer, given: TypedArray | undefined): TypedArray => {
  if (buffer.role === 'const') {
    if (given !== undefined)
      fail('interpret/const-buffer', `buffer @${buffer.name} is const; its contents are the module's`, {
        remedy: 'leave it out',
      });
    return buffer.data ?? fail('interpret/const-buffer', `const buffer @${buffer.name} has no data`);
  }
  if (given === undefined) {
    if (buffer.role === 'temp') return allocateArray(buffer.type, buffer.length);
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

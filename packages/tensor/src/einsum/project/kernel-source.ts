import type { Buffer } from '@filigree/ir';
import { fieldText, methodOf, prefetched } from './fields.js';
import { identifierOf } from '../emit/names.js';
import { tensorsOf, type KernelClass, type ProjectKernel, type ProjectModel } from './model.js';
import { braced, cppName, literal, realOf, scalarName } from './text.js';

/** A file of its own for a kernel or one member of a family: generated functions, and the method that calls them. */
export const kernelSource = (model: ProjectModel, group: KernelClass, kernel: ProjectKernel): string => {
  const { emitted, module, plan } = kernel;
  const real = realOf(model.type);
  const pointers = new Map(tensorsOf(model, kernel).map((t, k) => [bufferOf(kernel, k), fieldText(t)]));
  for (const name of prefetched([kernel]))
    pointers.set(`_prefetch_${identifierOf(name)}`, `prefetch.${cppName(identifierOf(name))}`);
  const own = module.buffers.filter((b) => emitted.buffers.includes(b.name) && !pointers.has(b.name));
  const args = [
    ...emitted.buffers.map((b) => pointers.get(b) ?? ownName(b)),
    ...(emitted.takesThreads ? ['1'] : []),
    ...(emitted.takesStatus ? ['&status'] : []),
    ...emitted.params.map((n) => scalarName(plan.scalars[n]!)),
  ];
  const needed = tensorsOf(model, kernel).filter((_, k) => emitted.buffers.includes(bufferOf(kernel, k)));
  return [
    `#include "${model.name}/kernel/${group.file}.h"`,
    '#include <cassert>',
    '',
    emitted.text,
    ...own.flatMap((b) => declaration(b, real)),
    `void ${model.name}::kernel::${group.name}::${methodOf(kernel)}() const {`,
    ...needed.map((t) => `  assert(${fieldText(t)} != nullptr);`),
    ...(emitted.takesStatus ? ['  int status = 0;'] : []),
    `  ::${emitted.name}(${args.join(', ')});`,
    '}',
    '',
  ].join('\n');
};

/** A file for the choice among the members of a family. */
export const dispatchSource = (model: ProjectModel, { name, file, kernels }: KernelClass): string => {
  const depth = kernels[0]!.member.length;
  const condition = (k: ProjectKernel): string => k.member.map((i, d) => `i${d} == ${i}`).join(' && ');
  return [
    `#include "${model.name}/kernel/${file}.h"`,
    '#include <cassert>',
    '',
    `void ${model.name}::kernel::${name}::execute(${Array.from({ length: depth }, (_, d) => `int i${d}`).join(', ')}) const {`,
    ...kernels.map((k) => `  if (${condition(k)}) return ${methodOf(k)}();`),
    '  assert(false && "there is no such member");',
    '}',
    '',
  ].join('\n');
};

/* The module was made with one tensor a buffer, in the order of the plan. */
const bufferOf = ({ module }: ProjectKernel, k: number): string => module.buffers[k]!.name;

/* Lists of positions, numbers that planning computed, and temporaries that are too large for the stack. */
const ownName = (buffer: string): string => buffer.replace(/^_+/, 'own_');

const constantsOf = ({ name, type, data }: Buffer, real: string): string =>
  type === 'f32' || type === 'f64'
    ? `${real} ${ownName(name)}[] = ${braced(Array.from(data as Float64Array, (x) => literal(x, type)))}`
    : `int ${ownName(name)}[] = ${braced(Array.from(data as Int32Array, String))}`;

const declaration = (b: Buffer, real: string): readonly string[] =>
  b.role === 'const'
    ? [`alignas(64) static const ${constantsOf(b, real)};`, '']
    : [`static thread_local ${real} ${ownName(b.name)}[${b.length}];`, ''];

import { fieldsOf, fieldText, methodOf } from './fields.js';
import { formulaText } from './formula.js';
import {
  tensorsOf,
  writes,
  type KernelClass,
  type ProjectKernel,
  type ProjectModel,
  type ProjectTensor,
} from './model.js';
import { apartInCase, realOf, scalarName, wrapped } from './text.js';

/** The header for C: a function a kernel, with the tensors whose values are not known and the scalars as arguments (§4.9). */
export const cHeader = (model: ProjectModel): string => {
  const guard = `${model.name.toUpperCase()}_H`;
  return [
    `#ifndef ${guard}`,
    `#define ${guard}`,
    '',
    '/* Numbers that the storage of each tensor takes. */',
    ...model.tensors.map((t) => `#define ${model.name}_${t.id}_size ${t.layout.size}`),
    '',
    '/* Operations of the best order on the non-zeros, and those that the code executes. */',
    ...eachKernel(model, (_, k) => [
      `#define ${model.name}_${k.id}_nonzero_flops ${k.plan.flops.nonzero}`,
      `#define ${model.name}_${k.id}_hardware_flops ${k.plan.flops.hardware}`,
    ]),
    '',
    '#ifdef __cplusplus',
    'extern "C" {',
    '#endif',
    ...eachKernel(model, (_, k) => ['', ...formulaText(k.decl).map((l) => `/* ${l} */`), `${prototype(model, k)};`]),
    '',
    '#ifdef __cplusplus',
    '}',
    '#endif',
    '#endif',
    '',
  ].join('\n');
};

/** The functions that the header for C declares. */
export const cSource = (model: ProjectModel): string =>
  [
    `#include "${model.name}.h"`,
    ...model.classes.map((c) => `#include "${model.name}/kernel/${c.file}.h"`),
    '',
    ...eachKernel(model, (group, k) => [
      `extern "C" ${prototype(model, k)} {`,
      `  ${model.name}::kernel::${group.name} kernel;`,
      ...argumentsOf(model, k).map((t) => `  kernel.${fieldText(t)} = ${pointed(model, group, k, t)};`),
      ...k.plan.scalars.map((s) => `  kernel.${scalarName(s)} = ${scalarName(s)};`),
      `  kernel.${methodOf(k)}();`,
      '}',
      '',
    ]),
  ].join('\n');

/** The same functions and constants as a module of Fortran 2003. Arrays of a tensor's shape can be given where it is stored densely. */
export const fortranModule = (model: ProjectModel): string => {
  const own = distinct();
  const real = model.type === 'f32' ? 'c_float' : 'c_double';
  return [
    `module ${own(model.name)}`,
    '  use, intrinsic :: iso_c_binding',
    '  implicit none',
    '',
    '  ! Numbers that the storage of each tensor takes.',
    ...model.tensors.map((t) => `  integer(c_int), parameter :: ${own(`${t.id}_size`)} = ${t.layout.size}`),
    '',
    '  ! Operations of the best order on the non-zeros, and those that the code executes.',
    ...eachKernel(model, (_, k) => [
      `  integer(c_long_long), parameter :: ${own(`${k.id}_nonzero_flops`)} = ${k.plan.flops.nonzero}_c_long_long`,
      `  integer(c_long_long), parameter :: ${own(`${k.id}_hardware_flops`)} = ${k.plan.flops.hardware}_c_long_long`,
    ]),
    '',
    '  interface',
    ...eachKernel(model, (_, k) => {
      const local = distinct();
      const name = own(`${model.name}_${k.id}`);
      const tensors = argumentsOf(model, k).map((t) => ({ t, name: local(t.id) }));
      const scalars = k.plan.scalars.map((s) => local(scalarName(s)));
      return [
        ...formulaText(k.decl).flatMap((l) => commentLines(l)),
        `    subroutine ${name}( &`,
        ...wrapped([...tensors.map((x) => x.name), ...scalars], '        ').map((l) => `${l} &`),
        `        ) bind(C, name="${model.name}_${k.id}")`,
        `      import :: ${real}`,
        ...tensors.map(
          ({ t, name }) => `      real(${real}), intent(${writes(k, t.tensor.name) ? 'inout' : 'in'}) :: ${name}(*)`,
        ),
        ...scalars.map((s) => `      real(${real}), value :: ${s}`),
        '    end subroutine',
      ];
    }),
    '  end interface',
    `end module`,
    '',
  ].join('\n');
};

const eachKernel = (
  model: ProjectModel,
  lines: (group: KernelClass, kernel: ProjectKernel) => readonly string[],
): readonly string[] => model.classes.flatMap((c) => c.kernels.flatMap((k) => lines(c, k)));

/* Known values are within the code. */
const argumentsOf = (model: ProjectModel, kernel: ProjectKernel): readonly ProjectTensor[] =>
  tensorsOf(model, kernel).filter((t) => !t.tensor.values);

/* What this member only reads may be written by others of its family, through the same field. */
const pointed = (model: ProjectModel, group: KernelClass, kernel: ProjectKernel, t: ProjectTensor): string => {
  const shared = fieldsOf(model, group.kernels).some((f) => f.written && f.name === t.field);
  return shared && !writes(kernel, t.tensor.name) ? `const_cast<${realOf(model.type)}*>(${t.id})` : t.id;
};

const prototype = (model: ProjectModel, kernel: ProjectKernel): string => {
  const real = realOf(model.type);
  const parameters = [
    ...argumentsOf(model, kernel).map((t) => `${writes(kernel, t.tensor.name) ? '' : 'const '}${real}* ${t.id}`),
    ...kernel.plan.scalars.map((s) => `${real} ${scalarName(s)}`),
  ];
  return `void ${model.name}_${kernel.id}(${parameters.join(', ') || 'void'})`;
};

/** Names that differ in more than their case, begin with a letter, and are at most 63 characters long, as Fortran wants them. */
const distinct = (): ((name: string) => string) => {
  const apart = apartInCase();
  return (name) => apart((/^[A-Za-z]/.test(name) && !isOfFortran(name) ? name : `v${name}`).slice(0, 58));
};

/* Names of its kinds and functions for C, which the module uses. */
const isOfFortran = (name: string): boolean => /^(c_\w+|iso_c_binding)$/i.test(name);

/* Lines of Fortran end after 132 characters. */
const commentLines = (text: string): readonly string[] =>
  (text.match(/.{1,110}(?:\s|$)|\S{1,110}/g) ?? []).map((l) => `    ! ${l.trimEnd()}`);

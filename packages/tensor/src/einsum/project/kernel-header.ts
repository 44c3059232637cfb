import { formulaText } from './formula.js';
import { fieldsOf, methodOf, nested, prefetched, scalarsOf, type Field } from './fields.js';
import { identifierOf } from '../emit/names.js';
import { tensorsOf, type KernelClass, type ProjectModel } from './model.js';
import { cppName, realOf, scalarName } from './text.js';

/** The header of a kernel, or of a family of them: pointers to its tensors, scalars, `execute`, operation counts (§4.9). */
export const kernelHeader = (model: ProjectModel, group: KernelClass): string => {
  const { name, kernels } = group;
  const real = realOf(model.type);
  const used = [...new Set(kernels.flatMap((k) => tensorsOf(model, k).map((t) => t.file)))];
  const extents = kernels[0]!.member.map((_, d) => Math.max(...kernels.map((k) => k.member[d]!)) + 1);
  const ahead = prefetched(kernels).map((t) => cppName(identifierOf(t)));
  const count = (what: 'nonzero' | 'hardware'): string =>
    nested(extents, (place) =>
      String(kernels.find((k) => k.member.every((i, d) => i === place[d]))?.plan.flops[what] ?? 0),
    );
  const dims = extents.map((n) => `[${n}]`).join('');
  const indices = extents.map((_, d) => `int i${d}`).join(', ');
  return [
    '#pragma once',
    ...used.map((t) => `#include "../tensor/${t}.h"`),
    '',
    `namespace ${model.name} {`,
    'namespace kernel {',
    '',
    '/**',
    ...kernels.flatMap((k) =>
      formulaText(k.decl).map((line) => ` * ${k.member.length > 0 ? `${methodOf(k)}: ` : ''}${line}`),
    ),
    ' *',
    ' * Set the pointers, which must not overlap where one of them is written, and call execute. Threads may execute at the',
    ' * same time, each with a struct of its own.',
    ' */',
    `struct ${name} {`,
    '  /** Operations of the best order on the non-zeros, and those that the code executes. */',
    `  static constexpr unsigned long long NonZeroFlops${dims} = ${count('nonzero')};`,
    `  static constexpr unsigned long long HardwareFlops${dims} = ${count('hardware')};`,
    '',
    ...fieldsOf(model, kernels).map((f) => `  ${fieldDeclaration(f, real)}`),
    ...scalarsOf(group).map((s) => `  ${real} ${scalarName(s)} = 0;`),
    ...(ahead.length === 0
      ? []
      : [
          '',
          '  /** What the next call will read; null where that is not known. */',
          '  struct {',
          ...ahead.map((t) => `    const ${real}* ${t} = nullptr;`),
          '  } prefetch;',
        ]),
    '',
    ...kernels.map((k) => `  void ${methodOf(k)}() const;`),
    ...(extents.length > 0
      ? ['', '  /** The member of this number; there must be one. */', `  void execute(${indices}) const;`]
      : []),
    '};',
    '',
    '}',
    '}',
    '',
  ].join('\n');
};

/* Known values are pointed to from the beginning. */
const fieldDeclaration = ({ name, extents, tensors, written }: Field, real: string): string => {
  const initial = (place: readonly number[]): string => {
    const t = tensors.find((x) => x.member.every((i, d) => i === place[d]));
    return t?.tensor.values && !written ? `tensor::${t.id}::Values` : 'nullptr';
  };
  return `${written ? '' : 'const '}${real}* ${name}${extents.map((n) => `[${n}]`).join('')} = ${nested(extents, initial)};`;
};

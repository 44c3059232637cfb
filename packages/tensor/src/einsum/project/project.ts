import { targetOption } from '../../linalg/gemm/targets.js';
import type * as E from 'fp-ts/lib/Either.js';
import {
  fail,
  orThrow,
  pass,
  type Diagnostics,
  type Module,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { lowerPlan } from '../emit/lower-plan.js';
import { agreeOnValues } from '../emit/module-tensors.js';
import { familyOf, identifiersOf } from '../emit/names.js';
import type { GemmTarget } from '../../linalg/gemm-spec.js';
import type { KernelDecl } from '../notation/expression.js';
import type { Plan } from '../plan/plan.js';
import { cmakeLists } from './cmake.js';
import type { CppEmitter } from './emitter.js';
import { cHeader, cSource, fortranModule } from './foreign.js';
import { kernelHeader } from './kernel-header.js';
import { dispatchSource, kernelSource } from './kernel-source.js';
import { kernelClasses, projectTensors, type ProjectKernel, type ProjectModel } from './model.js';
import { tensorHeader, viewHeader } from './tensor-header.js';
import { apartInCase, cppName } from './text.js';
import { testingHeader, unitTest } from './unit-test.js';

/** What a project is called, and how its kernels are written. */
export interface CppProjectOptions {
  /** The name of the library, its namespace, its C functions' prefix and its Fortran module: an identifier. */
  readonly name: string;
  /** What writes kernel IR as C++. */
  readonly emit: CppEmitter;
  /** What micro-kernels are made for; default AVX2. */
  readonly target?: GemmTarget;
}

/** A kernel and its plan. */
export interface PlannedKernel {
  readonly decl: KernelDecl;
  readonly plan: Plan;
}

/** A text file, its path from the folder of the project with slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly contents: string;
}

/**
 * Sources that a C++ project can build with nothing else needed (§4.9): one header for each tensor and kernel, their
 * code, a unit test for each kernel, interfaces for C and Fortran, and a CMakeLists.txt. Members of a family become one
 * struct. C++17.
 *
 * Errors: `project/name`, `project/empty`, `project/type`, `project/kernels`, `project/layout`, `project/family`, and
 * those of `lowerPlan` and of the emitter.
 */
export const cppProject = (
  kernels: readonly PlannedKernel[],
  given: CppProjectOptions,
): E.Either<Diagnostics, readonly ProjectFile[]> =>
  pass('cpp-project', (all: readonly PlannedKernel[]) => {
    const options = checkOptions('cppProject', given, projectSpec);
    if (options.name === undefined || options.emit === undefined)
      fail('option/value', 'cppProject needs a name and what writes C++', { remedy: 'give the options name and emit' });
    return filesOf(modelOf(all, options));
  }).run(kernels);

const filesOf = (model: ProjectModel): readonly ProjectFile[] => {
  const sources = [
    ...model.classes.flatMap((c) => [
      ...c.kernels.map((k) => ({ path: `src/kernel/${k.file}.cpp`, contents: kernelSource(model, c, k) })),
      ...(c.kernels[0]!.member.length > 0
        ? [{ path: `src/kernel/${c.file}_family.cpp`, contents: dispatchSource(model, c) }]
        : []),
    ]),
    { path: 'src/c_interface.cpp', contents: cSource(model) },
  ];
  const include = `include/${model.name}`;
  const all = [...model.tensors.map((t) => `tensor/${t.file}.h`), ...model.classes.map((c) => `kernel/${c.file}.h`)];
  return [
    {
      path: 'CMakeLists.txt',
      contents: cmakeLists(
        model,
        sources.map((s) => s.path),
      ),
    },
    { path: `include/${model.name}.h`, contents: cHeader(model) },
    { path: `${include}/all.h`, contents: ['#pragma once', ...all.map((h) => `#include "${h}"`), ''].join('\n') },
    { path: `${include}/view.h`, contents: viewHeader(model.name) },
    ...model.tensors.map((t) => ({
      path: `${include}/tensor/${t.file}.h`,
      contents: tensorHeader(model.name, t, model.type),
    })),
    ...model.classes.map((c) => ({ path: `${include}/kernel/${c.file}.h`, contents: kernelHeader(model, c) })),
    ...sources,
    { path: `src/${model.name}.f90`, contents: fortranModule(model) },
    { path: 'tests/testing.h', contents: testingHeader() },
    ...model.classes.map((c) => ({ path: `tests/${c.file}.cpp`, contents: unitTest(model, c) })),
  ];
};

const modelOf = (kernels: readonly PlannedKernel[], { name, emit, target }: CppProjectOptions): ProjectModel => {
  if (!/^[A-Za-z]\w*$/.test(name) || cppName(name) !== name)
    fail('project/name', `'${name}' cannot name a library and a namespace`, {
      remedy: 'use letters, digits and _, beginning with a letter, and no word of C++',
    });
  const type =
    kernels[0]?.plan.type ?? fail('project/empty', 'a project needs a kernel', { remedy: 'give one or more' });
  if (kernels.some((k) => k.plan.type !== type))
    fail('project/type', 'the kernels of one project work on numbers of one type', {
      remedy: 'make a project for each type',
    });
  const twice = kernels.find((k, n) => kernels.findIndex((other) => other.decl.name === k.decl.name) !== n);
  if (twice)
    fail('project/kernels', `two kernels have the name ${twice.decl.name}`, { remedy: 'give each its own name' });
  agreeOnValues(kernels.map((k) => k.plan));
  const ids = identifiersOf(kernels.map((k) => k.decl.name));
  const fileOf = apartInCase();
  return {
    name,
    type,
    tensors: projectTensors(kernels.map((k) => k.plan)),
    classes: kernelClasses(
      kernels.map(({ decl, plan }): ProjectKernel => {
        const module = orThrow(lowerPlan(plan, { prefetchBuffers: true, ...(target ? { target } : {}) }));
        const id = cppName(ids.get(decl.name)!);
        return {
          id,
          file: fileOf(id),
          decl,
          plan,
          module,
          emitted: orThrow(emit(apartFrom(module, name))),
          member: familyOf(decl.name)?.member ?? [],
        };
      }),
    ),
  };
};

/** The module, its kernel under another name where that is the namespace's. */
const apartFrom = (module: Module, namespace: string): Module => ({
  ...module,
  kernels: module.kernels.map((k) => (k.name === namespace ? { ...k, name: `${k.name}_kernel` } : k)),
});

const projectSpec: OptionSpec<CppProjectOptions> = {
  name: option.text,
  emit: option.callback,
  target: targetOption,
};

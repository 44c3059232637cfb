import { fail, type Module } from '@filigree/ir';
import type { CppEmitted } from './emitter.js';
import { familyOf, identifiersOf } from '../emit/names.js';
import type { Layout } from '../layout/layout.js';
import { sameLayout } from '../layout/tensor-layout.js';
import type { KernelDecl, TensorDecl } from '../notation/expression.js';
import type { Plan } from '../plan/plan.js';
import { apartInCase, cppName } from './text.js';

/** A tensor of a project. */
export interface ProjectTensor {
  /** The identifier of its header and struct: `star_1` for `star(1)`. */
  readonly id: string;
  /** The name of its header. */
  readonly file: string;
  readonly tensor: TensorDecl;
  readonly layout: Layout;
  /** The field of a kernel that points to it: `star`, at `[1]`. */
  readonly field: string;
  readonly member: readonly number[];
}

/** A kernel, or one member of a family of them. */
export interface ProjectKernel {
  readonly id: string;
  /** The name of its source. */
  readonly file: string;
  readonly decl: KernelDecl;
  readonly plan: Plan;
  readonly module: Module;
  readonly emitted: CppEmitted;
  readonly member: readonly number[];
}

/** Kernels that are one struct: a kernel by itself, or a family. */
export interface KernelClass {
  readonly name: string;
  /** The name of its header and of its unit test. */
  readonly file: string;
  readonly kernels: readonly ProjectKernel[];
}

/** Everything that the files of a project are written from. */
export interface ProjectModel {
  /** The namespace, and the prefix of C names. */
  readonly name: string;
  readonly type: 'f32' | 'f64';
  readonly tensors: readonly ProjectTensor[];
  readonly classes: readonly KernelClass[];
}

/** The tensors of a kernel of the project, in the order of its plan. */
export const tensorsOf = (model: ProjectModel, kernel: ProjectKernel): readonly ProjectTensor[] =>
  kernel.plan.tensors.map((t) => tensorNamed(model, t.tensor.name));

const tensorNamed = (model: ProjectModel, name: string): ProjectTensor =>
  model.tensors.find((t) => t.tensor.name === name)!;

/** Whether a kernel writes a tensor. */
export const writes = (kernel: ProjectKernel, name: string): boolean =>
  kernel.plan.tensors.some((t) => t.tensor.name === name && t.access !== 'read');

export const projectTensors = (plans: readonly Plan[]): readonly ProjectTensor[] => {
  const found = new Map<string, { tensor: TensorDecl; layout: Layout }>();
  for (const plan of plans)
    for (const { tensor, layout } of plan.tensors) {
      const before = found.get(tensor.name);
      if (before && !sameLayout(before.layout, layout))
        fail('project/layout', `${tensor.name} lies in another way in the kernel ${plan.name} than in one before`, {
          remedy: 'give the tensor a layout of its own',
        });
      found.set(tensor.name, before?.tensor.values ? before : { tensor, layout });
    }
  const ids = identifiersOf([...found.keys()]);
  const fileOf = apartInCase();
  return [...found].map(([name, t]) => {
    const family = familyOf(name);
    const id = cppName(ids.get(name)!);
    return { ...t, id, file: fileOf(id), field: family ? cppName(family.family) : id, member: family?.member ?? [] };
  });
};

/** The members of a family together, in order; a family whose members have different numbers of indices is refused: `project/family`. */
export const kernelClasses = (kernels: readonly ProjectKernel[]): readonly KernelClass[] => {
  const classes = new Map<string, ProjectKernel[]>();
  for (const k of kernels) {
    const name = cppName(familyOf(k.decl.name)?.family ?? k.id);
    const members = classes.get(name) ?? [];
    if (members.some((m) => m.member.length !== k.member.length))
      fail('project/family', `the kernels of family ${name} have different numbers of indices`, {
        remedy: 'give all members the same number of indices, or other names',
      });
    classes.set(name, [...members, k]);
  }
  const fileOf = apartInCase();
  return [...classes].map(([name, members]) => ({ name, file: fileOf(name), kernels: members }));
};

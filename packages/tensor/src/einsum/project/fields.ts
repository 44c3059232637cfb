import type { KernelClass, ProjectKernel, ProjectModel, ProjectTensor } from './model.js';
import { tensorsOf, writes } from './model.js';

/** A public member of a kernel's struct: one pointer, or an array of them for a family. */
export interface Field {
  readonly name: string;
  /** Extents of the array, none for a single pointer. */
  readonly extents: readonly number[];
  readonly tensors: readonly ProjectTensor[];
  readonly written: boolean;
}

/** The pointers of a kernel's struct, in order of first use. */
export const fieldsOf = (model: ProjectModel, kernels: readonly ProjectKernel[]): readonly Field[] => {
  const fields = new Map<string, ProjectTensor[]>();
  for (const k of kernels)
    for (const t of tensorsOf(model, k)) {
      const own = fields.get(t.field) ?? [];
      if (!own.includes(t)) fields.set(t.field, [...own, t]);
    }
  return [...fields].map(([name, tensors]) => ({
    name,
    extents: tensors[0]!.member.map((_, d) => Math.max(...tensors.map((t) => t.member[d]!)) + 1),
    tensors,
    written: kernels.some((k) => tensors.some((t) => writes(k, t.tensor.name))),
  }));
};

/** How a tensor is reached within its struct: `star[1]`. */
export const fieldText = ({ field, member }: ProjectTensor): string => field + member.map((i) => `[${i}]`).join('');

/** A nested list as C++ writes it: one text for each place of these extents. */
export const nested = (extents: readonly number[], at: (place: readonly number[]) => string): string => {
  const visit = (place: readonly number[]): string =>
    place.length === extents.length
      ? at(place)
      : `{${Array.from({ length: extents[place.length]! }, (_, i) => visit([...place, i])).join(', ')}}`;
  return visit([]);
};

/** The scalars of a class, in order of first use. */
export const scalarsOf = ({ kernels }: KernelClass): readonly string[] => [
  ...new Set(kernels.flatMap((k) => k.plan.scalars)),
];

/** The tensors that a kernel's products ask for meanwhile (§4.6). */
export const prefetched = (kernels: readonly ProjectKernel[]): readonly string[] => [
  ...new Set(kernels.flatMap((k) => k.plan.actions.flatMap((a) => (a.prefetch === undefined ? [] : [a.prefetch])))),
];

/** What runs a member: `execute`, `execute0`, `execute0_1`. */
export const methodOf = (kernel: ProjectKernel): string => `execute${kernel.member.join('_')}`;

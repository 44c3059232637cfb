import { buildKernel, coreDialects, type Kernel } from '@filigree/ir';
import { fieldDialect, isSparse, type Layout } from '@filigree/sparse/fields';

/**
 * For each field of a single number that is always there, by its name, a kernel that sets its adjoint to one: where launches wait, the
 * host would run them all to write it.
 */
export const beginKernels = (
  layout: Layout,
  adjoints: Readonly<Record<string, string>>,
): ReadonlyMap<string, Kernel> => {
  const dialects = [...coreDialects, fieldDialect(layout)];
  return new Map(
    Object.entries(adjoints).flatMap(([primal, adjoint]) => {
      const { path, axes, field } = layout.fields.get(adjoint)!;
      const nodes = path.map((n) => layout.nodes[n]);
      const single = nodes.every(
        (n) => ['dense', 'place'].includes(n.kind) && !isSparse(n) && n.extents.every((e) => e === 1),
      );
      if (!single) return [];
      const kernel = buildKernel(
        `begin_${adjoint}`,
        {},
        (b) => {
          const at = axes.map(() => b.constant(0, 'i32'));
          b.op('field.store', [b.constant(1, field.type), ...at], { field: adjoint, activate: false });
        },
        [],
        { dialects },
      );
      return [[primal, kernel] as const];
    }),
  );
};

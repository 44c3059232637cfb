import { buildKernel, coreDialects, type Kernel } from '@filigree/ir';
import { axesOf, fieldDialect, type Layout, type SNode } from '@filigree/sparse/fields';

/** A kernel that sets adjoints to zero, wherever a cell of them is active. */
export const clearGradients = (name: string, layout: Layout, adjoints: readonly string[]): Kernel => {
  const within = new Map<SNode, string[]>();
  for (const adjoint of adjoints) {
    const node = layout.nodes[layout.fields.get(adjoint)!.path.at(-2)!];
    within.set(node, [...(within.get(node) ?? []), adjoint]);
  }
  return buildKernel(
    name,
    {},
    (b) => {
      for (const [node, names] of within) {
        const params = axesOf(layout, node.id).map(() => ({ type: 'i32' as const }));
        const { region } = b.region(params, (at) => {
          for (const field of names)
            b.op('field.store', [b.constant(0, layout.fields.get(field)!.field.type), ...at], {
              field,
              activate: false,
            });
        });
        b.op('field.for', [], { node: node.name }, [region]);
      }
    },
    [],
    { dialects: [...coreDialects, fieldDialect(layout)] },
  );
};

import type { Builder, Op, Value } from '@filigree/ir';
import { axesOf, elementsBelow, nodeOf, nodesWithin, type Layout, type SNode } from '@filigree/sparse/fields';

/** Sets the adjoints of what an op has cleared or deactivated to zero: what was there is gone, and so is its influence. False where the op does nothing of this kind. */
export type ForgetCleared = (b: Builder, op: Op, at: readonly Value[]) => boolean;

/**
 * No adjoint lies where no cell is: those that are there are visited.
 *
 * @param adjoints adjoint fields by their primals
 */
export const forgettingCleared =
  (layout: Layout, adjoints: Readonly<Record<string, string>>): ForgetCleared =>
  (b, op, at) => {
    if (!CLEARING.has(op.name)) return false;
    const node = nodeOf(layout, op)!;
    for (const id of nodesWithin(layout, node.id)) {
      const name = layout.nodes[id].field?.name;
      if (name === undefined || !Object.hasOwn(adjoints, name)) continue;
      if (op.name === 'field.clear_all') forgetAll(b, layout, adjoints[name]);
      else forgetWithin(b, layout, adjoints[name], boxOf(b, layout, op, node, id, at));
    }
    return true;
  };

const CLEARING: ReadonlySet<string> = new Set(['field.clear', 'field.clear_all', 'field.deactivate']);

const forget = (b: Builder, layout: Layout, field: string, at: readonly Value[]): void =>
  void b.op('field.store', [b.constant(0, layout.fields.get(field)!.field.type), ...at], { field, activate: false });

const forgetAll = (b: Builder, layout: Layout, field: string): void => {
  const node = layout.nodes[layout.fields.get(field)!.path.at(-2)!];
  const { region } = b.region(
    axesOf(layout, node.id).map(() => ({ type: 'i32' as const })),
    (at) => forget(b, layout, field, at),
  );
  b.op('field.for', [], { node: node.name }, [region]);
};

/** Elements along an axis: so many from one on. */
interface Stretch {
  readonly from: Value;
  readonly count: Value;
}

/** The elements of a field in a cell, or in a list as far as that reaches. */
const boxOf = (b: Builder, layout: Layout, op: Op, node: SNode, leaf: number, at: readonly Value[]): Stretch[] => {
  const around = op.name === 'field.clear' ? node.parent : node.id;
  const own = axesOf(layout, around);
  return axesOf(layout, leaf).map((axis): Stretch => {
    const below = elementsBelow(layout, around, leaf, axis);
    const n = own.indexOf(axis);
    const from = n < 0 ? b.i32(0) : b.mul(at[n], b.i32(below));
    const isList = op.name === 'field.clear' && node.axes.includes(axis);
    const cells = isList ? b.value('field.length', at, { node: node.name }) : undefined;
    const count = cells ? b.mul(cells, b.i32(elementsBelow(layout, node.id, leaf, axis))) : b.i32(below);
    return { from, count };
  });
};

const forgetWithin = (b: Builder, layout: Layout, field: string, box: readonly Stretch[]): void => {
  const along = (at: readonly Value[]): void => {
    if (at.length === box.length) return forget(b, layout, field, at);
    const { from, count } = box[at.length];
    b.for(b.i32(0), count, b.i32(1), {}, [], (n) => (along([...at, b.add(from, n)]), []));
  };
  along([]);
};

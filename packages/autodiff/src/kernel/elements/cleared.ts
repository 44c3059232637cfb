import type { Op, OpTable } from '@filigree/ir';
import { valueName, type Layout } from '@filigree/sparse/fields';
import type { ElementOpOf } from './element-ops.js';

/** The fields of which an op overwrites elements that it does not name as what it is given. */
export type ClearedBy = (op: Op) => readonly string[];

/** Whether an op deactivates one element of a field, at the index that it is given. */
export const isOneCleared = (op: Op, { nodes, fields }: Layout, field: string): boolean => {
  if (op.name !== 'field.deactivate') return false;
  const { path } = fields.get(field)!;
  return nodes[path.at(-2)!].name === op.attrs.node && nodes[path.at(-2)!].kind !== 'bits';
};

/**
 * Those of ops that deactivate cells, or make them ambient.
 *
 * @param adjoints fields that hold nothing while primals run
 */
export const clearedBy = (
  { fields, nodes }: Layout,
  table: OpTable,
  elementOf: ElementOpOf,
  adjoints: ReadonlySet<string>,
): ClearedBy => {
  const fieldsIn = new Map<string, string[]>();
  for (const [name, { path }] of fields) {
    if (adjoints.has(name)) continue;
    const words = valueName(nodes[path[path.length - 1]]);
    fieldsIn.set(words, [...(fieldsIn.get(words) ?? []), name]);
  }
  return (op) =>
    elementOf(op) || op.regions.length > 0
      ? []
      : table
          .get(op.name)!
          .effects(op)
          .flatMap(({ kind, buffer }) => (kind === 'read' ? [] : (fieldsIn.get(buffer ?? '') ?? [])));
};

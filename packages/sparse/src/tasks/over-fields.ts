import {
  bufferMap,
  Builder,
  controlBy,
  freshIds,
  makeOp,
  mapKernels,
  opTable,
  opWith,
  type Dialect,
  type Module,
  type Op,
  type OpTable,
  type Region,
} from '@filigree/ir';
import type { Layout } from '../fields/layout/layout.js';
import { rowByRow } from './row-by-row.js';

/**
 * A module of core ops some of whose buffers are fields, element by element and row by row: what it did to these buffers it does to the
 * fields. Nothing where it does more than to load, store and combine single elements, or does so under a condition: an index is taken to be
 * within bounds wherever it stands.
 *
 * @param fields the names of fields, by those of buffers of equal type and length
 */
export const overFields = (
  module: Module,
  fields: ReadonlyMap<string, string>,
  layout: Layout,
  dialects: readonly Dialect[],
): Module | undefined => {
  if (fields.size === 0) return module;
  const table = opTable(dialects);
  const fits = module.buffers.every(({ name, type }) => {
    const field = fields.get(name);
    const placed = field === undefined ? undefined : layout.fields.get(field);
    return field === undefined || (placed !== undefined && placed.axes.length > 0 && placed.field.type === type);
  });
  if (!fits || !module.kernels.every(({ body }) => isSimple(body, fields, table))) return undefined;
  const regionOf = ({ params, ops }: Region, b: Builder): Region => ({ params, ops: ops.flatMap((op) => opOf(op, b)) });
  const opOf = (op: Op, b: Builder): readonly Op[] => {
    const field = fieldOf(op, fields, table);
    if (field === undefined)
      return [op.regions.length === 0 ? op : opWith(op, { regions: op.regions.map((r) => regionOf(r, b)) })];
    const name = onElement[op.name];
    if (name === undefined) return [];
    const { kind } = op.attrs;
    const attrs = { field, inside: true, ...(kind === undefined ? {} : { kind }) };
    const number = op.operands[op.operands.length - 1];
    const { ops } = b.collect(() => {
      const at = rowByRow(b, number, layout.fields.get(field)!.extents);
      b.append(makeOp(name, [...op.operands.slice(0, -1), ...at], op.results, attrs, [], op.loc));
    });
    return ops;
  };
  return {
    ...mapKernels(module, (kernel) => ({
      ...kernel,
      body: regionOf(kernel.body, new Builder(table, bufferMap(module.buffers), freshIds(kernel))),
    })),
    buffers: module.buffers.filter((b) => !fields.has(b.name)),
  };
};

/** Ops on an element of a buffer, and those that do the same to one of a field, with the same operands. */
const onElement: Readonly<Record<string, string>> = {
  'mem.load': 'field.load',
  'mem.store': 'field.store',
  'mem.atomic': 'field.atomic',
};

/** The field that an op of a module touches. */
const fieldOf = (op: Op, fields: ReadonlyMap<string, string>, table: OpTable): string | undefined => {
  for (const { buffer } of table.get(op.name)?.effects(op) ?? [])
    if (buffer !== undefined && fields.has(buffer)) return fields.get(buffer);
  /* Hints have no effects, and nobody misses them. */
  const [access] = table.get(op.name)?.accesses?.(op) ?? [];
  return access && fields.get(access.place);
};

const isSimple = (body: Region, fields: ReadonlyMap<string, string>, table: OpTable): boolean => {
  const control = controlBy(table);
  const look = (region: Region, always: boolean): boolean =>
    region.ops.every((op) => {
      if (fieldOf(op, fields, table) !== undefined) return always && isElementOp(op, table);
      return op.regions.every((inner) => look(inner, always && control(op)?.count !== undefined));
    });
  return look(body, true);
};

const isElementOp = (op: Op, table: OpTable): boolean => {
  const [access] = table.get(op.name)?.accesses?.(op) ?? [];
  if (access?.kind === 'hint') return op.results.length === 0;
  const index = op.operands.at(-1)?.type;
  return Object.hasOwn(onElement, op.name) && index === 'i32' && op.attrs.lanes === undefined && isOfOneNumber(op);
};

const isOfOneNumber = ({ operands, results }: Op): boolean =>
  [...operands, ...results].every((v) => typeof v.type === 'string');

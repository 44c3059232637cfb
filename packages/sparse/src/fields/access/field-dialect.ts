import {
  dialect,
  type Dialect,
  type Effect,
  type Op,
  type OpDef,
  type Machine,
  type ScalarType,
  scalarOf,
  typeText,
  type AtomicKind,
  type RuntimeValue,
  type Scalar,
} from '@filigree/ir';
import {
  axesAbove,
  axesOf,
  isSparse,
  nodeOf,
  nodesWithin,
  nodeText,
  type Layout,
  type PlacedField,
  type SNode,
} from '../layout/layout.js';
import type { Coordinates, FieldStore } from '../meaning/field-store.js';

/**
 * Ops on fields, before anything is known of where they lie (thesis appendix A: GlobalLoad, GlobalStore, AtomicOp, SNodeOp,
 * StructFor). Coordinates are i32. The dialect belongs to one layout: it knows the fields' types and the nodes' kinds.
 *
 * With a store the interpreter runs them on it; without, they trap.
 */
export const fieldDialect = (layout: Layout, store?: FieldStore): Dialect => {
  /** The meaning of an op on the store: of its attributes, coordinates and values. */
  const on = (
    run: (store: FieldStore, op: Op, args: readonly RuntimeValue[], machine: Machine) => Scalar | void,
  ): Pick<OpDef, 'evaluate'> => ({
    evaluate: (op, args, machine) => {
      if (!store)
        return machine.trap(op, 'fields have no place yet: lower the module first, or give the dialect a store');
      const result = run(store, op, args, machine);
      return result === undefined ? [] : [result];
    },
  });
  const onField = (op: Op): PlacedField | undefined => layout.fields.get(String(op.attrs.field));
  const sparseAbove = (path: readonly number[]): Effect[] =>
    path
      .filter((n) => isSparse(layout.nodes[n]))
      .map((n) => ({ kind: 'atomic', buffer: structureName(layout.nodes[n]) }));

  /** What a write does to structure: it activates cells or, if it does not, asks which are active. */
  const reached = ({ path }: PlacedField, op: Op): readonly Effect[] =>
    sparseAbove(path).map((e): Effect => (activates(op) ? e : { ...e, kind: 'read' }));

  /** An op on one element of a field, with `values` operands before the coordinates. */
  const elementOp = (
    name: string,
    summary: string,
    values: number,
    effects: (field: PlacedField, op: Op) => readonly Effect[],
    result: boolean,
    meaning: Parameters<typeof on>[0],
    extra: (op: Op) => string | undefined = none,
  ): OpDef =>
    define({
      ...on(meaning),
      name,
      summary,
      verify: (op) => {
        const field = onField(op);
        if (!field) return [`there is no field '${String(op.attrs.field)}'`];
        return problems(
          values > 0 && op.operands.length > 0 && op.operands[0].type !== field.field.type
            ? `operand 0 must be ${field.field.type}, the type of field '${field.field.name}', it is ${typeText(op.operands[0].type)}`
            : undefined,
          coordinates(op, values, field.axes.length),
          extra(op),
        );
      },
      resultTypes: (_operands, attrs) => {
        const field = layout.fields.get(String(attrs.field));
        return result && field ? [field.field.type] : [];
      },
      effects: (op) => {
        const field = onField(op);
        return field ? effects(field, op) : unknown;
      },
    });

  /** An op on the cell of a node in which an element lies, or on a list. */
  const nodeOp = (
    name: string,
    summary: string,
    coords: (node: SNode) => number,
    result: ScalarType | undefined,
    effects: (node: SNode) => readonly Effect[],
    suits: (node: SNode) => string | undefined,
    meaning: (store: FieldStore, node: number, at: Coordinates) => Scalar | void,
  ): OpDef =>
    define({
      ...on((s, op, at) => meaning(s, nodeOf(layout, op)!.id, at as Coordinates)),
      name,
      summary,
      verify: (op) => {
        const node = nodeOf(layout, op);
        if (!node) return [`there is no node '${String(op.attrs.node)}'`];
        return problems(suits(node), coordinates(op, 0, coords(node)));
      },
      resultTypes: () => (result ? [result] : []),
      effects: (op) => {
        const node = nodeOf(layout, op);
        return node ? effects(node) : unknown;
      },
    });

  /** Reads which cells of a node are active, and of those around it. */
  const asks = (node: SNode): Effect[] =>
    [node.id, ...ancestors(layout, node.id)].map((n) => ({ kind: 'read', buffer: structureName(layout.nodes[n]) }));
  const value = (field: PlacedField): string => valueName(field.field.name);
  const down = (node: SNode): number => axesOf(layout, node.id).length;
  const above = (node: SNode): number => axesAbove(layout, node.id).length;
  const sparse = (node: SNode): string | undefined =>
    isSparse(node) ? undefined : `${nodeText(node)} has no inactive cells`;
  const cells = (node: SNode): string | undefined =>
    node.field || node.id === 0 ? `${nodeText(node)} has no cells` : undefined;
  const list = (node: SNode): string | undefined =>
    node.kind === 'dynamic' ? undefined : `${nodeText(node)} is not a list`;
  const below = (node: SNode): Effect[] =>
    nodesWithin(layout, node.id)
      .slice(1)
      .flatMap((n): Effect[] => {
        const inner = layout.nodes[n];
        if (inner.field) return [{ kind: 'write', buffer: valueName(inner.field.name) }];
        return isSparse(inner) ? [{ kind: 'atomic', buffer: structureName(inner) }] : [];
      });

  return dialect('field', [
    elementOp(
      'field.load',
      'the value of an element, the ambient value where it is not active',
      0,
      (f) => [{ kind: 'read', buffer: value(f) }],
      true,
      (s, op, at) => s.load(String(op.attrs.field), at as Coordinates),
    ),
    elementOp(
      'field.store',
      'writes an element, and activates it; with `activate = false` only where it is active',
      1,
      (f, op) => [{ kind: 'write', buffer: value(f) }, ...reached(f, op)],
      false,
      (s, op, [x, ...at]) => s.store(String(op.attrs.field), at as Coordinates, x as Scalar, activates(op)),
      activation,
    ),
    elementOp(
      'field.atomic',
      'combines an element with a value by `kind` in one step, and activates it; the result is the old value; with ' +
        '`activate = false` only where it is active, and elsewhere the result is the ambient value',
      1,
      (f, op) => [{ kind: 'atomic', buffer: value(f) }, ...reached(f, op)],
      true,
      (s, op, [x, ...at]) =>
        s.atomic(String(op.attrs.field), at as Coordinates, op.attrs.kind as AtomicKind, x as Scalar, activates(op)),
      (op) =>
        atomicKinds.includes(String(op.attrs.kind)) ? activation(op) : `there is no kind '${String(op.attrs.kind)}'`,
    ),
    nodeOp(
      'field.is_active',
      'whether the cell of `node` with this element is active, and all around it',
      down,
      'i1',
      asks,
      sparse,
      (s, node, at) => s.isActive(node, at),
    ),
    nodeOp(
      'field.activate',
      'activates the cell of `node` with this element, and all around it',
      down,
      undefined,
      (n) => sparseAbove([...ancestors(layout, n.id), n.id]),
      sparse,
      (s, node, at) => s.activate(node, at),
    ),
    nodeOp(
      'field.deactivate',
      'deactivates the cell of `node` with this element, and all within it; of a node that is not sparse it becomes ambient',
      down,
      undefined,
      (n) => [{ kind: 'atomic', buffer: structureName(n) }, ...below(n)],
      cells,
      (s, node, at) => s.deactivate(node, at),
    ),
    nodeOp(
      'field.append',
      'adds a cell to the end of a list; the result is its number, from 0',
      above,
      'i32',
      (n) => sparseAbove([...ancestors(layout, n.id), n.id]),
      list,
      (s, node, at) => s.append(node, at),
    ),
    nodeOp('field.length', 'cells of a list', above, 'i32', asks, list, (s, node, at) => s.length(node, at)),
    nodeOp(
      'field.clear',
      'empties a list',
      above,
      undefined,
      (n) => [{ kind: 'atomic', buffer: structureName(n) }, ...below(n)],
      list,
      (s, node, at) => s.clear(node, at),
    ),
    nodeOp(
      'field.clear_all',
      'deactivates every cell of a node, and all within them; of a node that is not sparse they become ambient',
      () => 0,
      undefined,
      (n) => [{ kind: 'atomic', buffer: structureName(n) }, ...below(n)],
      cells,
      (s, node) => s.clearAll(node),
    ),
    define({
      ...on((s, op, _args, machine) => {
        for (const at of s.active(nodeOf(layout, op)!.id)) machine.region(op.regions[0], at);
      }),
      name: 'field.for',
      summary:
        'runs its region, in parallel, for the coordinates of each active element of `node`, the parent of fields; ' +
        '`cache` names fields to keep in scratchpads, `block` the most elements of a task',
      verify: (op) => {
        const node = nodeOf(layout, op);
        if (!node) return [`there is no node '${String(op.attrs.node)}'`];
        const params = op.regions[0]?.params ?? [];
        return problems(
          op.operands.length > 0 ? 'takes no operands' : undefined,
          op.regions.length === 1 ? undefined : 'has one region',
          node.children.some((c) => layout.nodes[c].field) ? undefined : `no field is placed in ${nodeText(node)}`,
          params.length === down(node) && params.every((p) => p.type === 'i32')
            ? undefined
            : `the region takes ${down(node)} coordinates, all i32`,
        );
      },
      resultTypes: () => [],
      effects: (op) => {
        const node = nodeOf(layout, op);
        return node ? asks(node) : unknown;
      },
    }),
    define({
      name: 'field.assume_in_range',
      summary: 'its first operand, which is promised to be at least base + `lo` and below base + `hi`',
      verify: (op) =>
        problems(
          coordinates(op, 0, 2),
          Number.isInteger(op.attrs.lo) && Number.isInteger(op.attrs.hi) ? undefined : 'wants integers `lo` and `hi`',
        ),
      resultTypes: () => ['i32'],
      evaluate: (_op, [x]) => [x],
    }),
  ]);
};

/** Whether a write to an element activates the cells around it, as it does unless it says otherwise. */
export const activates = ({ attrs }: Op): boolean => attrs.activate !== false;

/** What effects call the values of a field. A buffer cannot have this name. */
export const valueName = (field: string): string => `$${field}`;

/** What effects call the structure of a node: which of its cells are active. */
export const structureName = ({ name }: SNode): string => `#${name}`;

type Draft = Pick<OpDef, 'name' | 'summary' | 'verify' | 'resultTypes' | 'evaluate'> & Partial<Pick<OpDef, 'effects'>>;

const define = (draft: Draft): OpDef => ({ effects: () => [], ...draft, traits: {} });

/* An op that names nothing known may touch anything. */
const unknown: readonly Effect[] = [{ kind: 'write' }];

const none = (): undefined => undefined;

const atomicKinds = ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange'];

const activation = ({ attrs }: Op): string | undefined =>
  attrs.activate === undefined || typeof attrs.activate === 'boolean' ? undefined : "'activate' is true or false";

const problems = (...list: readonly (string | undefined)[]): readonly string[] =>
  list.filter((p): p is string => p !== undefined);

const coordinates = (op: Op, from: number, count: number): string | undefined => {
  const given = op.operands.slice(from);
  if (given.length !== count) return `takes ${count} coordinates, has ${given.length}`;
  return given.every((v) => scalarOf(v.type) === 'i32' && typeof v.type === 'string')
    ? undefined
    : 'coordinates must be i32';
};

const ancestors = (layout: Layout, id: number): number[] => {
  const list: number[] = [];
  for (let at = layout.nodes[id].parent; at > 0; at = layout.nodes[at].parent) list.push(at);
  return list.filter((n) => isSparse(layout.nodes[n]));
};

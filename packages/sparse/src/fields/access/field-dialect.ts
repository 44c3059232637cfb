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
  type Value,
} from '@filigree/ir';
import {
  axesAbove,
  axesOf,
  isSparse,
  nodeOf,
  nodesWithin,
  nodeText,
  pathTo,
  type Layout,
  type PlacedField,
  type SNode,
} from '../layout/layout.js';
import type { Coordinates, FieldOps } from '../meaning/field-ops.js';
import { wordFields } from './word-fields.js';

/**
 * Ops on fields, before anything is known of where they lie (thesis appendix A: GlobalLoad, GlobalStore, AtomicOp, SNodeOp,
 * StructFor). Coordinates are i32. The dialect belongs to one layout: it knows the fields' types and the nodes' kinds.
 *
 * With a store the interpreter runs them on it; without, they trap.
 */
export const fieldDialect = (layout: Layout, store?: FieldOps): Dialect => {
  /** The meaning of an op on the store: of its attributes, coordinates and values. */
  const on = (
    run: (store: FieldOps, op: Op, args: readonly RuntimeValue[], machine: Machine) => Scalar | void,
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

  /**
   * An op on one element of a field, with the value before the coordinates where there is one; with `inside` its coordinates are within bounds
   * wherever it runs.
   */
  const elementOp = (
    name: string,
    summary: string,
    kind: 'read' | 'write' | 'atomic',
    effects: (field: PlacedField, op: Op) => readonly Effect[],
    result: boolean,
    meaning: Parameters<typeof on>[0],
    extra: (op: Op) => string | undefined = none,
  ): OpDef => {
    return define({
      ...on(meaning),
      name,
      summary,
      verify: (op) => {
        const field = onField(op);
        if (!field) return [`there is no field '${String(op.attrs.field)}'`];
        const values = writtenBy(op);
        return problems(
          values > 0 && op.operands.length > 0 && op.operands[0].type !== field.field.type
            ? `operand 0 must be ${field.field.type}, the type of field '${field.field.name}', it is ${typeText(op.operands[0].type)}`
            : undefined,
          coordinates(op, values, field.axes.length),
          truth(op, 'inside'),
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
      /* What is written to an element that is out of bounds is not there afterwards. */
      accesses: (op) => {
        const field = onField(op);
        if (!field || sharesWord(leafOf(field))) return [];
        const place = value(field);
        const index = op.operands.slice(writtenBy(op));
        return [{ kind, place, index, count: 1, ...(kind === 'read' ? { value: op.results[0] } : {}) }];
      },
    });
  };

  /** An op on the cell of a node in which an element lies, or on a list. */
  const nodeOp = (
    name: string,
    summary: string,
    coords: (node: SNode) => number,
    result: ScalarType | undefined,
    effects: (node: SNode) => readonly Effect[],
    suits: (node: SNode) => string | undefined,
    meaning: (store: FieldOps, node: number, at: Coordinates) => Scalar | void,
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
  const leafOf = ({ path }: PlacedField): SNode => layout.nodes[path[path.length - 1]];
  const value = (field: PlacedField): string => valueName(leafOf(field));
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
        if (inner.field) return [{ kind: 'write', buffer: valueName(inner) }];
        return isSparse(inner) ? [{ kind: 'atomic', buffer: structureName(inner) }] : [];
      });

  return dialect('field', [
    elementOp(
      'field.load',
      'the value of an element, the ambient value where it is not active',
      'read',
      (f) => [{ kind: 'read', buffer: value(f) }],
      true,
      (s, op, at) => s.load(String(op.attrs.field), at as Coordinates),
    ),
    elementOp(
      'field.store',
      'writes an element, and activates it; with `activate = false` only where it is active, which `known` promises of all within bounds; ' +
        '`alone` promises that no other thread writes its word meanwhile',
      'write',
      (f, op) => [{ kind: 'write', buffer: value(f) }, ...reached(f, op)],
      false,
      (s, op, [x, ...at]) => s.store(String(op.attrs.field), at as Coordinates, x as Scalar, activates(op)),
      activation,
    ),
    elementOp(
      'field.store_word',
      'writes `fields` of an element, which share a word with `field`, the first of them, at once: what they are encoded with is chosen ' +
        'for all; otherwise as `field.store`',
      'write',
      (f, op) => [{ kind: 'write', buffer: value(f) }, ...reached(f, op)],
      false,
      (s, op, args) => {
        const names = wordFields(op);
        s.storeWord(
          names,
          args.slice(names.length) as Coordinates,
          args.slice(0, names.length) as Scalar[],
          activates(op),
        );
      },
      (op) => {
        const [first, ...others] = wordFields(op);
        if (first !== op.attrs.field) return "the first of 'fields' must be 'field'";
        const of = onField(op)!;
        const odd = others.find((name, n) => {
          const other = layout.fields.get(name);
          return (
            !other ||
            value(other) !== value(of) ||
            leafOf(other).parent !== leafOf(of).parent ||
            op.operands[n + 1]?.type !== other.field.type
          );
        });
        return odd === undefined
          ? activation(op)
          : `field '${odd}' does not share the word of '${first}', or has another type`;
      },
    ),
    elementOp(
      'field.atomic',
      'combines an element with a value by `kind` in one step, and activates it; the result is the old value; with ' +
        '`activate = false` only where it is active, and elsewhere the result is the ambient value; `known` and `alone` as for a store',
      'atomic',
      (f, op) => [{ kind: 'atomic', buffer: value(f) }, ...reached(f, op)],
      true,
      (s, op, [x, ...at]) =>
        s.atomic(String(op.attrs.field), at as Coordinates, op.attrs.kind as AtomicKind, x as Scalar, activates(op)),
      (op) => {
        const { joint } = leafOf(onField(op)!).stored ?? {};
        if (joint)
          return `there is no atomic operation on field '${String(op.attrs.field)}', which shares '${joint.by.name}' with others: it would change them`;
        return atomicKinds.includes(String(op.attrs.kind))
          ? activation(op)
          : `there is no kind '${String(op.attrs.kind)}'`;
      },
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
    nodeOp(
      'field.list',
      'makes the list of the active cells of `node`, for loops over elements that say so',
      () => 0,
      undefined,
      (n) => [...asks(n), { kind: 'write', buffer: listName(n) }],
      sparse,
      () => undefined,
    ),
    define({
      ...on((s, op, _args, machine) => {
        for (const at of s.active(nodeOf(layout, op)!.id)) machine.region(op.regions[0], at);
      }),
      name: 'field.for',
      summary:
        'runs its region, in parallel, for the coordinates of each active element of `node`, the parent of fields; ' +
        '`cache` names fields to keep in scratchpads, `block` the most elements of a task, `list` a node around whose list ' +
        'of active cells is there and right',
      verify: (op) => {
        const node = nodeOf(layout, op);
        if (!node) return [`there is no node '${String(op.attrs.node)}'`];
        const params = op.regions[0]?.params ?? [];
        return problems(
          op.operands.length > 0 ? 'takes no operands' : undefined,
          op.regions.length === 1 ? undefined : 'has one region',
          node.children.some((c) => layout.nodes[c].field) ? undefined : `no field is placed in ${nodeText(node)}`,
          op.attrs.list === undefined ||
            pathTo(layout.nodes, node.id).some((n) => layout.nodes[n].name === op.attrs.list)
            ? undefined
            : `there is no node '${String(op.attrs.list)}' around`,
          params.length === down(node) && params.every((p) => p.type === 'i32')
            ? undefined
            : `the region takes ${down(node)} coordinates, all i32`,
        );
      },
      resultTypes: () => [],
      effects: (op) => {
        const node = nodeOf(layout, op);
        if (!node) return unknown;
        return op.attrs.list === undefined
          ? asks(node)
          : [...asks(node), { kind: 'read', buffer: `~${String(op.attrs.list)}` }];
      },
      control: ({ regions: [{ params }] }) => {
        const into = params.length;
        return {
          edges: [
            { from: 'start', to: 0, first: 0, into },
            { from: 'start', to: 'end', first: 0, into: 0 },
            { from: 0, to: 0, first: 0, into },
            { from: 0, to: 'end', first: 0, into: 0 },
          ],
          parallel: true,
        };
      },
    }),
    define({
      name: 'field.assume_in_range',
      summary:
        'its first operand, which is promised to be at least base + `lo` and below base + `hi`; if `distinct`, also that over the iterations of the outermost loop around it is each of them once',
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

/** Whether a write does not activate the cells around an element since, by promise, they are active. */
export const findsActive = ({ attrs }: Op): boolean => attrs.activate === false && attrs.known === true;

/** Values before the coordinates in an op on an element. */
export const writtenBy = (op: Op): number =>
  op.name === 'field.load' ? 0 : op.name === 'field.store_word' ? wordFields(op).length : 1;

/** The element that an op reads or writes: its field, and its index. */
export interface ElementOf {
  readonly placed: PlacedField;
  readonly index: readonly Value[];
}

/** The element of a field that an op of the dialect `field` is about; nothing for other ops. */
export const elementOf = (layout: Layout, { operands, attrs }: Op): ElementOf | undefined => {
  const placed = layout.fields.get(String(attrs.field));
  return placed && { placed, index: operands.slice(operands.length - placed.axes.length) };
};

/**
 * What effects call the words in which the values of a field lie, by its `place` node: fields that share a word share the name. A
 * buffer cannot have it.
 */
export const valueName = ({ name, stored }: SNode): string => `$${stored?.word ?? name}`;

/** Whether a field shares a word, which then is no one's element: elements of several fields would have one name. */
export const sharesWord = ({ stored }: SNode): boolean => stored?.shared === true;

/** What effects call the structure of a node: which of its cells are active. */
export const structureName = ({ name }: SNode): string => `#${name}`;

/** What effects call the list of the active cells of a node. */
export const listName = ({ name }: SNode): string => `~${name}`;

type Draft = Pick<OpDef, 'name' | 'summary' | 'verify' | 'resultTypes' | 'evaluate'> &
  Partial<Pick<OpDef, 'effects' | 'control' | 'accesses'>>;

const define = (draft: Draft): OpDef => ({ effects: () => [], ...draft, traits: {} });

/* An op that names nothing known may touch anything. */
const unknown: readonly Effect[] = [{ kind: 'write' }];

const none = (): undefined => undefined;

const atomicKinds = ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange'];

const truth = ({ attrs }: Op, name: string): string | undefined =>
  attrs[name] === undefined || typeof attrs[name] === 'boolean' ? undefined : `'${name}' is true or false`;

const activation = (op: Op): string | undefined => truth(op, 'activate') ?? truth(op, 'known');

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

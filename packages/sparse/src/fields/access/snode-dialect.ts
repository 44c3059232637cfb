import {
  type Access,
  dialect,
  lanesOf,
  scalarOf,
  typeText,
  type Dialect,
  type Effect,
  type Op,
  type OpDef,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { axesAbove, axesOf, isSparse, nodeOf, nodeText, type Layout, type SNode } from '../layout/layout.js';
import { sharesWord, structureName, valueName } from './field-dialect.js';
import type { ArenaStore } from '../meaning/arena-store.js';
import { guardsOf, unguarded } from './guards.js';
import { snodeRanges } from './snode-ranges.js';
import { wordFields } from './word-fields.js';

/**
 * Micro-accesses (thesis §5.1 and appendix A): the steps by which an access goes from the root down to a value, a level at
 * a time, so that accesses can share them. A *cell* and a *container* are i32 values that mean an address and are opaque
 * until `lowerSNodes`: the ops below make and take them, and nothing else may. Coordinates are i32.
 *
 * An inactive cell holds ambient values only, so a lookup that does not activate gives a cell to read from whether there is
 * one or not. Guards, i1 operands at the end, say of indices that they are within bounds: unless all are true an op does
 * nothing, and what it gives is that of a place where nothing is. Like the field dialect this one belongs to a layout.
 *
 * With a store the interpreter runs them on it; without, they trap.
 */
export const snodeDialect = (layout: Layout, store?: ArenaStore): Dialect => {
  /** An op that names a node: a check of the node first, then of the operands. */
  const nodeOp = (
    name: string,
    summary: string,
    check: (op: Op, node: SNode) => readonly (string | undefined)[],
    result: (node: SNode) => ScalarType | undefined,
    effects: (op: Op, node: SNode) => readonly Effect[] = none,
    accesses?: (op: Op, place: string) => Access,
  ): OpDef =>
    define({
      name,
      summary,
      verify: (op) => {
        const node = nodeOf(layout, op);
        return node ? problems(check(op, node)) : [`there is no node '${String(op.attrs.node)}'`];
      },
      resultTypes: (_operands, attrs) => {
        const node = nodeOf(layout, { attrs });
        const type = node && result(node);
        return type ? [type] : [];
      },
      effects: (op) => {
        const node = nodeOf(layout, op);
        return node ? effects(op, node) : anything;
      },
      ...(accesses && {
        accesses: (op) => {
          const node = nodeOf(layout, op)!;
          return sharesWord(node) ? [] : [asRead(node, accesses(op, valueName(node)))];
        },
      }),
    });

  const structure = (kind: Effect['kind']) => (_op: Op, node: SNode) =>
    isSparse(node) ? [{ kind, buffer: structureName(node) }] : [];
  const value = (kind: Effect['kind']) => (_op: Op, node: SNode) => [{ kind, buffer: valueName(node) }];
  const removed = (_op: Op, node: SNode): readonly Effect[] => [
    ...structure('atomic')(_op, node),
    ...node.children.flatMap((c) => {
      const child = layout.nodes[c];
      return child.field ? value('write')(_op, child) : removed(_op, child);
    }),
  ];
  const isPlace = (node: SNode): string | undefined =>
    node.field ? undefined : `${nodeText(node)} has no value of its own`;
  const isList = (node: SNode): string | undefined =>
    node.kind === 'dynamic' ? undefined : `${nodeText(node)} is not a list`;
  const hasType = (op: Op, node: SNode): string | undefined =>
    node.field && op.operands.length > 0 && op.operands[0].type !== node.field.type
      ? `operand 0 must be ${node.field.type}, the type of field '${node.field.name}', it is ${typeText(op.operands[0].type)}`
      : undefined;

  /** Operands of a lookup: the container, the number but for a hash table, and coordinates where they may be needed. */
  const lookupOperands = (op: Op, node: SNode): string | undefined => {
    const head = node.kind === 'hash' ? 1 : 2;
    const coordinates = axesOf(layout, node.id).length;
    const optional = node.kind !== 'hash' && op.attrs.activate !== true;
    const given = unguarded(op).length - head;
    return given === coordinates || (optional && given === 0)
      ? undefined
      : `takes ${head + coordinates} operands, has ${head + given}`;
  };

  const ops: readonly OpDef[] = [
    define({
      name: 'snode.index',
      summary:
        'base + digit, with the promise that base is a multiple of `unit` and 0 ≤ digit < `unit`; ' +
        'where `lo` and `hi` are given also that `lo` ≤ base + digit < `hi`',
      verify: (op) =>
        problems([operands(op, 2), whole(op, 'unit', 1), ...['lo', 'hi'].map((a) => whole(op, a, undefined, true))]),
      resultTypes: i32,
      evaluate: (_op, [base, digit]) => [(Number(base) + Number(digit)) | 0],
    }),
    define({
      name: 'snode.clamp',
      summary:
        'the number from 0 to `extent` − 1 that is nearest; with `past` a number that is not one of these is `extent`',
      verify: (op) => problems([operands(op, 1), whole(op, 'extent', 1)]),
      resultTypes: i32,
      evaluate: ({ attrs }, [x]) => {
        const [number, extent] = [Number(x), Number(attrs.extent)];
        if (number >= 0 && number < extent) return [number];
        return [attrs.past === true ? extent : number < 0 ? 0 : extent - 1];
      },
    }),
    define({
      name: 'snode.extract',
      summary:
        'a digit of an index (OffsetAndExtract): ⌊i ÷ `below`⌋ mod `extent`, not reduced where `extent` is 0; ' +
        'i is not negative unless `signed`',
      verify: (op) =>
        problems([
          operands(op, 1),
          whole(op, 'below', 1),
          whole(op, 'extent', 0),
          typeof op.attrs.signed === 'boolean' || op.attrs.signed === undefined
            ? undefined
            : "'signed' is true or false",
        ]),
      resultTypes: i32,
      evaluate: ({ attrs }, [x]) => {
        const [whole, extent] = [Math.floor(Number(x) / Number(attrs.below)), Number(attrs.extent)];
        return [extent === 0 ? whole : ((whole % extent) + extent) % extent];
      },
    }),
    define({
      name: 'snode.inside',
      summary: 'whether a clamped number, its first operand, is the number, the second: whether that is within bounds',
      verify: (op) => problems([operands(op, 2)]),
      resultTypes: () => ['i1'],
      evaluate: (_op, [clamped, number]) => [clamped === number],
    }),
    nodeOp(
      'snode.linearize',
      'the number of a cell in its container, from its digit along each axis that `node` splits: row by row, or in Z-order',
      (op, node) => [operands(op, [...node.axes].length)],
      () => 'i32',
    ),
    define({
      name: 'snode.root',
      summary: 'the one cell of the root',
      verify: (op) => problems([operands(op, 0)]),
      resultTypes: i32,
    }),
    nodeOp(
      'snode.child',
      'the container of `node` in a cell of its parent (GetCh); where `node` is a field, its value',
      (op) => [operands(op, 1)],
      () => 'i32',
    ),
    nodeOp(
      'snode.lookup',
      'the cell of `node` with a number in a container, or in a hash table with coordinates (SNodeLookup); with `activate` ' +
        'it is active afterwards; `known` promises that it is, within bounds; `site` is the place in the program, for messages; where a guard ' +
        'is false nothing becomes active, and where cells are allocated one by one or lie in rows it is an ambient one, with ' +
        '`activate` or `written` a sink; so it is with `past` where a digit is just past the last',
      (op, node) => [guardedI32(op), lookupOperands(op, node)],
      () => 'i32',
      (op, node) => (op.attrs.activate === true ? structure('atomic') : structure('read'))(op, node),
    ),
    define({
      name: 'snode.lookup_all',
      summary:
        'the cells that `count` lookups of `node` with `activate` find, whose operands follow one another, the guards of each ' +
        'behind it; none of them comes before another',
      verify: (op) => {
        const node = nodeOf(layout, op);
        if (!node?.pointer && node?.kind !== 'hash') return ['is for nodes whose cells are allocated one by one'];
        const each = axesOf(layout, node.id).length + (node.kind === 'hash' ? 1 : 2);
        const given = op.operands.filter((v) => v.type !== 'i1');
        return problems([
          whole(op, 'count', 1),
          given.length === each * Number(op.attrs.count) && given.every((v) => v.type === 'i32')
            ? undefined
            : `takes ${each} i32 operands for each lookup, and their guards`,
        ]);
      },
      resultTypes: (_operands, attrs) => new Array<ScalarType>(Number(attrs.count)).fill('i32'),
      effects: (op) => {
        const node = nodeOf(layout, op);
        return node ? structure('atomic')(op, node) : anything;
      },
    }),
    hint(
      nodeOp(
        'snode.prefetch',
        'says that the cell of a hash table with these coordinates will be looked up soon',
        (op, node) => [
          node.kind === 'hash' ? undefined : `${nodeText(node)} is no hash table`,
          operands(op, axesOf(layout, node.id).length),
        ],
        () => undefined,
      ),
    ),
    define({
      name: 'snode.offset',
      summary: 'the cell or value so many `bytes` further on (IntegerOffset), in a bit array eighths of them',
      verify: (op) =>
        problems([
          operands(op, 1),
          Number.isSafeInteger(8 * Number(op.attrs.bytes)) ? undefined : "attribute 'bytes' must be a number of bits",
        ]),
      resultTypes: i32,
    }),
    nodeOp(
      'snode.is_active',
      'whether the cell that a lookup with the same operands would find is active',
      (op, node) => [allI32(op), isSparse(node) ? lookupOperands(op, node) : `${nodeText(node)} has no inactive cells`],
      () => 'i1',
      structure('read'),
    ),
    nodeOp(
      'snode.append',
      'adds a cell to the list in a container; the result is its number, that just past the last where a guard is false or the ' +
        'list is in a sink; the coordinates of the container are for messages',
      (op, node) => [isList(node), guarded(op, 1 + axesAbove(layout, node.id).length)],
      () => 'i32',
      structure('atomic'),
    ),
    nodeOp(
      'snode.length',
      'cells of the list in a container; 0 where a guard is false',
      (op, node) => [isList(node), guarded(op, 1)],
      () => 'i32',
      structure('read'),
    ),
    nodeOp(
      'snode.deactivate',
      'the cell that a lookup with the same operands would find, and all within it, is not active afterwards; of a node that ' +
        'is not sparse it is ambient',
      (op, node) => [
        allI32(op),
        node.kind !== 'dynamic' ? lookupOperands(op, node) : `single cells of ${nodeText(node)} cannot become inactive`,
      ],
      () => undefined,
      removed,
    ),
    nodeOp(
      'snode.clear',
      'empties the list in a container',
      (op, node) => [isList(node), operands(op, 1)],
      () => undefined,
      removed,
    ),
    hint(
      nodeOp(
        'snode.assume_active',
        'promises that the cell of `node` with these coordinates, and all around it, are active from here to the end of the ' +
          'region; best said of a block before the loops over its elements, and of an element within them',
        (op, node) => [operands(op, axesOf(layout, node.id).length)],
        () => undefined,
      ),
    ),
    nodeOp(
      'snode.load',
      'the value of a field; the ambient one where a guard is false',
      (op, node) => [isPlace(node), guarded(op, 1)],
      (node) => node.field?.type,
      value('read'),
      (op, place) => touched(op, 'read', place, 0, op.results[0]),
    ),
    nodeOp(
      'snode.store',
      'writes a value of a field; `alone` promises that no other thread writes the word meanwhile',
      (op, node) => [isPlace(node), countOf(unguarded(op), 2), hasType(op, node)],
      () => undefined,
      value('write'),
      (op, place) => touched(op, 'write', place, 1, op.operands[0]),
    ),
    nodeOp(
      'snode.store_word',
      'writes the values of `fields`, which share a word, in one step: `node` is the first; `alone` promises that no other ' +
        'thread writes the word meanwhile',
      (op, node) => [
        isPlace(node),
        countOf(unguarded(op), 1 + wordFields(op).length),
        ...wordFields(op).map((name, n) => {
          const other = layout.named.get(name);
          return other?.stored && other.parent === node.parent && valueName(other) === valueName(node)
            ? hasType({ ...op, operands: op.operands.slice(n) }, other)
            : `field '${name}' does not share the word of '${node.name}'`;
        }),
      ],
      () => undefined,
      value('write'),
    ),
    nodeOp(
      'snode.atomic',
      'combines a value of a field with another by `kind` in one step; the result is the old value; with `asked` it is the ' +
        'ambient one in a sink; `alone` promises that no other thread writes the word meanwhile',
      (op, node) => [isPlace(node), countOf(unguarded(op), 2), hasType(op, node)],
      (node) => node.field?.type,
      value('atomic'),
      (op, place) => touched(op, 'atomic', place, 1),
    ),
    define({
      name: 'snode.check_list',
      summary:
        'reports a number of a cell, its first operand, that is not below the length of its list, the second, at `site`, with ' +
        'the coordinates that follow',
      verify: (op) => problems([allI32(op), whole(op, 'site', 0)]),
      resultTypes: () => [],
      effects: () => [{ kind: 'atomic', buffer: STATUS_NAME }],
    }),
    define({
      name: 'snode.check',
      summary:
        'reports an index that is negative or not below its entry of `extents` as out of bounds at `site`; ' +
        'an extent of 0 is no bound',
      verify: (op) =>
        problems([
          allI32(op),
          whole(op, 'site', 0),
          Array.isArray(op.attrs.extents) && op.attrs.extents.length === op.operands.length
            ? undefined
            : "wants 'extents', one an index",
        ]),
      resultTypes: () => [],
      effects: () => [{ kind: 'atomic', buffer: STATUS_NAME }],
    }),
  ];
  const meanings = store?.microOps ?? {};
  return dialect(
    'snode',
    ops.map((op) => ({
      ...op,
      ...(meanings[op.name] && { evaluate: meanings[op.name] }),
      ...(snodeRanges[op.name] && { range: snodeRanges[op.name] }),
    })),
  );
};

/** What is stored in a format is not what was to be stored. */
const asRead = ({ stored }: SNode, { value, ...place }: Access): Access =>
  value && !(stored && place.kind !== 'read') ? { ...place, value } : place;

/** An access to the cell that is operand `at`. Where a guard is false nothing is there, so that only without them one knows what is. */
const touched = (op: Op, kind: Access['kind'], place: string, at: number, value?: Value): Access => ({
  kind,
  place,
  index: [op.operands[at]],
  count: 1,
  ...(value && guardsOf(op).length === 0 ? { value } : {}),
});

/** What effects call the status words. A buffer cannot have this name. */
const STATUS_NAME = '#status';

type Draft = Pick<OpDef, 'name' | 'summary' | 'verify' | 'resultTypes'> &
  Partial<Pick<OpDef, 'effects' | 'evaluate' | 'accesses'>>;

const define = (draft: Draft): OpDef => ({
  effects: none,
  evaluate: (op, _args, machine) =>
    machine.trap(op, 'cells have no address yet: lower the module first, or give the dialect a store'),
  ...draft,
  traits: {},
});

/* It computes nothing, and is there for a pass that has still to come. */
const hint = (def: OpDef): OpDef => ({ ...def, evaluate: () => [], traits: { hint: true } });

/* An op that names nothing known may touch anything. */
const anything: readonly Effect[] = [{ kind: 'write' }];

const none = (): readonly Effect[] => [];

const i32 = (): readonly ScalarType[] => ['i32'];

const problems = (list: readonly (string | undefined)[]): readonly string[] =>
  list.filter((p): p is string => p !== undefined);

const countOf = (given: readonly Value[], n: number): string | undefined =>
  given.length === n ? undefined : `takes ${n} operands, has ${given.length}`;

const allI32 = (op: Op): string | undefined => areI32(op.operands);

const areI32 = (given: readonly Value[]): string | undefined =>
  given.every((v) => scalarOf(v.type) === 'i32' && lanesOf(v.type) === 1) ? undefined : 'operands must be i32';

const guardedI32 = (op: Op): string | undefined => areI32(unguarded(op));

const guarded = (op: Op, n: number): string | undefined => countOf(unguarded(op), n) ?? guardedI32(op);

const operands = (op: Op, n: number): string | undefined => countOf(op.operands, n) ?? allI32(op);

const whole = (op: Op, attr: string, least?: number, optional = false): string | undefined => {
  const value = op.attrs[attr];
  if (value === undefined && optional) return undefined;
  return Number.isSafeInteger(value) && (least === undefined || (value as number) >= least)
    ? undefined
    : `attribute '${attr}' must be a whole number${least === undefined ? '' : ` of at least ${least}`}, it is ${String(value)}`;
};

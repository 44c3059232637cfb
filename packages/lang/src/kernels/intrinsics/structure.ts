import { AXIS_NAMES } from '@filigree/ir';
import type { AnyNode, CallExpression } from 'acorn';
import {
  axesAbove,
  axesOf,
  componentsOf,
  elementsBelow,
  isSparse,
  nodeText,
  type AnyField,
  type SNode,
} from '@filigree/sparse/fields';
import type { StructureOp } from '../code/code.js';
import { storeTerm } from '../elaborate/places/assign.js';
import { compute, originOf, placedOf, refuse, type Context } from '../elaborate/context/context.js';
import { reference, value } from '../elaborate/expressions/evaluate.js';
import { asIndex } from '../elaborate/terms/index-of.js';
import { isLiteral, nothing, termText, type Element, type Term } from '../elaborate/context/term.js';
import { literal, type Scalar, type Temp } from '../code/scalar.js';
import type { Intrinsic } from './intrinsic.js';

/** `isActive(u, i, j)`: of a field without sparse nodes whether the element exists. */
export const isActive: Intrinsic = (cx, e) => {
  const { field, index, outwards } = cellArguments(cx, e);
  const node = sparseNode(cx, e, field, index.length, outwards, outwards === 0);
  if (!node) {
    refuseNoIndices(cx, e, field, index);
    return withinExtents(cx, e, field, index);
  }
  const to: Temp = { is: 'temp', type: 'i1' };
  cx.session.emit(originOf(cx, e), {
    do: 'structure',
    to,
    op: 'is_active',
    node: node.name,
    index: along(cx, e, field, node, index),
  });
  return to;
};

/** `activate(u, i, j)`: nothing to do where all elements are active. */
export const activate: Intrinsic = (cx, e) => {
  const { field, index, outwards } = cellArguments(cx, e);
  const node = sparseNode(cx, e, field, index.length, outwards, false);
  if (!node) refuseNoIndices(cx, e, field, index);
  else
    cx.session.emit(originOf(cx, e), {
      do: 'structure',
      op: 'activate',
      node: node.name,
      index: along(cx, e, field, node, index),
    });
  return nothing;
};

/** `deactivate(u, i, j)`; where all elements are active they become ambient. */
export const deactivate: Intrinsic = (cx, e) => {
  const { field, index, outwards } = cellArguments(cx, e);
  const node = sparseNode(cx, e, field, index.length, outwards, false);
  if (!node && !isDense(cx, e, field))
    return refuse(
      cx,
      e,
      'lang/not-sparse',
      `elements of field '${field.name}' lie in lists, from which single ones cannot be taken`,
      'clear the list, or place the field below a pointer(), bitmasked() or hash() node',
    );
  if (!node) refuseNoIndices(cx, e, field, index);
  for (const n of node ? [node] : denseNodes(cx, field, outwards))
    cx.session.emit(originOf(cx, e), {
      do: 'structure',
      op: 'deactivate',
      node: n.name,
      index: along(cx, e, field, n, index),
    });
  return nothing;
};

/** `parent(u, n)`: the sparse cell n further out than the innermost, or than another one, `parent(parent(u))`. */
export const parent: Intrinsic = (cx, e) => {
  const u = e.arguments.length > 0 ? reference(cx, e.arguments[0]) : nothing;
  const steps = e.arguments.length > 1 ? value(cx, e.arguments[1]) : literal(1);
  if (u.is !== 'cell' && (u.is !== 'element' || u.index.length > 0))
    return refuse(cx, e, 'lang/not-a-field', `parent takes a field, this is ${termText(u)}`, 'write parent(u, 1)');
  if (!isLiteral(steps) || !Number.isInteger(steps.value) || Number(steps.value) < 0)
    return refuse(cx, e, 'lang/arguments', 'how far out is a whole number known at compile time', 'write parent(u, 1)');
  const inner = u.is === 'cell' ? u.outwards : 0;
  return { is: 'cell', field: u.field, outwards: inner + Number(steps.value) };
};

/** `append(u[i], x)`: the position of the new element. */
export const append: Intrinsic = (cx, e) => {
  const { element, node } = listArgument(cx, e, 'append');
  if (e.arguments.length !== 2)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `append takes a list and a value, not ${e.arguments.length} arguments`,
      'write append(u[i], x)',
    );
  refuseOwnLoop(cx, e, element, node, 'appended to');
  const { nodes } = cx.session.layout;
  const last = placedOf(cx, e, element.field).path.at(-1);
  if (last === undefined || nodes[last].parent !== node.id)
    return refuse(
      cx,
      e,
      'lang/append',
      `elements of field '${element.field.name}' are not the cells of the list itself: each cell holds several`,
      'place the field directly in the dynamic node',
    );
  const term = value(cx, e.arguments[1]);
  const at = originOf(cx, e);
  const to: Temp = { is: 'temp', type: 'i32' };
  cx.session.emit(at, { do: 'structure', to, op: 'append', node: node.name, index: element.index });
  storeTerm(cx, e, { ...element, index: [...element.index, to] }, term, e.arguments[1]);
  return to;
};

/** `length(u[i])`; of an array argument its length. */
export const length: Intrinsic = (cx, e) => {
  const of = e.arguments.length === 1 ? reference(cx, e.arguments[0]) : nothing;
  if (of.is === 'array') return of.length;
  const { element, node } = listArgument(cx, e, 'length');
  const to: Temp = { is: 'temp', type: 'i32' };
  cx.session.emit(originOf(cx, e), { do: 'structure', to, op: 'length', node: node.name, index: element.index });
  return to;
};

/** `clear(u[i])` empties a list; `clear(u)` makes the whole tree around the field inactive. */
export const clear: Intrinsic = (cx, e) => {
  const of = e.arguments.length === 1 ? reference(cx, e.arguments[0]) : nothing;
  const at = originOf(cx, e);
  if (of.is !== 'element' || of.index.length > 0) {
    const { element, node } = listArgument(cx, e, 'clear');
    refuseOwnLoop(cx, e, element, node, 'emptied');
    cx.session.emit(at, { do: 'structure', op: 'clear', node: node.name, index: element.index });
    return nothing;
  }
  if (cx.parallel)
    return refuse(
      cx,
      e,
      'lang/clear-in-loop',
      `clear(${of.field.name}) within a parallel loop would take away what other iterations use`,
      'put it before or after the loop, or deactivate single cells',
    );
  const { path } = placedOf(cx, e, of.field);
  const outermost = path.map((n) => cx.session.layout.nodes[n]).find(isSparse);
  for (const { name } of outermost ? [outermost] : denseNodes(cx, of.field, Infinity))
    cx.session.emit(at, { do: 'structure', op: 'clear_all', node: name, index: [] });
  return nothing;
};

const isDense = (cx: Context, e: AnyNode, field: AnyField): boolean =>
  !placedOf(cx, e, field).path.some((n) => isSparse(cx.session.layout.nodes[n]));

/**
 * The nodes whose cells hold the components of a field of which all elements are active, or those so many further out, but no
 * further than there are any.
 */
const denseNodes = (cx: Context, field: AnyField, outwards: number): readonly SNode[] => {
  const { layout } = cx.session;
  const ids = componentsOf(field).map(({ name }) => {
    const { path } = layout.fields.get(name)!;
    return path[Math.max(0, path.length - 2 - outwards)];
  });
  return [...new Set(ids)].map((id) => layout.nodes[id]);
};

/** Which elements a parallel loop over a list visits must not depend on what its iterations do to the list. */
const refuseOwnLoop = (cx: Context, e: AnyNode, { field }: Element, list: SNode, what: string): void => {
  if (!cx.parallel?.over.includes(list.id)) return;
  refuse(
    cx,
    e,
    'lang/list-in-loop',
    `a list of field '${field.name}' is ${what} in the parallel loop over the elements of these lists`,
    'go over the lists instead, for (const [i, j] of ndrange(n, m)) with a loop to length(u[i][j]) in it, or use other lists',
  );
};

interface CellArguments {
  readonly field: AnyField;
  readonly index: readonly Scalar[];
  readonly outwards: number;
}

/** `u, i, j` or `parent(u, n), i, j`, or `u[i], j`. */
const cellArguments = (cx: Context, e: CallExpression): CellArguments => {
  const [first, ...rest] = e.arguments;
  const of = first ? reference(cx, first) : nothing;
  if (of.is !== 'element' && of.is !== 'cell')
    return refuse(
      cx,
      first ?? e,
      'lang/not-a-field',
      `a field is wanted here, this is ${termText(of)}`,
      'write isActive(u, i, j)',
    );
  const index = [...(of.is === 'element' ? of.index : []), ...rest.map((r) => asIndex(cx, r, value(cx, r)))];
  cx.session.emit(originOf(cx, e), { do: 'bounds', values: index, of: 'index' });
  const axes = placedOf(cx, e, of.field).axes.length;
  if (index.length > axes)
    return refuse(
      cx,
      e,
      'lang/indices',
      `field '${of.field.name}' has ${axes} indices, here it has ${index.length}`,
      'leave some out',
    );
  return { field: of.field, index, outwards: of.is === 'cell' ? of.outwards : 0 };
};

/**
 * The sparse node on the path to a field that indices name a cell of: the innermost, or one further out. A list counts only
 * where all its indices are given.
 */
const sparseNode = (
  cx: Context,
  e: AnyNode,
  field: AnyField,
  given: number,
  outwards: number,
  lists: boolean,
): SNode | undefined => {
  const { layout } = cx.session;
  const { path, axes } = placedOf(cx, e, field);
  const found = path
    .map((n) => layout.nodes[n])
    .filter((n) => isSparse(n) && (n.kind !== 'dynamic' || (lists && given === axes.length)))
    .reverse();
  const node = found[outwards];
  if (!node && outwards > 0 && !isDense(cx, e, field))
    return refuse(
      cx,
      e,
      'lang/not-sparse',
      `field '${field.name}' has ${found.length} sparse nodes around it, none ${outwards} further out`,
      'use a smaller number',
    );
  const wanted = node ? axesOf(layout, node.id).filter((a) => axes.indexOf(a) >= given) : [];
  if (wanted.length > 0)
    return refuse(
      cx,
      e,
      'lang/indices',
      `a cell of ${nodeText(node)} is named by ${axesOf(layout, node.id).length} indices, here there are ${given}`,
      'give the indices of an element in it',
    );
  return node;
};

/** A field without sparse nodes has no cell for all of its elements either. */
const refuseNoIndices = (cx: Context, e: AnyNode, field: AnyField, index: readonly Scalar[]): void => {
  const { axes } = placedOf(cx, e, field);
  if (index.length > 0 || axes.length === 0) return;
  refuse(
    cx,
    e,
    'lang/indices',
    `an element of field '${field.name}' is named by ${axes.length} indices, here there are none`,
    'give the indices of an element',
  );
};

/** Which cell of a node an element lies in: of its indices those along the axes that the cells have, counted in cells. */
const along = (cx: Context, e: AnyNode, field: AnyField, node: SNode, index: readonly Scalar[]): readonly Scalar[] => {
  const { layout } = cx.session;
  const { axes, path } = placedOf(cx, e, field);
  const leaf = path[path.length - 1];
  return axesOf(layout, node.id).map((a) =>
    dividedDown(cx, e, index[axes.indexOf(a)], elementsBelow(layout, node.id, leaf, a)),
  );
};

/** ⌊x / by⌋, for negative x too. */
const dividedDown = (cx: Context, e: AnyNode, x: Scalar, by: number): Scalar => {
  if (by === 1) return x;
  if (Number.isInteger(Math.log2(by))) return compute(cx, e, 'shr', x, literal(Math.log2(by)));
  const rest = compute(
    cx,
    e,
    'rem',
    compute(cx, e, 'add', compute(cx, e, 'rem', x, literal(by)), literal(by)),
    literal(by),
  );
  return compute(cx, e, 'idiv', compute(cx, e, 'sub', x, rest), literal(by));
};

const withinExtents = (cx: Context, e: AnyNode, field: AnyField, index: readonly Scalar[]): Term => {
  const { extents } = placedOf(cx, e, field);
  return index
    .map((s, axis) =>
      compute(cx, e, 'and', compute(cx, e, 'ge', s, literal(0)), compute(cx, e, 'lt', s, literal(extents[axis]))),
    )
    .reduce<Scalar>((a, b) => compute(cx, e, 'and', a, b), literal(true));
};

/** A field with the indices of one list: all but those along the list's own axis. */
const listArgument = (cx: Context, e: CallExpression, what: StructureOp): { element: Element; node: SNode } => {
  const first = e.arguments[0];
  const of = first ? reference(cx, first) : nothing;
  if (of.is !== 'element')
    return refuse(
      cx,
      first ?? e,
      'lang/not-a-list',
      `${what} takes a list, this is ${termText(of)}`,
      `write ${what}(u[i], …) of a field in a dynamic node`,
    );
  const { layout } = cx.session;
  const { path, axes } = placedOf(cx, e, of.field);
  const node = path.map((n) => layout.nodes[n]).find((n) => n.kind === 'dynamic');
  if (!node)
    return refuse(cx, first, 'lang/not-a-list', `field '${of.field.name}' is in no list`, 'place it in a dynamic node');
  const container = axesAbove(layout, node.id);
  if (!container.every((a, k) => axes[k] === a))
    return refuse(
      cx,
      first,
      'lang/not-a-list',
      `the axis of the list comes before others of field '${of.field.name}', so that its first indices name no list`,
      'give the list the last axis: dense(ij, n).dynamic(k, m)',
    );
  if (of.index.length !== container.length)
    return refuse(
      cx,
      first,
      'lang/indices',
      `a list of field '${of.field.name}' is named by ${container.length} indices, here there are ${of.index.length}`,
      `write ${of.field.name}${container.map((_, k) => `[${AXIS_NAMES[k]}]`).join('')}`,
    );
  return { element: of, node };
};

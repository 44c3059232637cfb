import { AXIS_NAMES } from '@filigree/ir';
import { axesOf, isSparse, pathTo, type AnyField, type PlacedField, type SNode } from '@filigree/sparse/fields';
import type { AnyNode, ForOfStatement } from 'acorn';
import { eachInstruction, type Block, type Instruction } from '../../code/code.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { compute, originOf, placedOf, refuse, type Context } from '../context/context.js';
import { counting } from './counting.js';
import { variableName } from './loop-variable.js';

/** Coordinates of a cell, by axis. */
type Coordinates = ReadonlyMap<number, Scalar>;

/**
 * A loop over active elements that runs in order, within another loop or in `serially(…)`: cell by cell from the outermost node
 * in, each node's in the order of their indices, and without what lies in cells that are not active.
 */
export const overActive = (cx: Context, s: ForOfStatement, pattern: AnyNode, field: AnyField) => {
  const placed = placedOf(cx, s.right, field);
  if (placed.unbounded)
    refuse(
      cx,
      s.right,
      'lang/nested-active',
      `field '${field.name}' lies in a hash table, which has no end, so that a loop over its active elements must be an outermost, parallel one`,
      'take it out of the loop around it, or put the field in a layout with bounds',
    );
  if (pattern.type === 'ArrayPattern' && pattern.elements.length !== placed.axes.length)
    refuse(
      cx,
      pattern,
      'lang/loop-variables',
      `the loop has ${placed.axes.length} ${placed.axes.length === 1 ? 'axis' : 'axes'}, and ${pattern.elements.length} variables`,
      `write for (const [${[...AXIS_NAMES].slice(0, placed.axes.length).join(', ')}] of …)`,
    );
  const nest = (outer: Context, body: Context, each: (body: Context, index: readonly Temp[]) => void): void =>
    descend(outer, s, pattern, placed, (index) => {
      const code = outer.session.record(() => each(body, index));
      refuseChanges(outer, placed, index, code);
      outer.session.append(code);
    });
  return nest;
};

/** Goes through the cells of the nodes around a field, from the root down. */
const descend = (
  cx: Context,
  s: ForOfStatement,
  pattern: AnyNode,
  { path, axes }: PlacedField,
  each: (index: readonly Temp[]) => void,
): void => {
  const { layout } = cx.session;
  const step = literal(1);
  const hint = (axis: number): string => variableName(pattern, axes.indexOf(axis));
  const visit = (k: number, around: Coordinates): void => {
    const node = layout.nodes[path[k]];
    if (node.field) return each(axes.map((axis) => around.get(axis) as Temp));
    if (node.kind === 'dynamic') {
      const [axis] = node.axes;
      const length = lengthOf(cx, s, node, around);
      return counting(cx, s, hint(axis), { from: literal(0), to: length, step }, (i) =>
        visit(k + 1, new Map([...around, [axis, i]])),
      );
    }
    const along = (n: number, at: Coordinates): void => {
      if (n === node.axes.length) return whereActive(cx, s, node, at, () => visit(k + 1, at));
      const axis = node.axes[n];
      const count = node.extents[axis];
      const outer = at.get(axis);
      if (count === 1 && outer !== undefined) return along(n + 1, at);
      const first = outer === undefined ? literal(0) : compute(cx, s, 'mul', outer, literal(count));
      const bounds = { from: first, to: compute(cx, s, 'add', first, literal(count)), step };
      counting(cx, s, hint(axis), bounds, (i) => along(n + 1, new Map([...at, [axis, i]])));
    };
    along(0, around);
  };
  visit(0, new Map());
};

const whereActive = (cx: Context, s: AnyNode, node: SNode, at: Coordinates, body: () => void): void => {
  if (!isSparse(node)) return body();
  const { session } = cx;
  const to: Temp = { is: 'temp', type: 'i1' };
  const index = axesOf(session.layout, node.id).map((axis) => at.get(axis)!);
  session.emit(originOf(cx, s), { do: 'structure', to, op: 'is_active', node: node.name, index });
  session.emit(originOf(cx, s), { do: 'if', condition: to, then: session.record(body), otherwise: [] });
};

const lengthOf = (cx: Context, s: AnyNode, node: SNode, around: Coordinates): Temp => {
  const to: Temp = { is: 'temp', type: 'i32' };
  const index = axesOf(cx.session.layout, node.parent).map((axis) => around.get(axis)!);
  cx.session.emit(originOf(cx, s), { do: 'structure', to, op: 'length', node: node.name, index });
  return to;
};

/** What becomes active or inactive while such a loop runs would change which elements it visits, unless it is the element's own. */
const refuseChanges = (cx: Context, { path, axes }: PlacedField, index: readonly Temp[], code: Block): void => {
  const { layout } = cx.session;
  const sparse = path.filter((n) => isSparse(layout.nodes[n]));
  if (sparse.length === 0) return;
  const own = (given: readonly Scalar[], along: readonly number[]): boolean =>
    given.every((x, k) => x === index[axes.indexOf(along[k])]);
  const changes = (i: Instruction): boolean => {
    if ((i.do === 'store' || i.do === 'atomic') && i.place.of === 'field') {
      const other = layout.fields.get(i.place.field.name)!;
      return other.path.some((n) => sparse.includes(n)) && !own(i.place.index, other.axes);
    }
    if (i.do !== 'structure' || i.op === 'is_active' || i.op === 'length') return false;
    const node = layout.named.get(i.node)!;
    const around = pathTo(layout.nodes, node.id);
    if (!around.some((n) => sparse.includes(n))) return path.includes(node.id);
    return i.op !== 'append' || path.includes(node.id) || !own(i.index, axesOf(layout, node.parent));
  };
  eachInstruction(code, (i) => {
    if (!changes(i)) return;
    cx.session.report(
      i.at,
      'lang/active-changes',
      'this may change which elements are active, in a loop over them that runs in order',
      'write the element of the iteration only, and what lies beside it in a loop of its own; or go over the elements in parallel, by an outermost loop, which visits those that were active when it began',
    );
  });
};

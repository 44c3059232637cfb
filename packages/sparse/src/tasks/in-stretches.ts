import {
  accessesBy,
  bufferMap,
  Builder,
  controlBy,
  freshIds,
  makeOp,
  opTable,
  opWith,
  substitute,
  walk,
  type Op,
  type OpTable,
  type Region,
  type Value,
} from '@filigree/ir';
import { extentAlong } from '../fields/access/path.js';
import { axesOf, nodeOf } from '../fields/layout/layout.js';
import { loop } from '../fields/loops/loop.js';
import { elementsText } from './elements.js';
import { rowByRow } from './row-by-row.js';
import { stretchesIn, stretchesText, type Stretch } from './stretch.js';
import { isBox, type TaskSetting } from './task-of.js';
import type { Task, Touch } from './task.js';

/** Elements by their number, row by row, from the first to the last, in stretches of equal length, of which the last may be shorter. */
export interface Stretches {
  readonly length: number;
  readonly last: number;
}

/** The stretches of a state's elements that the iterations of a loop have for their own, where these are all there are up to some element. */
export const stretchesOf = ({ own }: Pick<Touch, 'own'>): Stretches | undefined => {
  const all = own === undefined ? undefined : stretchesIn(own);
  if (!all) return undefined;
  const [[, end]] = all;
  const length = end + 1;
  const [, last] = all[all.length - 1];
  return textOf({ length, last }) === own ? { length, last } : undefined;
};

/**
 * A loop over elements, each iteration of which writes nothing but its own element, and combines values with some that all share, as the loop
 * of another task over stretches of them: both then have the same domain. Nothing where it is no such loop.
 *
 * @param like has a loop over stretches
 * @param stretches of the elements, as `like` has them
 */
export const inStretches = (
  task: Task,
  like: Pick<Task, 'loop' | 'domain'>,
  { length, last }: Stretches,
  setting: TaskSetting,
): Task | undefined => {
  const { kernel, loop: elements } = task;
  const table = opTable(setting.dialects);
  if (!elements || !like.loop || like.domain === undefined) return undefined;
  const extents = extentsIn(elements, last + 1, setting);
  if (!extents) return undefined;
  const own = elementsText(extents);
  const shared = combinedIn(elements, task, table);
  if (!countsOnly(like.loop, table) || !isOfElements(task, own, shared, setting) || usesScratch(elements, setting))
    return undefined;

  const b = new Builder(table, bufferMap(setting.buffers), freshIds(kernel));
  const [body] = elements.regions;
  const simd = body.ops.every((op) => op.regions.length === 0);
  const accesses = accessesBy(table);
  const isShared = (op: Op): boolean => accesses(op)?.some(({ place }) => shared.has(place)) === true;
  const { ops } = b.collect(() => {
    const [end, step] = [b.i32(last + 1), b.i32(length)];
    const { region } = b.region([{ type: 'i32', hint: 'stretch' }], ([n]) => {
      const from = b.mul(n, step);
      const each = (number: Value): void => {
        const at = rowByRow(b, number, extents);
        for (const op of substitute(body, new Map(body.params.map(({ id }, n) => [id, at[n]]))).ops.slice(0, -1))
          if (isShared(op)) b.append(op);
          else appendAlone(b, op);
      };
      loop(b, b.min(b.add(from, step), end), each, {
        from,
        attrs: simd ? { simd } : {},
        hint: body.params[0].hint ?? 'n',
      });
    });
    const bounds = [b.i32(0), b.i32(Math.floor(last / length) + 1), b.i32(1)];
    b.append(opWith(like.loop!, { operands: bounds, regions: [region] }));
  });
  const at = kernel.body.ops.indexOf(elements);
  const whole = [...kernel.body.ops.slice(0, at), ...ops, ...kernel.body.ops.slice(at + 1)];
  return {
    ...task,
    kernel: { ...kernel, body: { ...kernel.body, ops: whole } },
    loop: ops[ops.length - 1],
    domain: like.domain,
    touches: new Map(
      [...task.touches].map(([state, touch]) => [
        state,
        { ...touch, own: touch.own === own ? textOf({ length, last }) : undefined },
      ]),
    ),
    size: task.size + ops.length,
  };
};

/** An op of an iteration that no other one shares elements with: what it combines with an element needs no atomic operation. */
const appendAlone = (b: Builder, op: Op): void => {
  const load = plainLoads[op.name];
  const { kind, ...attrs } = op.attrs;
  const by = plainKinds[String(kind)];
  if (load === undefined || by === undefined) return void b.append(op);
  const [value, ...at] = op.operands;
  b.append(makeOp(load, at, op.results, attrs, [], op.loc));
  b.op(load.replace('load', 'store'), [b.value(by, [op.results[0], value]), ...at], attrs);
};

const plainLoads: Readonly<Record<string, string>> = { 'field.atomic': 'field.load', 'mem.atomic': 'mem.load' };

const plainKinds: Readonly<Record<string, string>> = {
  add: 'arith.add',
  min: 'arith.min',
  max: 'arith.max',
};

const textOf = ({ length, last }: Stretches): string =>
  stretchesText(
    Array.from({ length: Math.floor(last / length) + 1 }, (_, n): Stretch => [
      n * length,
      Math.min((n + 1) * length - 1, last),
    ]),
  );

/** Places of which a loop does nothing but to combine values with elements that any iteration may touch: it asks for none, so their order is open. */
const combinedIn = (loop: Op, { touches }: Task, table: OpTable): ReadonlySet<string> => {
  const accesses = accessesBy(table);
  const places = new Set([...touches].flatMap(([place, t]) => (t.writes && t.own === undefined ? [place] : [])));
  const used = new Set<number>();
  const look = (region: Region, see: (op: Op) => void): void =>
    region.ops.forEach((op) => {
      see(op);
      op.regions.forEach((inner) => look(inner, see));
    });
  look(loop.regions[0], ({ operands }) => operands.forEach(({ id }) => used.add(id)));
  look(loop.regions[0], (op) => {
    for (const { buffer } of table.get(op.name)?.effects(op) ?? []) {
      const combines = accesses(op)?.every(({ kind }) => kind === 'atomic') && !op.results.some((v) => used.has(v.id));
      if (buffer !== undefined && !(combines && Object.hasOwn(plainKinds, String(op.attrs.kind))))
        places.delete(buffer);
    }
  });
  return places;
};

/** How many elements a loop runs over along each axis, if they are all of so many. */
const extentsIn = (op: Op, elements: number, { layout }: TaskSetting): readonly number[] | undefined => {
  const node = nodeOf(layout, op);
  if (!node) return op.regions[0].params.length === 1 ? [elements] : undefined;
  const extents = axesOf(layout, node.id).map((axis) => extentAlong(layout, node.id, axis));
  if (extents.includes(undefined)) return undefined;
  const sides = extents as readonly number[];
  return sides.reduce((n, side) => n * side, 1) === elements ? sides : undefined;
};

/** Whether a loop does nothing but to count, by a number that its body is given alone. */
const countsOnly = (op: Op, table: OpTable): boolean => {
  const [{ params }] = op.regions;
  return controlBy(table)(op)?.count?.counter === 0 && params.length === 1 && params[0].type === 'i32';
};

/**
 * Whether a task has a loop of which each iteration writes elements of its own, of those that `own` tells, and touches no structure.
 *
 * @param shared what it may write beside
 */
const isOfElements = (
  { loop: op, domain, touches, activations, mayFail, kernel }: Task,
  own: string,
  shared: ReadonlySet<string>,
  { layout }: TaskSetting,
): boolean => {
  const node = nodeOf(layout, op!);
  return (
    (node === undefined || isBox(layout, node.id)) &&
    domain !== undefined &&
    !mayFail &&
    activations.length === 0 &&
    kernel.attrs.random !== true &&
    [...touches].every(([place, t]) => !t.writes || t.own === own || shared.has(place)) &&
    [...touches.values()].some((t) => t.own === own)
  );
};

/** Whether iterations leave something for themselves where those of one stretch would find what another one left. */
const usesScratch = (op: Op, { buffers, dialects }: TaskSetting): boolean => {
  const scratch = new Set(buffers.flatMap((b) => (b.role === 'scratch' ? [b.name] : [])));
  const accesses = accessesBy(opTable(dialects));
  let uses = false;
  walk(op.regions[0], (inner) => {
    if (accesses(inner)?.some(({ place }) => scratch.has(place))) uses = true;
  });
  return uses;
};

import { attrsOfParts } from '@filigree/opt';
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
import { axesOf, nodeOf, storedOf } from '../fields/layout/layout.js';
import { loop } from '../fields/loops/loop.js';
import { elementsText } from './elements.js';
import { rowByRow, rowText } from './row-by-row.js';
import { stretchesIn, stretchesText, type Stretch } from './stretch.js';
import { extentsOf, isBox, type TaskSetting } from './task-of.js';
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

/** Stretches counted in iterations of a loop, or of the loop that stands within each of these. */
export interface Iterations extends Stretches {
  readonly within: boolean;
}

/**
 * The iterations of a loop over elements, or over rows of them, that touch what stretches of a state's elements are. Nothing where a stretch ends within
 * an iteration, or the loop does not run over these elements, all of them and one after the other.
 */
export const iterationsIn = (
  task: Task,
  state: string,
  { length, last }: Stretches,
  setting: TaskSetting,
): Iterations | undefined => {
  for (const within of [false, true]) {
    const each = unitsOf(task, within, setting).get(state);
    if (each !== undefined && length % each === 0 && (last + 1) % each === 0)
      return { length: length / each, last: (last + 1) / each - 1, within };
  }
  return undefined;
};

/**
 * A loop over elements, or rows of these, each iteration of which writes nothing but its own, and combines values with some that all share, as the loop
 * of another task over stretches of them: both then have the same domain. Nothing where it is no such loop.
 *
 * @param like has a loop over stretches
 * @param iterations these stretches (`iterationsIn`)
 */
export const inStretches = (
  task: Task,
  like: Pick<Task, 'loop' | 'domain'>,
  { length, last, within }: Iterations,
  setting: TaskSetting,
): Task | undefined => {
  const { kernel, loop: elements } = task;
  const table = opTable(setting.dialects);
  if (!elements || !like.loop || like.domain === undefined) return undefined;
  const inner = within ? innerLoop(task, table) : undefined;
  const extents = extentsIn(elements, (last + 1) / (inner?.length ?? 1), setting);
  if (!extents || within !== (inner !== undefined)) return undefined;
  const units = unitsOf(task, within, setting);
  const shared = combinedIn(elements, task, table);
  if (!countsOnly(like.loop, table) || !isOfElements(task, units, shared, setting) || usesScratch(elements, setting))
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
      const to = b.min(b.add(from, step), end);
      const attrs = simd ? { simd } : {};
      const hint = body.params[0].hint ?? 'n';
      const opsOf = (number: Value): readonly Op[] => {
        const at = rowByRow(b, number, extents);
        return substitute(body, new Map(body.params.map(({ id }, k) => [id, at[k]]))).ops.slice(0, -1);
      };
      if (inner) {
        /* A row whose beginning or end lies in another stretch is run in part. */
        const side = b.i32(inner.length);
        const rows = b.div(b.add(to, b.i32(inner.length - 1)), side);
        const each = (row: Value): void =>
          opsOf(row).forEach((op, k) => {
            if (k !== inner.at) return b.append(op);
            const before = b.mul(row, side);
            const bounds = [b.max(b.i32(0), b.sub(from, before)), b.min(side, b.sub(to, before))];
            b.append(opWith(op, { operands: [...bounds, ...op.operands.slice(2)], attrs: attrsOfParts(op) }));
          });
        loop(b, rows, each, { from: b.div(from, side), attrs, hint });
      } else {
        const each = (number: Value): void => {
          for (const op of opsOf(number))
            if (isShared(op)) b.append(op);
            else appendAlone(b, op, setting);
        };
        loop(b, to, each, { from, attrs, hint });
      }
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
        { ...touch, own: inElements(units.get(state), { length, last }) },
      ]),
    ),
    size: task.size + ops.length,
  };
};

/**
 * An op of an iteration that no other one shares elements with: what it combines with an element needs no atomic operation, unless that is what adds
 * codes of a format.
 */
const appendAlone = (b: Builder, op: Op, setting: TaskSetting): void => {
  const load = plainLoads[op.name];
  const { kind, ...attrs } = op.attrs;
  const by = plainKinds[String(kind)];
  if (load === undefined || by === undefined || addsCodes(op, setting)) return void b.append(op);
  const [value, ...at] = op.operands;
  b.append(makeOp(load, at, op.results, attrs, [], op.loc));
  b.op(load.replace('load', 'store'), [b.value(by, [op.results[0], value]), ...at], attrs);
};

const addsCodes = ({ attrs }: Op, { layout }: TaskSetting): boolean =>
  attrs.kind === 'add' && storedOf(layout, String(attrs.field))?.format.addend !== undefined;

const plainLoads: Readonly<Record<string, string>> = { 'field.atomic': 'field.load', 'mem.atomic': 'mem.load' };

const plainKinds: Readonly<Record<string, string>> = {
  add: 'arith.add',
  min: 'arith.min',
  max: 'arith.max',
};

/** Stretches of iterations as those of elements, of which each iteration has so many. */
const inElements = (each: number | undefined, { length, last }: Stretches): string | undefined =>
  each === undefined ? undefined : textOf({ length: length * each, last: (last + 1) * each - 1 });

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

/** What a loop counts along each axis, if these are so many iterations. */
const extentsIn = (op: Op, iterations: number, { layout }: TaskSetting): readonly number[] | undefined => {
  const node = nodeOf(layout, op);
  if (!node) return op.regions[0].params.length === 1 ? [iterations] : undefined;
  const extents = axesOf(layout, node.id).map((axis) => extentAlong(layout, node.id, axis));
  if (extents.includes(undefined)) return undefined;
  const sides = extents as readonly number[];
  return product(sides) === iterations ? sides : undefined;
};

/**
 * How many elements each iteration has for its own, by state, where these follow each other as the iterations do: the indices of the first axes are
 * those of the iteration, or its number's, and the others are whatever they are.
 *
 * @param within of the loop within the iterations
 */
const unitsOf = (task: Task, within: boolean, setting: TaskSetting): ReadonlyMap<string, number> => {
  const { loop: op, touches } = task;
  const units = new Map<string, number>();
  const inner = within ? innerLoop(task, opTable(setting.dialects)) : undefined;
  if (!op || within !== (inner !== undefined)) return units;
  const node = nodeOf(setting.layout, op);
  const all = extentsOf(setting);
  for (const [state, { own }] of touches) {
    const sides = own === undefined ? undefined : all.get(state);
    if (!sides || sides.includes(undefined)) continue;
    const extents = sides as readonly number[];
    const firsts = node ? [axesOf(setting.layout, node.id).length] : extents.map((_, n) => n + 1);
    const first = firsts.find((n) => {
      const of = extents.slice(0, n);
      return own === (node ? elementsText(of) : rowText(of, setting.dialects));
    });
    if (first === undefined) continue;
    if (!inner) units.set(state, product(extents.slice(first)));
    else if (extents[first] === inner.length && countsAlong(op, inner, state, first, setting))
      units.set(state, product(extents.slice(first + 1)));
  }
  return units;
};

/** A loop that counts from 0 on, one by one. */
interface Inner {
  /** Where it stands among the ops of the loop around it. */
  readonly at: number;
  readonly op: Op;
  readonly length: number;
}

/** The only loop of an iteration, if nothing else of that has parts or writes, and nothing is left of it but what it writes. */
const innerLoop = ({ kernel, loop: around }: Task, table: OpTable): Inner | undefined => {
  if (!around) return undefined;
  const [{ ops }] = around.regions;
  const at = ops.findIndex((op) => op.regions.length > 0);
  if (at < 0) return undefined;
  const op = ops[at];
  const reads = (o: Op): boolean =>
    o.regions.length === 0 &&
    !table
      .get(o.name)
      ?.effects(o)
      .some((e) => e.kind !== 'read');
  const count = controlBy(table)(op)?.count;
  const known = new Map<number, unknown>();
  for (const { name, results, attrs } of [...kernel.body.ops, ...ops])
    if (table.get(name)?.traits.constant === true) known.set(results[0].id, attrs.value);
  const numberOf = (bound: Value | number | undefined, operand: Value): unknown =>
    bound === operand ? known.get(operand.id) : undefined;
  const length = numberOf(count?.upper, op.operands[1]);
  return ops.every((o, k) => k === at || reads(o)) &&
    op.results.length === 0 &&
    op.regions[0].params.length === 1 &&
    count?.counter === 0 &&
    numberOf(count.lower, op.operands[0]) === 0 &&
    (count.step === 1 || known.get(op.operands[2]?.id) === 1) &&
    typeof length === 'number'
    ? { at, op, length }
    : undefined;
};

/** Whether all accesses to a state are in the loop within the iterations, which counts the index along this axis. */
const countsAlong = (loop: Op, { op }: Inner, state: string, axis: number, { dialects }: TaskSetting): boolean => {
  const accesses = accessesBy(opTable(dialects));
  const [{ params }] = op.regions;
  let along = true;
  walk(loop.regions[0], (o) => {
    for (const { place, index } of accesses(o) ?? [])
      if (place === state && index[axis]?.id !== params[0].id) along = false;
  });
  return along;
};

const product = (sides: readonly number[]): number => sides.reduce((n, side) => n * side, 1);

/** Whether a loop does nothing but to count, by a number that its body is given alone. */
const countsOnly = (op: Op, table: OpTable): boolean => {
  const [{ params }] = op.regions;
  return controlBy(table)(op)?.count?.counter === 0 && params.length === 1 && params[0].type === 'i32';
};

/**
 * Whether a task has a loop of which each iteration writes elements of its own, and touches no structure.
 *
 * @param units has the states of which it does
 * @param shared what it may write beside
 */
const isOfElements = (
  { loop: op, domain, touches, activations, mayFail, kernel }: Task,
  units: ReadonlyMap<string, number>,
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
    units.size > 0 &&
    [...touches].every(([place, t]) => !t.writes || units.has(place) || shared.has(place))
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

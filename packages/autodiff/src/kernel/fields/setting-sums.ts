import { makeOp, mapRegions, opWith, walk, type Kernel, type Op, type Region, type Scalar, type Value } from '@filigree/ir'; // prettier-ignore
import { isPlainArray, type Layout } from '@filigree/sparse/fields';
import { boxOf } from '@filigree/sparse/lowering';
import { digitsOf } from '../indices/digits.js';
import { integerForms, type IntegerForms } from '../indices/integer-forms.js';

/** A kernel that does what an adjoint does where some adjoints are zero before, whatever they hold: it sets them. */
export interface SettingSums {
  readonly kernel: Kernel;
  /** The fields of these adjoints. */
  readonly sets: readonly string[];
}

/**
 * Where an adjoint kernel adds once to each element of an adjoint, and does nothing else with it, nobody need set that to zero before: another kernel sets what this one adds. Of plain arrays
 * of adjoints alone, so large that it takes longer to set them than to launch a kernel; of one with several adjoints all are set, or none.
 */
export const settingSums = (kernel: Kernel, layout: Layout, adjoints: readonly string[]): SettingSums | undefined => {
  const large = adjoints.filter((name) => isLarge(layout, name));
  if (large.length === 0) return undefined;
  const constants = new Map<number, Scalar>();
  const others = new Set<unknown>();
  let ops = 0;
  walk(kernel.body, ({ name, attrs, results }) => {
    ops++;
    if (name === 'arith.constant') constants.set(results[0].id, attrs.value as Scalar);
    if (name !== 'field.load' && name !== 'field.store') others.add(attrs.field);
  });
  if (ops > MOST_OPS) return undefined;
  const forms = integerForms(kernel, layout);
  const whole = large.filter((field) => {
    if (others.has(field)) return false;
    const boxes = kernel.body.ops.map((op) => boxIn(op, field, layout, forms, constants));
    const { extents } = layout.fields.get(field)!;
    return (
      boxes.every((box) => box !== undefined) &&
      areWhole(
        boxes.filter((box) => box !== 'none'),
        extents,
      )
    );
  });
  const sets = whole.filter((field) => besides(layout, field).every((other) => whole.includes(other)));
  return sets.length === 0 ? undefined : { kernel: withoutSums(kernel, new Set(sets)), sets };
};

/** Of longer kernels it is a small part of the time, and takes as long to compile as they do. */
const MOST_OPS = 256;

/** To set fewer elements takes no longer than a launch. */
const LARGE = 2 ** 14;

const isLarge = (layout: Layout, name: string): boolean => {
  const { path, extents } = layout.fields.get(name)!;
  const node = layout.nodes[path.at(-2)!];
  const isArray = node.parent === 0 && !node.morton && isPlainArray(layout, node);
  return isArray && extents.reduce((n, e) => n * e, 1) >= LARGE;
};

/** The fields that lie in one array with a field, which is among them. */
const besides = (layout: Layout, name: string): readonly string[] =>
  layout.nodes[layout.fields.get(name)!.path.at(-2)!].children.map((c) => layout.nodes[c].field!.name);

/** From where to where, along each axis. */
type Box = readonly (readonly [from: number, to: number])[];

/** The elements of a field to which an op adds once; nothing where it may do something else with the field. */
const boxIn = (
  outermost: Op,
  field: string,
  layout: Layout,
  forms: IntegerForms,
  constants: ReadonlyMap<number, Scalar>,
): Box | 'none' | undefined => {
  const isOf = (op: Op): boolean => op.attrs.field === field;
  const all: Op[] = [];
  walk({ params: [], ops: [outermost] }, (op) => void (isOf(op) && all.push(op)));
  if (all.length === 0) return 'none';
  const [load, store] = all;
  if (all.length !== 2 || load.name !== 'field.load' || store.name !== 'field.store') return undefined;
  if (!load.operands.every(({ id }, n) => id === store.operands[n + 1].id)) return undefined;
  const loops: Op[] = [];
  const ops: Op[] = [];
  for (let op = outermost; ;) {
    if (op.regions.length !== 1 || (op.name !== 'scf.for' && op.name !== 'field.for')) return undefined;
    loops.push(op);
    ops.push(...op.regions[0].ops);
    if (ops.includes(load)) break;
    const inner = op.regions[0].ops.find((o) => o.regions.some((r) => has(r, load)));
    if (!inner) return undefined;
    op = inner;
  }
  if (!ops.includes(store)) return undefined;
  const ranges = new Map<number, readonly [number, number]>();
  for (const loop of loops) {
    const { params } = loop.regions[0];
    const known = loop.name === 'field.for' ? boxOf(layout, loop)?.map((to) => [0, to] as const) : rangeOf(loop, forms);
    if (!known) return undefined;
    known.forEach((range, n) => ranges.set(params[n].id, range));
  }
  const digits = digitsOf(loops, ops, constants);
  if (digits && load.operands.every((v) => digits.has(v)) && areEach(load.operands, digits.count))
    return load.operands.map((v) => [0, digits.shiftOf(v)!.extent]);
  const counters = load.operands.map((v) => forms.formOf(v));
  const isTold = counters.every(({ terms }) => terms.size === 1 && [...terms].every(([id, n]) => n === 1 && ranges.has(id))); // prettier-ignore
  const told = counters.map(({ terms }) => [...terms.keys()][0]);
  if (!isTold || new Set(told).size !== ranges.size || told.length !== ranges.size) return undefined;
  return told.map((id, n) => ranges.get(id)!.map((at) => at + counters[n].plus) as [number, number]);
};

const has = (region: Region, op: Op): boolean => region.ops.some((o) => o === op || o.regions.some((r) => has(r, op)));

const areEach = (index: readonly Value[], count: number): boolean =>
  index.length === count && new Set(index.map(({ id }) => id)).size === count;

/** From where to where a loop counts by one, where that is known. */
const rangeOf = ({ operands }: Op, forms: IntegerForms): readonly (readonly [number, number])[] | undefined => {
  const [lower, upper, step] = operands.slice(0, 3).map(forms.formOf);
  const areNumbers = [lower, upper, step].every(({ terms }) => terms.size === 0);
  return areNumbers && step.plus === 1 ? [[lower.plus, upper.plus]] : undefined;
};

/** Whether boxes are all of one of these extents, and no two of them meet. */
const areWhole = (boxes: readonly Box[], extents: readonly number[]): boolean => {
  const full = boxes.filter((box) => box.every(([from, to]) => from < to));
  const size = (box: Box): number => box.reduce((n, [from, to]) => n * (to - from), 1);
  const areInside = full.every((box) => box.every(([from, to], n) => from >= 0 && to <= extents[n]));
  const areApart = full.every((a, n) => full.slice(n + 1).every((b) => a.some(([from, to], k) => to <= b[k][0] || b[k][1] <= from))); // prettier-ignore
  return areInside && areApart && full.reduce((n, box) => n + size(box), 0) === extents.reduce((n, e) => n * e, 1);
};

/** The kernel with zero in place of what it loads of some fields, and what is added to that as it is. */
const withoutSums = (kernel: Kernel, sets: ReadonlySet<unknown>): Kernel => {
  const zeros = new Set<number>();
  const same = new Map<number, Value>();
  const rewritten = (region: Region): Region => ({
    params: region.params,
    ops: region.ops.flatMap((before) => {
      const op = opWith(before, { operands: before.operands.map((v) => same.get(v.id) ?? v) });
      const [a, b] = op.operands;
      if (op.name === 'field.load' && sets.has(op.attrs.field)) {
        const [result] = op.results;
        zeros.add(result.id);
        return [makeOp('arith.constant', [], [result], { value: 0 }, [], op.loc)];
      }
      if (op.name === 'arith.add' && (zeros.has(a.id) || zeros.has(b.id))) {
        same.set(op.results[0].id, zeros.has(a.id) ? b : a);
        return [];
      }
      return [mapRegions(op, rewritten)];
    }),
  });
  return { ...kernel, name: `${kernel.name}_first`, body: rewritten(kernel.body) };
};

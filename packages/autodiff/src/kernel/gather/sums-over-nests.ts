import { Builder, type Op, type Value } from '@filigree/ir';
import { clone } from '../clone.js';
import { additionsOf, type Addition } from '../elements/additions.js';
import { asValue, endOf, startOf, type At, type Between, type Place } from './limits.js';
import { takenBy } from './out-of-branches.js';
import { flatOf, tapsAround, withInner, type NestSetting } from './same.js';
import { MOST_OPS, nestOf, nestsOf, placing, type Nest } from './whole-nests.js';

/**
 * Sums of a nest in elements that loops within an iteration name, such as derivatives by the weights of a filter, `w[k + r] += f(i, k)`: each is summed up over all iterations, in a register, and added once. Nothing where the nest does anything else.
 */
export const summedOverNest = (loop: Op, s: NestSetting): readonly Op[] | undefined => {
  for (const straight of nestsOf(loop, s)) {
    const nest = nestOf(straight, s);
    const summed = nest && sumsOf(nest, s);
    if (summed) return summed;
  }
  return undefined;
};

const sumsOf = ({ loops, ops, box, same }: Nest, { table, ids }: NestSetting): readonly Op[] | undefined => {
  const flat = flatOf(ops.slice(0, -1));
  const definitions = new Map(flat.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const uses = new Map<number, number>();
  for (const op of withInner(ops)) for (const v of op.operands) uses.set(v.id, (uses.get(v.id) ?? 0) + 1);
  const written = flat.filter((op) => op.name === 'field.atomic' || op.name === 'field.store');
  const fields = new Set(written.map(({ attrs }) => attrs.field));
  const sums = additionsOf(written, { definitions, uses });
  const isRead = ({ name, attrs }: Op): boolean => name === 'field.load' && !fields.has(attrs.field);
  const isPure = (op: Op): boolean =>
    op.regions.length > 0 || isRead(op) || table.get(op.name)!.effects(op).length === 0;
  if (!box || !sums || sums.length === 0 || flat.some((op) => !written.includes(op) && !isPure(op))) return undefined;
  const taps = tapsAround(ops);
  const ranges = new Map<Op, Between | undefined>(loops.map((op, n) => [op, box[n]]));
  for (const tap of sums.flatMap(({ ops: [op] }) => taps.get(op) ?? [])) ranges.set(tap, same.between(tap));
  const names = (op: Op): readonly Op[] => taps.get(op) ?? [];
  if ([...ranges.values()].includes(undefined) || sums.some(({ ops: [op] }) => names(op).length === 0))
    return undefined;
  /* Which element it is follows from these loops, and from what is the same for all. */
  const isNamed = (v: Value, by: readonly Op[]): boolean => {
    const op = definitions.get(v.id);
    if (same.has(v) || by.some(({ regions: [{ params }] }) => params[0].id === v.id)) return true;
    return op?.regions.length === 0 && op.name.startsWith('arith.') && op.operands.every((o) => isNamed(o, by));
  };
  if (!sums.every(({ index, ops: [op] }) => index.every((v) => isNamed(v, names(op))))) return undefined;
  if (flat.length > MOST_OPS) return undefined;

  const b = new Builder(table, new Map(), ids);
  const append = (v: Value, moved: Map<number, Value>): Value => {
    const op = definitions.get(v.id);
    if (moved.has(v.id) || !op) return moved.get(v.id) ?? v;
    for (const taken of takenBy(op)) append(taken, moved);
    const into: Op[] = [];
    clone(op, moved, into, ids);
    into.forEach((made) => b.append(made));
    return moved.get(v.id)!;
  };
  return b.collect(() => {
    b.loc = loops[0].loc;
    const place: Place = placing(ops, b, ids);
    const bounds = new Map([...ranges].map(([op, r]) => [op, [startOf(b, r!, place), endOf(b, r!, place)] as const]));
    const { simd: _, ...outermost } = loops[0].attrs;
    const [first, end] = bounds.get(loops[0])!;
    const count = countOf(b, first, end);
    const length = partOf(b, count);
    b.for(b.i32(0), b.i32(PARTS), b.i32(1), outermost, [], (part) => {
      const limit = (n: Value): Value => b.min(b.mul(n, asValue(b, length)), asValue(b, count));
      const mine = [limit(part), limit(b.add(part, b.i32(1)))] as const;
      for (const sum of sums) addUp(sum, mine);
      return [];
    });
    /** Loops one within the other, of which the innermost go over the nest: of its outermost one over a part. */
    function addUp({ ops: [op], index, value }: Addition, mine: readonly [Value, Value]): void {
      const along = (
        around: readonly Op[],
        carried: readonly Value[],
        counts: ReadonlyMap<number, Value>,
      ): readonly Value[] => {
        const [loop, ...inner] = around;
        if (!loop) return carried.map((sum) => b.add(sum, append(value, new Map(counts))));
        const [from, to] = loop === loops[0] ? mine : bounds.get(loop)!.map((at) => asValue(b, at));
        const attrs = inner.length === 0 ? { independent: true } : {};
        return b.for(from, to, b.i32(1), attrs, carried, (n, sums) => {
          const counter = loop === loops[0] ? b.add(asValue(b, first), n) : n;
          const here = new Map([...counts, [loop.regions[0].params[0].id, counter]]);
          if (loop !== names(op).at(-1)) return along(inner, sums, here);
          const sum = along(inner, [b.constant(0, value.type)], here);
          b.op(op.name, [...sum, ...index.map((v) => append(v, new Map(here)))], op.attrs);
          return [];
        });
      };
      along([...names(op), ...loops], [], new Map());
    }
  }).ops;
};

/** In so many parts a nest is summed up at once: each adds to every element once, and finds for the next one near what it has read. */
const PARTS = 256;

const countOf = (b: Builder, from: At, to: At): At =>
  typeof from === 'number' && typeof to === 'number'
    ? Math.max(0, to - from)
    : b.select(b.cmp('lt', asValue(b, from), asValue(b, to)), b.sub(asValue(b, to), asValue(b, from)), b.i32(0));

/** How many iterations a part has; no less than what all parts have together is all. */
const partOf = (b: Builder, count: At): At =>
  typeof count === 'number' ? Math.floor(count / PARTS) + 1 : b.add(b.div(count, b.i32(PARTS)), b.i32(1));

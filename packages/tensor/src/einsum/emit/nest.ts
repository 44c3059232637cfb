import type { Builder, Value } from '@filigree/ir';
import type { Interval } from '../layout/layout.js';
import { type Access, addConstant, addScaled, boxStart, extentAlong, isDense, strideAlong } from './access.js';
import { denseNest, listedByTeam, type ListedEntries } from './dense-nest.js';
import type { DenseTerm } from './nest-loops.js';
import type { ConstantTables } from '../../linalg/constant-tables.js';

/** target = scale·Σ sources, or target += scale·Σ sources, the sum over the indices that the target lacks. */
export interface Nest {
  readonly target: Access;
  /** One, or two whose product is meant. */
  readonly sources: readonly Access[];
  readonly ranges: Readonly<Record<string, Interval>>;
  readonly add: boolean;
  readonly scale: number | Value;
  readonly type: 'f32' | 'f64';
  /** Lanes of a vector of `type`. */
  readonly lanes: number;
  /** Vectors that a processor holds at once. */
  readonly registers: number;
  /** Whether threads may divide the work. */
  readonly divides: boolean;
  /** Whether a team of threads does it. */
  readonly team: boolean;
}

/**
 * Loops for everything that is not a matrix product (§4.8): dense indices are loops, the fastest on vector lanes; the
 * indices of sparse operands are enumerated entry by entry, unrolled while they are few and by lists of positions
 * otherwise. Without `add`, entries of the target that no term reaches become zero.
 */
export const emitNest = (b: Builder, nest: Nest, tables: ConstantTables): void => {
  const { target, sources } = nest;
  const operands = [target, ...sources];
  const letters = [...new Set(operands.map((o) => o.indices).join(''))];
  const sparse = letters.filter((l) => operands.some((o) => !isDense(o) && o.indices.includes(l)));
  const ranges = Object.fromEntries(letters.map((l) => [l, rangeOf(l, nest)]));
  const empty = letters.some((l) => ranges[l]![0] >= ranges[l]![1]);
  const dense = letters.filter((l) => !sparse.includes(l));
  const starts = operands.map((o) =>
    isDense(o) ? dense.reduce((at, l) => at + (ranges[l]![0] - boxStart(o, l)) * strideAlong(o, l), 0) : 0,
  );
  const loops = dense.map((l) => ({
    trips: ranges[l]![1] - ranges[l]![0],
    strides: operands.map((o) => strideAlong(o, l)),
    summed: !target.indices.includes(l),
  }));
  const entries = empty ? [] : sparseEntries(operands, sparse, ranges).map((at) => at.map((x, k) => x + starts[k]!));
  const begin = (o: Access, at: number): Value => addConstant(b, o.base, at);
  const term = (at: readonly number[]): DenseTerm =>
    sources.map((s, k) => ({ buffer: s.buffer, at: begin(s, at[k + 1]!) }));
  const emit = (at: Value, terms: readonly DenseTerm[], add: boolean): void =>
    denseNest(b, { ...nest, add, target: { buffer: target.buffer, at }, terms, loops });

  const groups = groupBy(entries, (e) => e[0]!);
  const kept = loops.filter((l) => !l.summed).reduce((n, l) => n * l.trips, 1);
  /* Products may read the padding of a temporary. */
  const whole = target.temporary ? target.storage.size : entriesStored(target);
  if (!nest.add && groups.size * kept < whole) fillZero(b, target, nest);
  if (entries.length === 0) return;
  if (nest.team && sparse.length > 0) {
    const places = { target: { buffer: target.buffer, at: target.base }, terms: [term(operands.map(() => 0))] };
    return listedByTeam(b, { ...nest, ...places, loops }, listed(b, groups, tables));
  }
  const statements = entries.length * loops.reduce((n, l) => n * l.trips, 1);
  if (entries.length === 1 || (entries.length <= UNROLLED && statements <= 16 * UNROLLED)) {
    for (const [at, group] of groups) emit(begin(target, at), group.map(term), nest.add);
    return;
  }
  /* By lists each entry is added by itself, so that sums begin at zero. */
  const sums = [...groups.values()].some((g) => g.length > 1);
  if (sums && !nest.add) {
    const zeros = [...groups.keys()].map((at) => [at, ...starts.slice(1)]);
    eachOfList(b, operands.slice(0, 1), zeros, tables, ([at]) =>
      denseNest(b, {
        ...nest,
        target: { buffer: target.buffer, at: at! },
        terms: [],
        loops: loops.filter((l) => !l.summed).map((l) => ({ ...l, strides: l.strides.slice(0, 1) })),
      }),
    );
  }
  eachOfList(b, operands, entries, tables, ([at, ...from]) =>
    emit(at!, [from.map((f, k) => ({ buffer: sources[k]!.buffer, at: f }))], nest.add || sums),
  );
};

/** Positions as constant tables: the target's of each group, where its terms begin, and of each term those of the sources. */
const listed = (
  b: Builder,
  groups: ReadonlyMap<number, readonly (readonly number[])[]>,
  tables: ConstantTables,
): ListedEntries => {
  const terms = [...groups.values()].flat();
  const starts = [0];
  for (const group of groups.values()) starts.push(starts.at(-1)! + group.length);
  const one = terms.length === groups.size;
  const column = (numbers: readonly number[], at: Value): Value =>
    numbers.every((x) => x === numbers[0])
      ? b.i32(numbers[0]!)
      : numbers.every((x, k) => x === numbers[0]! + k)
        ? addConstant(b, at, numbers[0]!)
        : b.load(tables.add(Int32Array.from(numbers)), at);
  return {
    count: groups.size,
    target: (entry) => column([...groups.keys()], entry),
    terms: (entry) => {
      if (one) return [entry, b.add(entry, b.i32(1))];
      return [column(starts.slice(0, -1), entry), column(starts.slice(1), entry)];
    },
    sources: (term) =>
      terms[0]!.slice(1).map((_, k) =>
        column(
          terms.map((t) => t[k + 1]!),
          term,
        ),
      ),
  };
};

/** Sets all that a tensor stores to zero, padding too. */
export const fillZero = (
  b: Builder,
  target: Access,
  how: Pick<Nest, 'type' | 'lanes' | 'registers' | 'divides' | 'team'>,
): void =>
  denseNest(b, {
    target: { buffer: target.buffer, at: target.base },
    terms: [],
    loops: [{ trips: target.storage.size, strides: [1], summed: false }],
    add: false,
    scale: 1,
    type: how.type,
    lanes: how.lanes,
    registers: how.registers,
    divides: how.divides,
    team: how.team,
  });

/** How many entries a tensor stores, without padding. */
export const entriesStored = (access: Access): number =>
  isDense(access)
    ? [...access.indices].reduce((n, l) => {
        const [start, stop] = extentAlong(access, l)!;
        return n * Math.max(0, stop - start);
      }, 1)
    : access.storage.size;

/** Entries that become statements of their own. */
const UNROLLED = 256;

/** Outside the boxes of its sources a term is zero, and outside that of the target nothing is kept. */
const rangeOf = (letter: string, { target, sources, ranges }: Nest): Interval => {
  let [start, stop] = ranges[letter] ?? [0, Infinity];
  for (const o of [target, ...sources]) {
    const extent = extentAlong(o, letter);
    if (extent) [start, stop] = [Math.max(start, extent[0]), Math.min(stop, extent[1])];
  }
  return [start, stop];
};

/** For all values of the indices of sparse operands at which each of these has an entry: where each operand lies. */
const sparseEntries = (
  operands: readonly Access[],
  letters: readonly string[],
  ranges: Readonly<Record<string, Interval>>,
): readonly (readonly number[])[] => {
  const found: number[][] = [];
  const value: Record<string, number> = {};
  const visit = (depth: number): void => {
    if (depth < letters.length) {
      const letter = letters[letters.length - 1 - depth]!;
      for (let i = ranges[letter]![0]; i < ranges[letter]![1]; i++) {
        value[letter] = i;
        visit(depth + 1);
      }
      return;
    }
    const at = operands.map((o) =>
      isDense(o)
        ? letters.reduce(
            (sum, l) => sum + (o.indices.includes(l) ? (value[l]! - boxStart(o, l)) * strideAlong(o, l) : 0),
            0,
          )
        : o.storage.position([...o.indices].map((l) => value[l]!)),
    );
    if (operands.every((o, k) => isDense(o) || at[k]! >= 0)) found.push(at);
  };
  visit(0);
  return found;
};

const groupBy = <T, K>(items: readonly T[], key: (item: T) => K): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
};

/** A loop over a list of positions, one column per operand; columns that do not change are constants. */
const eachOfList = (
  b: Builder,
  operands: readonly Access[],
  list: readonly (readonly number[])[],
  tables: ConstantTables,
  body: (at: readonly Value[]) => void,
): void => {
  const columns = operands.map((_, k) => Int32Array.from(list, (at) => at[k]!));
  b.for(b.i32(0), b.i32(list.length), b.i32(1), {}, [], (i) => {
    body(
      operands.map((o, k) => {
        const column = columns[k]!;
        if (column.every((x) => x === column[0])) return addConstant(b, o.base, column[0]!);
        return addScaled(b, o.base, b.load(tables.add(column), i), 1);
      }),
    );
  });
};

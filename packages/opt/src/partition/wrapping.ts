import {
  fullRange,
  inversePredicate,
  makeOp,
  mirroredPredicate,
  opWith,
  walk,
  type Attrs,
  type Builder,
  type Op,
  type Scalar,
  type Value,
} from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';
import type { Clamp, Threshold } from './clamps.js';
import type { Anew } from './partition.js';

/**
 * Indices `±iv + base + offset` of a loop that may wrap, since nobody knows how large the base is, `x[t - lag]`: whether they do, and whether
 * clamps do anything to them, is told by numbers of 64 bits before the loop. Where one of these is a number of 32 bits, an index is that number, whatever has
 * wrapped on the way to it.
 */
export interface WrappingIndices {
  /** All that comes to something while the indices are where they are to be, with what is `idle` before. */
  readonly idle: ReadonlyMap<Op, Clamp['becomes']>;
  /** Appends, for each base, the first iteration in which an index is where it is to be, and the one from which on it is no more. */
  readonly bounds: (b: Builder) => readonly (readonly [first: Value, end: Value])[];
  /** Of the iterations in between. */
  readonly attrs: Attrs;
  /** Appends bases as numbers of 32 bits such that sums with them do not wrap there, and gives what makes indices of them. */
  readonly anew: (b: Builder, used: readonly Clamp[], at: (t: Threshold) => number | undefined) => Anew;
}

/** Indices that differ by numbers: `±iv + Σ plus − Σ minus` is to be from `least` to `most`. */
interface Group {
  readonly down: boolean;
  readonly plus: readonly Value[];
  readonly minus: readonly Value[];
  readonly least: number;
  readonly most: number;
}

interface WrappingFacts {
  readonly constantOf: (v: Value) => Scalar | undefined;
  readonly ranges: Ranges;
  /** Whether a value is defined in the loop. */
  readonly inside: (v: Value) => boolean;
  /** What is left out already. */
  readonly idle: WrappingIndices['idle'];
  readonly trips: bigint | undefined;
  /** At most so many iterations may stay at a known end. */
  readonly mostEdge: number;
}

/** Loops of fewer iterations are not written three times for ends that are known only when they run. */
const leastTrips = 32n;

/** More values in a base, or more bases, are left to the clamps. */
const mostBases = 3;
const mostGroups = 4;

const { lo: LEAST, hi: MOST } = fullRange('i32');

/** An index, and where clamps have left it. */
interface Index {
  readonly key: string;
  readonly group: Omit<Group, 'least' | 'most'>;
  readonly offset: number;
  readonly least: number;
  readonly most: number;
  readonly unsigned: boolean;
  /** Whether clamps have left it, or what it is a sum of, anywhere: it is this sum only where they do nothing, which its own group is to say. */
  readonly held: boolean;
}

/** The clamps that do nothing as long as indices of an innermost loop do not leave their bounds; nothing where there are none. */
export const wrappingIndices = (loop: Op, facts: WrappingFacts): WrappingIndices | undefined => {
  const counter = loop.regions[0]!.params[0]!;
  const { trips } = facts;
  if (counter.type !== 'i32' || (trips !== undefined && trips < leastTrips)) return undefined;
  const indices = new Map<number, Index>([[counter.id, indexOf({ down: false, plus: [], minus: [] }, 0)]]);
  const made = new Map<Op, Index>();
  const found: { readonly op: Op; readonly becomes: Value | boolean; readonly at: Index }[] = [];
  const number = numberIn(facts);
  walk(loop.regions[0]!, (op) => {
    const [result, ...others] = op.results;
    if (!result || others.length > 0 || op.regions.length > 0) return;
    const sum = sumOf(op, indices, facts, number);
    if (sum) {
      made.set(op, sum);
      return void indices.set(result.id, sum);
    }
    const cast = op.name === 'arith.cast' ? indices.get(op.operands[0]!.id) : undefined;
    if (cast && (result.type === 'i32' || result.type === 'u32'))
      return void indices.set(result.id, { ...cast, unsigned: result.type === 'u32' });
    const clamp = clampOf(op, indices, number) ?? comparisonOf(op, indices, number);
    if (!clamp) return;
    if (typeof clamp.becomes !== 'boolean') indices.set(result.id, clamp.at);
    if (!facts.idle.has(op)) found.push({ op, ...clamp });
  });

  const groups = new Map<string, Group>();
  for (const { at } of found) {
    const { key, group, offset, least, most } = at;
    const now = groups.get(key) ?? { ...group, least: -Infinity, most: Infinity };
    groups.set(key, { ...now, least: Math.max(now.least, least - offset), most: Math.min(now.most, most - offset) });
  }
  const isNear = nearEnds(loop, facts, number);
  const taken = new Map([...groups].filter(([, group]) => isWorth(group, isNear)).slice(0, mostGroups));
  if (taken.size === 0) return undefined;
  const list = [...taken.values()];
  return {
    idle: new Map([
      ...facts.idle,
      ...found.filter(({ at }) => taken.has(at.key)).map(({ op, becomes }) => [op, becomes] as const),
    ]),
    bounds: (b) => list.map((group) => boundsOf(b, group)),
    /* What is known of the whole is the best guess where ends are known only when it runs. */
    attrs: trips === undefined ? {} : { trips: Number(trips) },
    anew: (b, used, at) => {
      const known = list.flatMap((group) => knownBounds(group) ?? []);
      const [lower, upper] = loop.operands.map((v) => facts.ranges.of(v));
      const numbers = (side: 'first' | 'last'): number[] => used.flatMap(({ [side]: t }) => (t && at(t)) ?? []);
      const lo = Math.max(lower?.lo ?? -Infinity, ...numbers('first'), ...known.map(({ first }) => first));
      const hi = Math.min((upper?.hi ?? Infinity) - 1, ...numbers('last'), ...known.map(({ last }) => last));
      const bases = new Map([...taken].map(([key, group]) => [key, baseWithin(b, group, lo, hi)] as const));
      return (op, constant) => {
        const index = made.get(op);
        const base = index && bases.get(index.key);
        return base && madeAnew(b, op, counter, base, index, constant);
      };
    },
  };
};

/** Whether all but a few iterations lie between two, as far as that is known. */
const nearEnds = (
  { operands }: Op,
  { mostEdge }: WrappingFacts,
  number: NumberOf,
): ((bounds: { readonly first: number; readonly last: number }) => boolean) => {
  const [lb, ub] = [number(operands[0]!), number(operands[1]!)];
  return ({ first, last }) =>
    !(lb !== undefined && first - lb > mostEdge) && !(ub !== undefined && ub - 1 - last > mostEdge);
};

const isWorth = (group: Group, isNear: ReturnType<typeof nearEnds>): boolean => {
  const known = knownBounds(group);
  return group.least <= group.most && (known === undefined || isNear(known));
};

/** The first and the last iteration in which an index that has no base is where it is to be. */
const knownBounds = ({
  down,
  plus,
  minus,
  least,
  most,
}: Group): { readonly first: number; readonly last: number } | undefined => {
  if (plus.length + minus.length > 0) return undefined;
  return down ? { first: 0 - most, last: 0 - least } : { first: least, last: most };
};

const indexOf = (group: Index['group'], offset: number, held = false): Index => {
  const ids = (values: readonly Value[]): string =>
    values
      .map((v) => v.id)
      .sort()
      .join();
  const key = `${group.down} ${ids(group.plus)} ${ids(group.minus)}`;
  return { key, group, offset, least: LEAST, most: MOST, unsigned: false, held };
};

type NumberOf = (v: Value) => number | undefined;

const numberIn =
  ({ constantOf }: WrappingFacts): NumberOf =>
  (v) => {
    const c = constantOf(v);
    return c === undefined || typeof c === 'boolean' ? undefined : Number(c);
  };

/** A sum of an index and of what the loop does not change. */
const sumOf = (
  op: Op,
  indices: ReadonlyMap<number, Index>,
  { inside }: WrappingFacts,
  number: NumberOf,
): Index | undefined => {
  if (op.results[0]!.type !== 'i32' || !SUMS.has(op.name)) return undefined;
  const [a, b] = [op.operands[0]!, op.operands[1]];
  const [x, y] = [indices.get(a.id), b && indices.get(b.id)];
  if ((x === undefined) === (y === undefined) || x?.unsigned || y?.unsigned) return undefined;
  const away = op.name === 'arith.sub';
  const { held } = (x ?? y)!;
  if (op.name === 'arith.neg') return held ? undefined : indexOf(...reversed(x!));
  const turns = y !== undefined && away;
  const [group, offset] = turns ? reversed(y) : [(x ?? y)!.group, (x ?? y)!.offset];
  const other = x ? b! : a;
  const n = number(other);
  const less = away && x !== undefined;
  if (held && (turns || n === undefined)) return undefined;
  if (n !== undefined) return indexOf(group, less ? offset - n : offset + n, held);
  if (inside(other) || group.plus.length + group.minus.length >= mostBases) return undefined;
  return indexOf(
    less ? { ...group, minus: [...group.minus, other] } : { ...group, plus: [...group.plus, other] },
    offset,
  );
};

const SUMS: ReadonlySet<string> = new Set(['arith.add', 'arith.sub', 'arith.neg']);

const reversed = ({ group: { down, plus, minus }, offset }: Index): [Index['group'], number] => [
  { down: !down, plus: minus, minus: plus },
  0 - offset,
];

interface Found {
  readonly becomes: Value | boolean;
  readonly at: Index;
}

const clampOf = (op: Op, indices: ReadonlyMap<number, Index>, number: NumberOf): Found | undefined => {
  if (op.name !== 'arith.min' && op.name !== 'arith.max') return undefined;
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  for (const [x, limit] of [
    [a, b],
    [b, a],
  ] as const) {
    const [at, n] = [indices.get(x.id), number(limit)];
    if (!at || n === undefined) continue;
    const least = Math.max(at.least, at.unsigned ? 0 : LEAST, op.name === 'arith.max' ? n : LEAST);
    const most = Math.min(at.most, op.name === 'arith.min' ? n : MOST);
    return { becomes: x, at: { ...at, least, most, held: true } };
  }
  return undefined;
};

/** A comparison of what is clamped tells whether that was outside, or close to an end. */
const comparisonOf = (op: Op, indices: ReadonlyMap<number, Index>, number: NumberOf): Found | undefined => {
  if (op.name !== 'arith.cmp') return undefined;
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  const [x, limit, said] = indices.has(a.id) ? [a, b, 'predicate'] : [b, a, 'mirrored'];
  const [known, n] = [indices.get(x.id), number(limit)];
  if (!known || n === undefined || known.least === LEAST || known.most === MOST) return undefined;
  const at = known.unsigned ? { ...known, least: Math.max(known.least, 0) } : known;
  const written = String(op.attrs['predicate']);
  const predicate = said === 'mirrored' ? (mirroredPredicate[written] ?? written) : written;
  const isInverse = predicate === 'ge' || predicate === 'gt';
  const less = isInverse ? inversePredicate[predicate]! : predicate;
  if (less !== 'lt' && less !== 'le') return undefined;
  /* `x < end` */
  const end = less === 'lt' ? n : n + 1;
  const below = end > (at.least + at.most) / 2;
  return {
    becomes: below !== isInverse,
    at: below ? { ...at, most: Math.min(at.most, end - 1) } : { ...at, least: Math.max(at.least, end) },
  };
};

/** Appends, before the loop, `Σ plus − Σ minus` in 64 bits. */
const baseOf = (b: Builder, { plus, minus }: Group): Value | undefined => {
  const wide = (v: Value): Value => b.cast(v, 'i64');
  const [first, ...others] = plus.map(wide);
  const start = first ?? (minus.length > 0 ? b.i64(0) : undefined);
  return start && minus.map(wide).reduce(b.sub, others.reduce(b.add, start));
};

/** Appends a number of 64 bits as one of 32, or the one of these that is nearest, or nearest between two. */
const narrowed = (b: Builder, v: Value, least = LEAST, most = MOST): Value =>
  b.cast(b.min(b.max(v, b.i64(least)), b.i64(most)), 'i32');

/** Appends the first iteration in which an index of a group is where it is to be, and the one from which on it is no more. */
const boundsOf = (b: Builder, group: Group): readonly [first: Value, end: Value] => {
  const base = baseOf(b, group);
  const { down, least, most } = group;
  const known = knownBounds(group);
  const inType = (n: number): Value => b.i32(Math.min(Math.max(n, LEAST), MOST));
  if (!base) return [inType(known!.first), inType(known!.last + 1)];
  /* iv ≥ least − base and iv ≤ most − base; of base − iv, iv ≥ base − most and iv ≤ base − least. */
  const beside = (n: number): Value => narrowed(b, down ? b.add(base, b.i64(0 - n)) : b.sub(b.i64(n), base));
  return down ? [beside(most), beside(least - 1)] : [beside(least), beside(most + 1)];
};

/**
 * Appends the base of a group as a number of 32 bits between ends, such that sums with a counter from `lo` to `hi` do not wrap. It is the base wherever the index is
 * where it is to be for one of the counter's values; nothing where there are no such ends.
 */
const baseWithin = (b: Builder, group: Group, lo: number, hi: number): Value | undefined => {
  const { down, least, most } = group;
  const [from, to] = down ? [least + lo, most + hi] : [least - hi, most - lo];
  const base = from >= LEAST && to <= MOST ? baseOf(b, group) : undefined;
  return base && narrowed(b, base, from, to);
};

/** The ops that make an index anew, of the counter and of the base that `baseWithin` has made. */
const madeAnew = (
  b: Builder,
  op: Op,
  counter: Value,
  base: Value,
  { group: { down }, offset }: Index,
  constant: (n: number) => Value,
): readonly Op[] => {
  const sum = { name: down ? 'arith.sub' : 'arith.add', operands: down ? [base, counter] : [counter, base] };
  const rest = offset | 0;
  if (rest === 0) return [opWith(op, { ...sum, attrs: {} })];
  const between = b.newValue('i32');
  return [
    makeOp(sum.name, sum.operands, [between], {}, [], op.loc),
    opWith(op, { name: 'arith.add', operands: [between, constant(rest)], attrs: {} }),
  ];
};

import { scalarOps, type Builder, type Value } from '@filigree/ir';
import { ADD, MUL } from '../decompose/codes.js';
import { MAX, MIN } from '../decompose/reductions.js';
import { areSideBySide, SIDE_BY_SIDE } from '../harvest/light-sums.js';
import { TEMPORARIES } from '../place/columns.js';
import { PART, PART_TERMS } from '../place/parts.js';
import type { PlacedGroup, PlacedParts, PlacedSegment, PlacedTurns } from '../place/place.js';
import { POOL } from '../place/pools.js';
import {
  columnStarts,
  emitAddresses,
  inStep,
  linear,
  originsOf,
  tileTables,
  type SumOfTerm,
  type Tile,
  type TileTables,
} from './address.js';
import { expressionValues, isComputeBound, PARALLEL_WORK, type EmitContext } from './instance.js';

/** A segment's tables are one tile: its terms are found by their number. */
interface WholeSegment {
  readonly segment: PlacedSegment;
  readonly tables: TileTables;
  readonly constants: readonly Value[];
  /** The sum that runs, where columns grow evenly within sums. */
  readonly sum?: SumOfTerm;
}

/** @param step which step runs, where tables are those of one */
export const wholeSegment = (b: Builder, segment: PlacedSegment, step?: Value): WholeSegment => {
  const tile: Tile = {
    ...{ index: undefined, first: undefined, count: b.i32(segment.terms) },
    ...(step && { step }),
  };
  return {
    segment,
    /* Anchors are those of sums. */
    tables: tileTables(b, { ...segment, encoded: { ...segment.encoded, anchorCount: 0 } }, tile),
    constants: columnStarts(b, tile, segment.constantCount, segment.bases.constants),
  };
};

/** The segment as a sum has it: where columns grow evenly within sums, they do so from its origins. */
const segmentOfSum = (b: Builder, s: WholeSegment, sum: SumOfTerm): WholeSegment => {
  if (!countsInSum(s)) return s;
  const { encoded, bases } = s.segment;
  const number = sum.behind === 0 ? sum.from : b.add(sum.from, b.i32(sum.behind));
  return { ...s, sum, tables: { ...s.tables, anchors: originsOf(b, encoded, bases, number) } };
};

/** Whether some column grows evenly within sums, so that terms are counted from the first of theirs. */
const countsInSum = ({ segment }: WholeSegment): boolean =>
  segment.encoded.addresses.some(({ is }) => is === 'piece' || is === 'line');

/** Terms `first + begin .. end)` of a sum that begins with term `first`; `begin` is 0 if absent, and `count` is found if absent. */
interface Terms {
  readonly first: Value;
  readonly begin?: Value;
  readonly end: Value;
  /** How many the sum has. */
  readonly count?: Value;
}

/** A loop over terms of a sum, which are counted from the first of the sum where some column grows from there. */
const loopOverTerms = (
  b: Builder,
  s: WholeSegment,
  { first, begin, end, count }: Terms,
  attrs: { readonly trips: number; readonly lanes?: number },
  start: Value,
  options: EmitContext,
): Value => {
  const inSum = countsInSum(s);
  const from = inSum ? (begin ?? b.i32(0)) : begin ? b.add(first, begin) : first;
  const to = inSum ? (count ?? b.sub(end, first)) : end;
  return b.for(from, to, b.i32(1), attrs, [start], (t, [sum]) => {
    const value = inSum ? termValue(b, s, b.add(first, t), options, t) : termValue(b, s, t, options);
    return [join(b, s.segment, sum, value)];
  })[0];
};

/** The value of instance `i` of a rolled group: its terms, or the sums of its parts, segment by segment or in turns. */
export const rolledValue = (
  b: Builder,
  { instances: size, turns }: PlacedGroup,
  segments: readonly WholeSegment[],
  i: Value,
  options: EmitContext,
): Value => {
  const start = b.constant(identityOf(segments[0].segment.operation), options.dtype);
  if (turns) return sumInTurns(b, segments, turns, size, i, start, options);
  return segments.reduce(
    (sum, s) =>
      s.segment.parts
        ? sumOfParts(b, s.segment, s.segment.parts, size, i, sum)
        : sumOfTerms(b, s, size, i, sum, options),
    start,
  );
};

/** Whether instances of a group are made side by side, as a whole: sums of parts are lanes already. */
export const goSideBySide = (g: PlacedGroup): boolean =>
  areSideBySide(
    g,
    g.instances,
    g.segments.reduce((n, s) => n + s.terms, 0),
  ) && g.segments.every(({ parts }) => parts === undefined);

/* Where a compiler may add in another order it would gather operands for lanes, which takes twice as long. */
const OFF_LANES = { lanes: 1 };

/**
 * The values of `SIDE_BY_SIDE` instances from `i` on, each of the same terms in the same order as by itself: as many of all of them as the
 * shortest has, then what is left of each.
 */
export const valuesSideBySide = (
  b: Builder,
  { instances: size }: PlacedGroup,
  segments: readonly WholeSegment[],
  i: Value,
  options: EmitContext,
): readonly Value[] => {
  const start = b.constant(identityOf(segments[0].segment.operation), options.dtype);
  const each = Array.from({ length: SIDE_BY_SIDE }, (_, k) => k);
  return segments.reduce<readonly Value[]>(
    (sums, s) => {
      const { segment } = s;
      const { ptrBase } = segment;
      if (ptrBase === undefined)
        return sums.map((sum, k) => join(b, segment, sum, termValue(b, s, b.add(i, b.i32(k)), options)));
      const bounds = [...each, SIDE_BY_SIDE].map((k) => b.load(POOL[32], linear(b, i, 1, ptrBase + k)));
      const own = each.map((k) => segmentOfSum(b, s, { from: i, behind: k }));
      const counts = each.map((k) => b.sub(bounds[k + 1], bounds[k]));
      const common = counts.reduce((x, y) => b.min(x, y));
      const trips = Math.ceil(segment.terms / size);
      const together = b.for(b.i32(0), common, b.i32(1), { trips, ...OFF_LANES }, sums, (t, before) =>
        before.map((sum, k) => join(b, segment, sum, termValue(b, own[k], b.add(bounds[k], t), options, t))),
      );
      return together.map((sum, k) =>
        loopOverTerms(
          b,
          own[k],
          { first: bounds[k], begin: common, end: bounds[k + 1], count: counts[k] },
          { trips: 1, ...OFF_LANES },
          sum,
          options,
        ),
      );
    },
    each.map(() => start),
  );
};

/** A loop over the terms of instance `i`. */
const sumOfTerms = (
  b: Builder,
  s: WholeSegment,
  instances: number,
  i: Value,
  start: Value,
  options: EmitContext,
): Value => {
  const { segment } = s;
  if (segment.ptrBase === undefined) return join(b, segment, start, termValue(b, s, i, options));
  const from = b.load(POOL[32], linear(b, i, 1, segment.ptrBase));
  const to = b.load(POOL[32], linear(b, i, 1, segment.ptrBase + 1));
  const own = segmentOfSum(b, s, { from: i, behind: 0 });
  return loopOverTerms(
    b,
    own,
    { first: from, end: to },
    { trips: Math.ceil(segment.terms / instances) },
    start,
    options,
  );
};

/** A loop over the terms of instance `i` in the order of the program, which looks up the segment that the next term is of. */
const sumInTurns = (
  b: Builder,
  segments: readonly WholeSegment[],
  turns: PlacedTurns,
  instances: number,
  i: Value,
  start: Value,
  options: EmitContext,
): Value => {
  const one = b.i32(1);
  const from = b.load(POOL[32], linear(b, i, 1, turns.ptrBase));
  const to = b.load(POOL[32], linear(b, i, 1, turns.ptrBase + 1));
  const firsts = segments.map(({ segment }) => b.load(POOL[32], linear(b, i, 1, segment.ptrBase!)));
  const own = segments.map((s) => segmentOfSum(b, s, { from: i, behind: 0 }));
  const trips = Math.ceil(turns.terms / instances);
  return b.for(from, to, one, { trips }, [start, ...firsts], (t, [sum, ...next]) => {
    const turn = b.cast(b.load(POOL[turns.width], linear(b, t, 1, turns.base)), 'i32');
    const isTurn = segments.map((_, s) => b.cmp('eq', turn, b.i32(s)));
    const valueOf = (s: number): Value =>
      termValue(b, own[s], next[s], options, countsInSum(own[s]) ? b.sub(next[s], firsts[s]) : next[s]);
    const term = (s: number): Value =>
      s + 1 === segments.length
        ? valueOf(s)
        : b.if(
            isTurn[s],
            () => valueOf(s),
            () => term(s + 1),
          )[0];
    return [join(b, segments[0].segment, sum, term(0)), ...next.map((p, s) => b.select(isTurn[s], b.add(p, one), p))];
  })[0];
};

const sumOfParts = (
  b: Builder,
  segment: PlacedSegment,
  parts: PlacedParts,
  instances: number,
  i: Value,
  start: Value,
): Value => {
  const from = b.load(POOL[32], linear(b, i, 1, parts.ptrBase));
  const to = b.load(POOL[32], linear(b, i, 1, parts.ptrBase + 1));
  return b.for(from, to, b.i32(1), { trips: Math.ceil(parts.count / instances) }, [start], (p, [sum]) =>
    join(b, segment, sum, b.load(TEMPORARIES, linear(b, p, 1, parts.valueBase))),
  )[0];
};

/** Which parts are summed up, and how often a run does that. */
interface Range {
  readonly from: Value;
  readonly to: Value;
  readonly times: number;
}

/** Sums up the parts of all segments of a group, of the instances of a tile if it is given. */
export const emitPartsOf = (b: Builder, g: PlacedGroup, options: EmitContext, tile?: Tile): void => {
  for (const segment of g.segments) {
    const { parts } = segment;
    if (parts === undefined) continue;
    const partAt = (i: Value): Value => b.load(POOL[32], linear(b, i, 1, parts.ptrBase));
    const range: Range =
      tile?.first === undefined
        ? { from: b.i32(0), to: b.i32(parts.count), times: 1 }
        : { from: partAt(tile.first), to: partAt(b.add(tile.first, tile.count)), times: g.steps };
    emitParts(b, wholeSegment(b, segment), parts, range, options);
  }
};

/** Lanes on which a part is summed up; every target adds in this order, however wide its registers are. */
const LANES = 16;

/**
 * The sums of all parts of a segment, in parallel. The values of a part's terms are computed first, as those of any other
 * instances are; then lane l adds up every 16th from number l on, and the lanes are added up pairwise.
 */
const emitParts = (b: Builder, s: WholeSegment, parts: PlacedParts, range: Range, options: EmitContext): void => {
  const { dtype, emit } = options;
  const { segment } = s;
  const work = (segment.terms * (segment.columnBuffers.length + segment.template.graph.length)) / range.times;
  const attrs = emit.parallel && work >= PARALLEL_WORK ? { parallel: true } : {};
  const simd = emit.simd ? { simd: isComputeBound(segment.template, segment, 1) } : {};
  const [zero, one] = [b.i32(0), b.i32(1)];
  const identity = b.constant(identityOf(segment.operation), dtype);
  b.for(range.from, range.to, one, { ...attrs, trips: Math.ceil(parts.count / range.times) }, [], (p) => {
    const from = b.load(POOL[32], linear(b, p, 1, parts.startBase));
    const count = b.sub(b.load(POOL[32], linear(b, p, 1, parts.startBase + 1)), from);
    b.for(zero, count, one, { ...simd, trips: PART_TERMS }, [], (j) =>
      b.store(PART, termValue(b, s, b.add(from, j), options), j),
    );
    const padded = b.and(b.add(count, b.i32(LANES - 1)), b.i32(-LANES));
    b.for(count, padded, one, { trips: LANES / 2 }, [], (j) => b.store(PART, identity, j));
    const start = b.splat(identity, LANES);
    const [lanes] = b.for(zero, padded, b.i32(LANES), { trips: PART_TERMS / LANES }, [start], (j, [sum]) =>
      join(b, segment, sum, b.load(PART, j, LANES)),
    );
    let sums = Array.from({ length: LANES }, (_, l) => b.extract(lanes, l));
    while (sums.length > 1) {
      const half = sums.length / 2;
      sums = sums.slice(0, half).map((x, l) => join(b, segment, x, sums[l + half]));
    }
    b.store(TEMPORARIES, sums[0], linear(b, p, 1, parts.valueBase));
  });
};

/** The value of term `t`, which is number `m` of its sum where origins are those of sums. */
const termValue = (
  b: Builder,
  { segment, tables, constants, sum }: WholeSegment,
  t: Value,
  options: EmitContext,
  m: Value = t,
): Value => {
  const columns = segment.columnBuffers.length;
  const at = { m, i: t, j: t, ...(sum && { sum }) };
  const positions = emitAddresses(b, segment.encoded, tables, at, 0, columns, []);
  return expressionValues(b, segment, inStep(b, segment.encoded, tables, positions), constants, t, options)[0];
};

const join = (b: Builder, { operation }: PlacedSegment, x: Value, y: Value): Value =>
  b.value(scalarOps[operation].kernelOp, [x, y]);

/** What joined with a value leaves it as it is; 0 + −0 is 0. */
const identityOf = (operation: number): number => IDENTITY.get(operation)!;

const IDENTITY: ReadonlyMap<number, number> = new Map([
  [ADD, -0],
  [MUL, 1],
  [MIN, Infinity],
  [MAX, -Infinity],
]);

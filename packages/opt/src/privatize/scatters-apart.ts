import {
  bufferMap,
  bufferName,
  cloneOps,
  byteSize,
  declareBuffer,
  isVector,
  mapKernels,
  mapRegions,
  opWith,
  rewriteOps,
  scalarOf,
  useCounts,
  walk,
  type Attrs,
  type Buffer,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { constantIn } from '../support/constant-in.js';
import { accessIn, factsOf, touches, type Facts } from '../support/facts.js';
import { identityOf } from '../support/identity.js';
import { isParallelLoop } from '../support/scratch.js';
import { attrsOfParts } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';
import { uniqueName } from '../support/unique-name.js';
import { timesRun, work, type Loops } from '../support/work.js';
import { get, put } from './in-team.js';
import { combines } from './reduction.js';

interface Choices {
  readonly threads: number;
  readonly bytes: number;
  readonly least: number;
}

/** Privatises the scatters of a module (`privatizeScatters`). */
export const scattersApart = (dialects: readonly Dialect[], { threads: all, bytes, least }: Choices) => {
  const facts = factsOf(dialects);
  return (module: Module): Module => {
    const lengths = new Map([...bufferMap(module.buffers)].map(([name, b]) => [name, b.length]));
    const made: Buffer[] = [];
    const names = new Set(module.buffers.map((b) => b.name));
    const mapped = mapKernels(module, (kernel) => {
      let room = bytes;
      const counts = useCounts(kernel.body);
      let known: Ranges | undefined;
      const ranges = (): Ranges => (known ??= rangesOf(kernel, bufferMap(module.buffers), facts));
      const rewrite = (op: Op, ctx: RewriteContext): Replacement | undefined => {
        const said = op.attrs['threads'];
        const threads = typeof said === 'number' ? Math.min(said, all) : all;
        if (threads < 2 || !isTaken(op, ctx, facts)) return undefined;
        const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
        const trips = tripCount(facts.control(op)?.count, constantOf);
        const step = Number(constantOf(op.operands[2]!) ?? 0);
        const [from, to] = op.operands.slice(0, 2).map((v) => ranges().of(v));
        /* So that counters of parts do not go round. */
        const isNear =
          trips === undefined
            ? step === 1
            : from !== undefined &&
              to !== undefined &&
              from.lo >= -MOST &&
              to.hi <= MOST &&
              Number(trips) * step <= MOST;
        if (!(step > 0) || !isNear) return undefined;
        const isUsed = (v: Value): boolean => (counts.get(v.id) ?? 0) > 0;
        const loops = { control: facts.control, constantOf };
        const ops = opsOf(op, loops);
        const sums = sumsOf(op, { facts, ranges, lengths, isUsed, loops }).filter((s) => {
          const size = threads * s.length * byteSize(s.type);
          if (s.updates * OPS_A_VALUE < ops || size > room) return false;
          if (trips !== undefined && leastTrips(s, threads, least / ops) > Number(trips)) return false;
          room -= size;
          return true;
        });
        if (sums.length === 0) return undefined;
        const parts = sums.map(({ type, length }) => {
          const buffer = declareBuffer(uniqueName(`${kernel.name}_apart`, names), type, threads * length, 'temp');
          made.push(buffer);
          return buffer;
        });
        return ctx.build((b) => {
          b.loc = op.loc;
          const atLeast = Math.max(...sums.map((s) => leastTrips(s, threads, least / ops)));
          const about = Math.ceil(Number(trips ?? atLeast) / threads);
          const make = (loop: Op, count: Value): void => apart(b, loop, { sums, parts, threads, step, about }, count);
          if (trips !== undefined) make(op, b.i32(Number(trips)));
          else {
            const [lower, upper] = op.operands as readonly [Value, Value, ...Value[]];
            /* Of what is far apart the difference leaves its type: it is negative then, or there is no iteration. */
            const count = b.sub(upper, lower);
            const isMany = b.and(b.cmp('ge', count, b.i32(atLeast)), b.cmp('le', count, b.i32(MOST)));
            b.if(
              b.and(b.cmp('lt', lower, upper), isMany),
              () => (make(op, count), []),
              () => (cloneOps([op], ctx.ids).ops.forEach((other) => b.append(other)), []),
            );
          }
          return [];
        });
      };
      return rewriteOps(kernel, dialects, rewrite, module.buffers);
    });
    return made.length === 0 ? mapped : { ...mapped, buffers: [...mapped.buffers, ...made] };
  };
};

/** For how many elements a value that is combined is worth clearing, and reading once more, what a thread has of each: an atomic addition takes about as long as 16 of these. */
const ELEMENTS_A_VALUE = 8;

const MOST = 2 ** 30;

/** Beside how many ops the time is seen that an atomic addition takes. */
const OPS_A_VALUE = 128;

/** How often a loop should run, other than to be worth a team. */
const leastTrips = ({ length, updates }: Sums, threads: number, least: number): number =>
  Math.ceil(Math.max(2 * threads, (threads * length) / (updates * ELEMENTS_A_VALUE), least));

const isTaken = (op: Op, ctx: RewriteContext, facts: Facts): boolean =>
  op.name === 'scf.for' &&
  isParallelLoop(op, facts) &&
  op.attrs['team'] !== true &&
  /* Parts would take very different times. */
  op.attrs['schedule'] !== 'dynamic' &&
  op.results.length === 0 &&
  op.operands[0]!.type === 'i32' &&
  !ctx.parents.some((p) => isParallelLoop(p, facts));

/** About how many ops an iteration runs. */
const opsOf = (loop: Op, loops: Loops): number => {
  let sum = 0;
  timesRun(loop.regions[0]!, loops, (op, runs) => (sum += runs * work(op)));
  return sum;
};

/** Elements of a buffer that lie side by side, and the atomics of a loop that combine into them in one way. */
interface Sums {
  readonly buffer: string;
  readonly kind: string;
  readonly type: ScalarType;
  readonly first: number;
  readonly length: number;
  readonly atomics: ReadonlySet<Op>;
  /** How many values an iteration combines, about. */
  readonly updates: number;
}

interface Setting {
  readonly facts: Facts;
  readonly ranges: () => Ranges;
  readonly lengths: ReadonlyMap<string, number>;
  readonly isUsed: (v: Value) => boolean;
  readonly loops: Loops;
}

/** What a loop combines into elements that it touches in no other way. */
const sumsOf = (loop: Op, s: Setting): readonly Sums[] => {
  const found: Sums[] = [];
  timesRun(loop.regions[0]!, s.loops, (op, updates) => {
    const one = sumOf(op, s);
    if (one) found.push({ ...one, updates });
  });
  const all = joined(found);
  return all.filter((sum) => {
    let isAlone = true;
    walk(loop.regions[0]!, (op) => {
      if (isAlone && op.regions.length === 0 && !sum.atomics.has(op)) isAlone = isElsewhere(op, sum, s);
    });
    return isAlone;
  });
};

const sumOf = (op: Op, { ranges, lengths, isUsed }: Setting): Omit<Sums, 'updates'> | undefined => {
  if (op.name !== 'mem.atomic' || !combines(op) || isUsed(op.results[0]!)) return undefined;
  const [value, index] = op.operands as [Value, Value];
  const range = ranges().of(index);
  const buffer = bufferName(op);
  if (!range || (index.type !== 'i32' && index.type !== 'i64') || isVector(value.type)) return undefined;
  const type = scalarOf(value.type);
  const [first, last] = [Number(range.lo), Number(range.hi)];
  if (!(first >= 0 && last < lengths.get(buffer)!)) return undefined;
  return { buffer, kind: String(op.attrs['kind']), type, first, length: last - first + 1, atomics: new Set([op]) };
};

/** Such as have elements in common, components that lie in turns for instance, together. */
const joined = (sums: readonly Sums[]): readonly Sums[] =>
  [...sums]
    .sort((a, b) => a.first - b.first)
    .reduce<readonly Sums[]>((all, next) => {
      const meets = (s: Sums): boolean =>
        s.buffer === next.buffer && s.kind === next.kind && s.type === next.type && s.first + s.length > next.first;
      const met = all.filter(meets);
      return [...all.filter((s) => !meets(s)), met.reduce(together, next)];
    }, []);

const together = (a: Sums, b: Sums): Sums => {
  const first = Math.min(a.first, b.first);
  return {
    ...a,
    first,
    length: Math.max(a.first + a.length, b.first + b.length) - first,
    atomics: new Set([...a.atomics, ...b.atomics]),
    updates: a.updates + b.updates,
  };
};

/** Whether an op certainly touches none of these elements. */
const isElsewhere = (op: Op, { buffer, first, length }: Sums, { facts, ranges }: Setting): boolean => {
  const { reads, writes, external } = facts.footprint(op);
  if (external) return false;
  if (!touches(reads, buffer) && !touches(writes, buffer)) return true;
  const access = accessIn(op, facts);
  const range = access?.index.length === 1 ? ranges().of(access.index[0]!) : undefined;
  return range !== undefined && (Number(range.hi) + access!.count <= first || Number(range.lo) >= first + length);
};

interface Apart {
  readonly sums: readonly Sums[];
  /** For each what the parts have, one after the other. */
  readonly parts: readonly Buffer[];
  readonly threads: number;
  readonly step: number;
  /** How often a part runs, or at least. */
  readonly about: number;
}

/** Appends a loop that runs so often, in parts, and those that take together what these have. */
const apart = (b: Builder, loop: Op, { sums, parts, threads, step, about }: Apart, trips: Value): void => {
  const [zero, one] = [b.i32(0), b.i32(1)];
  const [lower, , by] = loop.operands as [Value, Value, Value];
  const { threads: said } = loop.attrs;
  const parallel = { parallel: true, ...(said !== undefined && { threads: said }) };
  const many = b.div(b.add(trips, b.i32(threads - 1)), b.i32(threads));
  b.for(zero, b.i32(threads), one, { ...parallel, trips: threads }, [], (part) => {
    const begins = sums.map(({ kind, type, length }, n) => {
      const begin = b.mul(part, b.i32(length));
      const identity = b.constant(identityOf(kind, type), type);
      b.for(zero, b.i32(length), one, { simd: true, trips: length }, [], (k) => {
        put(b, parts[n]!, identity, b.add(begin, k));
        return [];
      });
      return begin;
    });
    /* The last parts may have fewer, or none. */
    const bound = (n: Value): Value => b.add(lower, b.mul(b.min(b.mul(n, many), trips), b.i32(step)));
    const [from, to] = [bound(part), bound(b.add(part, one))];
    const offsets = sums.map(({ first }, n) => b.sub(begins[n]!, b.i32(first)));
    const [region] = loop.regions as [Region];
    const { ops } = b.collect(() => region.ops.forEach((op) => withoutAtomics(b, op, sums, parts, offsets)));
    b.append(
      opWith(loop, {
        attrs: { ...inTurn(attrsOfParts(loop)), trips: about },
        operands: [from, to, by],
        regions: [{ params: region.params, ops }],
      }),
    );
  });
  sums.forEach(({ buffer, kind, type, first, length }, n) =>
    b.for(zero, b.i32(length), one, { ...parallel, independent: true }, [], (k) => {
      const own = Array.from({ length: threads }, (_, part) =>
        get(b, parts[n]!, part === 0 ? k : b.add(k, b.i32(part * length))),
      );
      const all = own.reduce((x, y) => b.value(`arith.${kind}`, [x, y]));
      /* What nothing was combined into may be something else, of another type even, which lies between. */
      b.if(b.cmp('ne', all, b.constant(identityOf(kind, type), type)), () => {
        const at = b.add(k, b.i32(first));
        b.store(buffer, b.value(`arith.${kind}`, [b.load(buffer, at), all]), at);
        return [];
      });
      return [];
    }),
  );
};

/** Iterations that meet in memory run one after the other. */
const inTurn = ({ parallel: _parallel, threads: _threads, simd: _simd, independent: _independent, lanes: _lanes, ...attrs }: Attrs): Attrs => attrs; // prettier-ignore

const withoutAtomics = (
  b: Builder,
  op: Op,
  sums: readonly Sums[],
  parts: readonly Buffer[],
  offsets: readonly Value[],
): void => {
  const n = sums.findIndex((s) => s.atomics.has(op));
  if (n >= 0) {
    b.loc = op.loc;
    const [value, index] = op.operands as [Value, Value];
    const at = b.add(index.type === 'i32' ? index : b.cast(index, 'i32'), offsets[n]!);
    put(b, parts[n]!, b.value(`arith.${sums[n]!.kind}`, [get(b, parts[n]!, at), value]), at);
    return;
  }
  let holds = false;
  for (const r of op.regions) walk(r, (inner) => (holds ||= sums.some((s) => s.atomics.has(inner))));
  if (!holds) return void b.append(op);
  b.append(
    opWith(
      mapRegions(op, (region) => ({
        ...region,
        ops: b.collect(() => region.ops.forEach((inner) => withoutAtomics(b, inner, sums, parts, offsets))).ops,
      })),
      { attrs: inTurn(op.attrs) },
    ),
  );
};

import { rare } from '#rare';
import {
  bufferMap,
  byteSize,
  isFloat,
  mapKernels,
  once,
  opWith,
  rewriteOps,
  scalarOf,
  walk,
  type Attr,
  type Buffers,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { affineFormsIn, type AffineForms } from '../support/affine.js';
import { loadStoreOf } from '../support/load-store.js';
import { constantIn } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { cycles, isFunction } from '../support/cycles.js';
import { emptyBuffers } from '../support/empty-buffers.js';
import { factsOf, type Facts } from '../support/facts.js';
import { ARITHMETIC_PER_LANE_BY_LANE, inRegisters, onWords } from '../support/lane-arithmetic.js';
import { attrsOfParts, chunkFits, chunkedBound, indexConstant } from '../support/split-loop.js';
import { ownsScratch, scratchOf } from '../support/scratch.js';
import { tripCount } from '../support/trip-count.js';
import { timesRun, type Loops } from '../support/work.js';
import { terminatorOf } from '../support/values.js';
import { gathersApart } from './ending-apart.js';
import { laneVaryingIn } from './lane-varying.js';
import { widen } from './widen.js';

/**
 * Puts the iterations of an `scf.for {simd = true}` that contains loops or branches on vector lanes (thesis §4.3: the
 * innermost dense level). All lanes go through inner loops and branches together, so bounds and conditions must be the
 * same for all of them; sums that inner loops carry become vectors, and what is the same for all lanes is computed
 * once. Inner loops may begin or end an iteration later from lane to lane, as down the columns of a triangle, where they read within bounds (`goesApart`). C compilers do this to innermost loops by themselves but not to nests, and where floats are free to be added up in any order alone. A loop is taken only if most of
 * what it does is as fast for all lanes as for one, such as arithmetic with floats that lie side by side. What fills no vector is left over, where the number of iterations
 * is not known or no good part of a vector divides it.
 *
 * The attribute `vector_width` of a kernel, a hint, says how many lanes its vectors have.
 *
 * Option `bytes` (default 64): the most bytes of a vector otherwise; more than a register holds means several independent
 * sums, which need not wait for each other. Throws `option/value` when it is not a positive whole number. Option `functions` (default false): whether the target puts a vector
 * through a function such as the sine in the time that it takes for a number. Option `registerBytes` (default 16): the bytes of a vector register, of which nests that go down columns fill several with each row (`lanesDownColumns`).
 */
export const vectorizeNests = corePass(
  'vectorize-nests',
  { bytes: 64, functions: false as boolean, registerBytes: 16 },
  (dialects, { bytes, functions, registerBytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const buffers = bufferMap(module.buffers);
      const scratch = scratchOf(module.buffers);
      const empty = emptyBuffers(module.buffers);
      return mapKernels(module, (k) => {
        const forms = once(() => affineFormsIn(k, facts));
        const ranges = once(() => rangesOf(k, buffers, facts));
        return rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            isNest(op) && !ownsScratch(op, ctx, scratch, facts) && !(empty.size > 0 && touches(op, empty))
              ? vectorizeNest(
                  op,
                  ctx,
                  { facts, bytes, functions, registerBytes, forms, buffers, ranges },
                  k.attrs['vector_width'],
                )
              : undefined,
          module.buffers,
        );
      });
    };
  },
  { bytes: 1, registerBytes: 1 },
);

const isNest = (op: Op): boolean =>
  op.name === 'scf.for' &&
  op.attrs['simd'] === true &&
  op.results.length === 0 &&
  op.regions[0]!.ops.some((inner) => inner.regions.length > 0);

/** Whether any of these buffers is touched. Where they are empty, lanes that have ended would have nothing to read. */
const touches = (op: Op, buffers: ReadonlySet<string>): boolean => {
  let any = false;
  walk(op.regions[0]!, ({ attrs }) => void (any ||= buffers.has(String(attrs['buffer']))));
  return any;
};

/** What is known of the target. */
interface Target {
  readonly facts: Facts;
  readonly bytes: number;
  readonly functions: boolean;
  readonly registerBytes: number;
  /** Of a kernel, where a nest asks for them. */
  readonly forms: () => AffineForms;
  readonly buffers: Buffers;
  readonly ranges: () => Ranges;
}

const vectorizeNest = (
  loop: Op,
  ctx: RewriteContext,
  { facts, bytes, functions, registerBytes, forms, buffers, ranges }: Target,
  hint: Attr | undefined,
): Replacement | undefined => {
  const constantOf = (v: Op['operands'][number]) => constantIn(v, ctx.definition, facts);
  const step = constantOf(loop.operands[2]!);
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  const tripsOf = (op: Op) => tripCount(facts.control(op)?.count, constantOf);
  const lanes = lanesFor(loop, trips, bytes, hint, tripsOf);
  const varying = laneVaryingIn(loop);
  if (step === undefined || BigInt(step) !== 1n || lanes < 2 || !chunkFits(loop, 1n, lanes)) return undefined;
  const isApart = (inner: Op): boolean =>
    rare().goesApart(
      loop,
      inner,
      { varying, facts, constantOf, buffers, ranges },
      readsAlone(inner.regions[0]!, facts, facts.speculatable),
    );
  if (!goesTogether(loop.regions[0]!, varying, facts, isApart)) return undefined;
  const mayGoDown = loop.regions[0]!.ops.some((op) => op.name === 'scf.for' && (tripsOf(op) ?? Infinity) > SHORT);
  const wide =
    hint === undefined && mayGoDown
      ? rare().lanesDownColumns(
          loop,
          { trips, lanes, laneBytes: widestFloat(loop) || WORD, registerBytes },
          { facts, constantOf, forms: forms() },
        )
      : undefined;
  const replacement = ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = loop.operands as readonly [Value, Value, Value];
    const { simd: _simd, ...attrs } = attrsOfParts(loop);
    let [from, left] = [lb, trips];
    for (const width of wide === undefined ? [lanes] : [wide, lanes]) {
      const even = left !== undefined && left % BigInt(width) === 0n;
      const end = even ? ub : chunkedBound(b, opWith(loop, { operands: [from, ub, one] }), 1n, width);
      if (left === BigInt(width) && attrs['parallel'] !== true) widen(loop, from, width, varying, b);
      else
        b.for(from, end, indexConstant(b, loop, BigInt(width)), attrs, [], (iv) => widen(loop, iv, width, varying, b));
      if (even) return [];
      [from, left] = [end, left === undefined ? undefined : left % BigInt(width)];
    }
    /* On threads as well: of few iterations that do much all may be left over. */
    b.append(opWith(loop, { operands: [from, ub, one], attrs }));
    return [];
  });
  const written = { params: [], ops: replacement.ops };
  const own = new Map<number, Op>();
  walk(written, (op) => op.results.forEach((v) => own.set(v.id, op)));
  const loops: Loops = {
    control: facts.control,
    constantOf: (v) => constantIn(v, (v) => own.get(v.id) ?? ctx.definition(v), facts),
  };
  return pays(written, loops, functions, (v) => own.get(v.id)) ? replacement : undefined;
};

/**
 * As many lanes as the hint says, else as many of the widest float as fit; half of them or fewer where nothing is left over then, and always where a loop
 * is too short for two vectors. Nests without floats are words, but for those without branches and with short loops alone, which compilers put on lanes, and those in which lanes end apart, of few and cheap iterations each, gained up to 2.8 times (bits that are set) and lost as much (greatest common
 * divisors).
 */
const lanesFor = (
  loop: Op,
  trips: bigint | undefined,
  bytes: number,
  hint: Attr | undefined,
  tripsOf: (loop: Op) => bigint | undefined,
): number => {
  let [width, endsApart, isPlain] = [widestFloat(loop), false, true];
  walk(loop.regions[0]!, (op) => {
    endsApart ||= op.name === 'scf.while';
    isPlain &&= op.name === 'scf.for' ? (tripsOf(op) ?? Infinity) <= SHORT : op.name !== 'scf.if';
  });
  if (width === 0 && !endsApart && !isPlain) width = WORD;
  if (width === 0 || trips === 0n) return 0;
  const most = 2 ** Math.floor(Math.log2(Math.max(1, typeof hint === 'number' ? hint : bytes / width)));
  if (trips === undefined) return most;
  let even = most;
  while (even > 1 && trips % BigInt(even) !== 0n) even /= 2;
  return 2 * even >= most || trips < BigInt(2 * most) ? even : most;
};

/** Bytes of the widest float in a loop; 0 where there is none. */
const widestFloat = (loop: Op): number => {
  let width = 0;
  walk(loop.regions[0]!, ({ results }) => {
    for (const { type } of results) if (isFloat(type)) width = Math.max(width, byteSize(scalarOf(type)));
  });
  return width;
};

/** Bytes of an integer that registers hold. */
const WORD = 4;

/** C compilers write loops of so many iterations out, and put the loop around on lanes themselves. */
const SHORT = 16;

/** Whether all lanes do the same ops, each of which has a meaning lane by lane. */
const goesTogether = (
  region: Region,
  varying: ReadonlySet<number>,
  facts: Facts,
  isApart: (inner: Op) => boolean = () => false,
): boolean =>
  region.ops.every((op) => {
    if (facts.terminator(op)) return true;
    if ([...op.operands, ...op.results].some((v) => typeof v.type !== 'string')) return false;
    if (op.name === 'scf.for' || op.name === 'scf.if') {
      const decides = op.name === 'scf.for' ? op.operands.slice(0, 3) : op.operands;
      return (
        op.attrs['parallel'] !== true &&
        (!decides.some((v) => varying.has(v.id)) || isApart(op)) &&
        op.regions.every((r) => goesTogether(r, varying, facts))
      );
    }
    if (op.name === 'scf.while') return whileTogether(op, varying, facts);
    const def = facts.def(op);
    if (!def || op.regions.length > 0) return false;
    /* An element that all lanes read is written by none, as iterations do not depend on one another. */
    const access = loadStoreOf(op);
    if (access) return access.kind === 'load' || varying.has(access.index.id);
    const varies = op.operands.some((v) => varying.has(v.id));
    return facts.pure(op) && op.results.length === 1 && (!varies || def.traits.elementwise === true);
  });

/**
 * Whether lanes go through a loop together of which each has as many iterations as it wants. Lanes that have ended go on with the others and what they do is
 * dropped: it must be nothing but reading and computing, which cannot trap and ends.
 */
const whileTogether = (op: Op, varying: ReadonlySet<number>, facts: Facts): boolean => {
  const [before, after] = op.regions as readonly [Region, Region];
  const differs = varying.has(terminatorOf(before).operands[0]!.id);
  return (
    goesTogether(before, varying, facts) &&
    goesTogether(after, varying, facts) &&
    (!differs || (readsAlone(before, facts, facts.pure) && readsAlone(after, facts, facts.speculatable)))
  );
};

/** Whether nothing is done but loads and what `may` be done, in the order of the program or in loops of known ends. */
const readsAlone = (region: Region, facts: Facts, may: (op: Op) => boolean): boolean =>
  region.ops.every(
    (op) =>
      facts.terminator(op) ||
      loadStoreOf(op)?.kind === 'load' ||
      may(op) ||
      ((op.name === 'scf.for' || op.name === 'scf.if') && op.regions.every((r) => readsAlone(r, facts, may))),
  );

/**
 * Whether most of what is done with vectors is done as fast for all lanes as for one. What is done lane by lane, as elements that lie apart are read, counts as
 * often as it runs: before and behind an inner loop it is nothing beside what the loop does. Where there are no floats nothing in inner loops may be: compilers take
 * all integers apart that meet it, and do well with such loops as they are.
 */
const pays = (region: Region, loops: Loops, functions: boolean, definition: (v: Value) => Op | undefined): boolean => {
  let [at, apart, floats] = [0, 0, false];
  const gathers = gathersApart(region, definition);
  const costOf = (op: Op): number | undefined => {
    if (functions && isFunction(op)) return undefined;
    const vectors = vectorsOf(op);
    if (vectors.length === 0 || isFast(op, vectors, definition)) return undefined;
    if (gathers.has(op)) return gathers.get(op)!;
    return beside.has(op.name) && vectors.every((v) => isFloat(v.type) || isWord(scalarOf(v.type))) ? 0 : 1;
  };
  timesRun(region, loops, (op, runs) => {
    const vectors = vectorsOf(op);
    floats ||= vectors.some((v) => isFloat(v.type));
    const cost = costOf(op);
    if (cost !== undefined) apart += runs * cost;
    else if (vectors.length > 0) at += runs * (functions && isFunction(op) ? cycles(op) : 1);
  });
  if (apart * ARITHMETIC_PER_LANE_BY_LANE > at) return false;
  return floats || !someWithin(region, 2, (op) => (costOf(op) ?? 0) > 0);
};

const vectorsOf = ({ operands, results }: Op): readonly Value[] =>
  [...operands, ...results].filter((v) => typeof v.type !== 'string');

/** Whether an op in that many loops is such. */
const someWithin = (region: Region, loops: number, test: (op: Op) => boolean): boolean =>
  region.ops.some(
    (op) =>
      (loops === 0 && test(op)) ||
      op.regions.some((r) => someWithin(r, op.name === 'scf.for' ? Math.max(0, loops - 1) : loops, test)),
  );

/** Whether registers do an op for all lanes as fast as for one. */
const isFast = (op: Op, vectors: readonly Value[], definition: (v: Value) => Op | undefined): boolean =>
  (inRegisters.has(op.name) && vectors.every((v) => isFloat(v.type))) ||
  ((onWords.has(op.name) ||
    (shifts.has(op.name) && definition(op.operands[1]!)?.name === 'arith.splat') ||
    isQuickCast(op)) &&
    vectors.every((v) => isWord(scalarOf(v.type))));

/** Whether it is a cast to floats or words with a sign, or of floats that certainly fit. */
const isQuickCast = ({ name, attrs, operands: [from], results: [to] }: Op): boolean =>
  name === 'arith.cast' &&
  scalarOf(from!.type) !== 'i1' &&
  (isFloat(to!.type) || scalarOf(to!.type) === 'i32' || attrs['fits'] === true);

/** Of words, where all lanes shift alike. */
const shifts: ReadonlySet<string> = new Set(['arith.shl', 'arith.shr']);

const beside: ReadonlySet<string> = new Set([
  'arith.splat',
  'arith.iota',
  'mem.load',
  'mem.store',
  'scf.for',
  'scf.if',
  'scf.while',
  'scf.yield',
  'scf.condition',
  'arith.reduce',
]);

const isWord = (type: ScalarType): boolean => type === 'i1' || type === 'f64' || byteSize(type) === 4;

import {
  mapKernels,
  opWith,
  rewriteOps,
  type Attrs,
  type Builder,
  type Op,
  type Replacement,
  type RewriteContext,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { isParallelLoop, scratchOf, usesScratch } from '../support/scratch.js';
import { attrsOfParts, chunkedBound, indexConstant, unitChunks } from '../support/split-loop.js';
import { fromStage, stagesBeside, toStage, type Stages } from '../support/stages.js';
import { bodyOf } from '../support/values.js';
import { stridedPlaces, type StridedPlace } from './strided-places.js';

/**
 * Brings words that lie several places apart side by side, so that what is computed from them goes on lanes: a loop with independent
 * iterations that takes numbers out of words, or packs them, runs in chunks. A chunk copies the words of its iterations to arrays,
 * one for each place of a record, computes on these, and copies back what it stores. Compilers do well with words two, three or
 * four places apart, and with floats; they give up, or access one element after the other, where records are longer.
 *
 * Taken are loops without branches or inner loops whose stores all go to such words, each to one place once and after it was read. Option `chunk` (default
 * 64): the iterations of a chunk. Throws `option/value` when it is not a positive whole number.
 */
export const stageStrides = corePass(
  'stage-strides',
  { chunk: 64 },
  (dialects, { chunk }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const scratch = scratchOf(module.buffers);
      const arrays = stagesBeside(module.buffers, chunk);
      const mapped = mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) => (op.name === 'scf.for' ? staged(op, ctx, { facts, scratch, chunk, arrays }) : undefined),
          module.buffers,
        ),
      );
      return mapped === module ? module : { ...mapped, buffers: [...module.buffers, ...arrays.all] };
    };
  },
  { chunk: 2 },
);

interface Context {
  readonly facts: Facts;
  readonly scratch: ReadonlySet<string>;
  readonly chunk: number;
  readonly arrays: Stages;
}

const staged = (loop: Op, ctx: RewriteContext, c: Context): Replacement | undefined => {
  const { facts, chunk } = c;
  if (!mayRunTogether(loop, ctx, c)) return undefined;
  const chunks = unitChunks(loop, chunk, facts, (v) => constantIn(v, ctx.definition, facts));
  if (!chunks) return undefined;
  const places = stridedPlaces(loop, ctx, facts, chunk);
  if (!places) return undefined;
  const stages = new Map(places.map((p, k) => [p, c.arrays.take(p.type, k)] as const));
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = loop.operands as readonly [Value, Value, Value];
    const { parallel, trips: _trips, ...serial } = attrsOfParts(loop);
    const { isEven } = chunks;
    const end = isEven ? ub : chunkedBound(b, loop, 1n, chunk);
    const [length, zero] = [indexConstant(b, loop, BigInt(chunk)), indexConstant(b, loop, 0n)];
    b.for(lb, end, length, parallel === undefined ? {} : { parallel }, [], (start) => {
      const part = (attrs: Attrs, write: (at: Value, values: Map<number, Value>) => void): void =>
        void b.for(zero, length, one, attrs, [], (at) =>
          write(at, new Map([[loop.regions[0]!.params[0]!.id, b.add(start, at)]])),
        );
      const ways = { b, body: bodyOf(loop.regions[0]!), stages };
      if (places.some((p) => p.loads.length > 0)) part(COPIES, (at, values) => copyIn(ways, at, values));
      part(serial, (at, values) => compute(ways, at, values));
      if (places.some((p) => p.store)) part(COPIES, (at, values) => copyOut(ways, at, values));
    });
    if (!isEven) b.append(opWith(loop, { operands: [end, ub, one], attrs: serial }));
    return [];
  });
};

const COPIES: Attrs = { independent: true };

/** Whether iterations may run in any order, with arrays of their own. */
const mayRunTogether = (loop: Op, ctx: RewriteContext, { facts, scratch }: Context): boolean =>
  loop.results.length === 0 &&
  ['simd', 'independent', 'parallel'].some((said) => loop.attrs[said] === true) &&
  loop.attrs['team'] === undefined &&
  !(isParallelLoop(loop, facts) && ctx.parents.some((p) => isParallelLoop(p, facts))) &&
  !usesScratch(loop, scratch, facts);

/** What parts of a loop are written with. */
interface Ways {
  readonly b: Builder;
  readonly body: readonly Op[];
  /** The array of each place. */
  readonly stages: ReadonlyMap<StridedPlace, string>;
}

const copyIn = ({ b, body, stages }: Ways, at: Value, values: Map<number, Value>): void => {
  const read = [...stages].flatMap(([place, stage]) => place.loads.slice(0, 1).map((op) => ({ op, stage })));
  for (const op of needed(
    body,
    read.map(({ op }) => indexOf(op)),
  ))
    copy(b, op, values);
  for (const { op, stage } of read) toStage(b, stage, copy(b, op, values)[0]!, at);
};

const copyOut = ({ b, body, stages }: Ways, at: Value, values: Map<number, Value>): void => {
  const written = [...stages].flatMap(([{ store }, stage]) => (store ? [{ op: store, stage }] : []));
  for (const op of needed(
    body,
    written.map(({ op }) => indexOf(op)),
  ))
    copy(b, op, values);
  for (const { op, stage } of written) {
    const { element } = loadStoreOf(op)!;
    copy(b, op, values.set(element.id, fromStage(b, stage, element.type as ScalarType, at)));
  }
};

/** The body of a loop, on arrays. */
const compute = ({ b, body, stages }: Ways, at: Value, values: Map<number, Value>): void => {
  const places = [...stages].flatMap(([{ loads, store }, stage]) =>
    [...loads, ...(store ? [store] : [])].map((op) => [op, stage] as const),
  );
  const stageOf = new Map(places);
  const stored = body.filter((op) => loadStoreOf(op)?.kind === 'store').map((op) => loadStoreOf(op)!.element);
  const used = new Set(needed(body, stored, (op) => stageOf.has(op)));
  for (const op of body) {
    const [stage, access] = [stageOf.get(op), loadStoreOf(op)];
    if (stage !== undefined && access?.kind === 'store')
      toStage(b, stage, values.get(access.element.id) ?? access.element, at);
    else if (!used.has(op)) continue;
    else if (stage !== undefined)
      values.set(op.results[0]!.id, fromStage(b, stage, op.results[0]!.type as ScalarType, at));
    else copy(b, op, values);
  }
};

/** The ops that values come from, in order; of those that `isSource` holds of no operand is needed. */
const needed = (
  body: readonly Op[],
  values: readonly Value[],
  isSource: (op: Op) => boolean = () => false,
): readonly Op[] => {
  const wanted = new Set(values.map((v) => v.id));
  const found = body.toReversed().filter((op) => {
    if (!op.results.some((v) => wanted.has(v.id))) return false;
    if (!isSource(op)) for (const v of op.operands) wanted.add(v.id);
    return true;
  });
  return found.toReversed();
};

/** Appends an op whose operands are what `values` has for them, which will have its results. */
const copy = (b: Builder, op: Op, values: Map<number, Value>): readonly Value[] => {
  const operands = op.operands.map((v) => values.get(v.id) ?? v);
  const results = op.results.map((v) => b.newValue(v.type, v.hint));
  op.results.forEach((v, k) => values.set(v.id, results[k]!));
  return b.append(opWith(op, { operands, results }));
};

const indexOf = (op: Op): Value => loadStoreOf(op)!.index;

import {
  bufferMap,
  cloneOps,
  byteSize,
  isFloat,
  isInteger,
  isVector,
  makeOp,
  mapKernels,
  rewriteOps,
  SCRATCH_BYTES,
  walk,
  type Buffers,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { affineForms, type AffineForms } from '../support/affine.js';
import { inBounds } from '../support/bounds.js';
import { constantIn, constantOfOp } from '../support/constant-in.js';
import { isQuick } from '../support/cycles.js';
import { accessIn, branches, factsOf, type Facts } from '../support/facts.js';
import { isParallelLoop, scratchOf, usesScratch } from '../support/scratch.js';
import { attrsOfParts, indexConstant, unitChunks } from '../support/split-loop.js';
import { fromStage, stagesBeside, toStage, type Stages } from '../support/stages.js';
import { bodyOf, definedIn, terminatorOf } from '../support/values.js';

/** Distributes the loops of a module (`distribute`). @param chunk the iterations of a chunk */
export const distributeLoops = (dialects: readonly Dialect[], { chunk }: { readonly chunk: number }) => {
  const facts = factsOf(dialects);
  return (module: Module): Module => {
    const scratch = scratchOf(module.buffers);
    const buffers = bufferMap(module.buffers);
    const arrays = stagesBeside(module.buffers, chunk);
    const mapped = mapKernels(module, (k) => {
      let known: Ranges | undefined;
      const ranges = (): Ranges =>
        (known ??= rangesOf(k, buffers, facts, { unasked: ({ name }) => name === 'scf.if' }));
      return rewriteOps(
        k,
        dialects,
        (op, ctx) =>
          op.name === 'scf.for' ? distributed(op, ctx, { facts, scratch, chunk, arrays, buffers, ranges }) : undefined,
        module.buffers,
      );
    });
    return mapped === module ? module : { ...mapped, buffers: [...module.buffers, ...arrays.all] };
  };
};

interface Context {
  readonly facts: Facts;
  readonly scratch: ReadonlySet<string>;
  readonly chunk: number;
  readonly arrays: Stages;
  readonly buffers: Buffers;
  readonly ranges: () => Ranges;
}

const distributed = (loop: Op, ctx: RewriteContext, c: Context): Replacement | undefined => {
  const { facts, chunk } = c;
  if (!mayRunTogether(loop, ctx, c)) return undefined;
  const chunks = unitChunks(loop, chunk, facts, (v) => constantIn(v, ctx.definition, facts));
  if (!chunks) return undefined;
  const parts = partsOf(loop, c);
  if (!parts) return undefined;
  const handed = handedOn(parts, ctx, facts);
  const bytes = handed.reduce((sum, { base }) => sum + chunk * byteSize(kept(base)), 0);
  /* To hand a value on takes two accesses. */
  if (parts.work < 4 * handed.length || bytes > SCRATCH_BYTES / 4) return undefined;
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = loop.operands as readonly [Value, Value, Value];
    const iv = loop.regions[0]!.params[0]!;
    const stages = handed.map(({ base }, k) => c.arrays.take(kept(base), k));
    const [length, zero] = [indexConstant(b, loop, BigInt(chunk)), indexConstant(b, loop, 0n)];
    const { simd: _simd, independent: _independent, trips: _trips, ...outer } = attrsOfParts(loop);
    b.for(lb, ub, length, outer, [], (start) => {
      const many = chunks.isEven ? length : b.min(length, b.sub(ub, start));
      b.for(zero, many, one, { simd: true, trips: chunk }, [], (at) => {
        b.append(makeOp('arith.add', [start, at], [iv], {}, [], undefined));
        for (const op of parts.early) b.append(op);
        handed.forEach(({ base }, k) => toStage(b, stages[k]!, base.type === 'i1' ? b.cast(base, 'i32') : base, at));
      });
      b.for(zero, many, one, { trips: chunk }, [], (at) => {
        const values = new Map<number, Value>();
        handed.forEach(({ base, others }, k) => {
          const stored = fromStage(b, stages[k]!, kept(base), at);
          const value = base.type === 'i1' ? b.cmp('ne', stored, b.constant(0, 'i32')) : stored;
          values.set(base.id, value);
          for (const { value: other, ahead } of others) values.set(other.id, offset(b, value, ahead));
        });
        values.set(iv.id, b.add(start, at));
        for (const op of cloneOps([...parts.constants, ...parts.late], ctx.ids, values).ops) b.append(op);
      });
    });
    return [];
  });
};

/** The type of elements that keep a value. */
const kept = ({ type }: Value): ScalarType => (type === 'i1' ? 'i32' : (type as ScalarType));

type Builder = Parameters<typeof toStage>[0];

const offset = (b: Builder, value: Value, ahead: bigint): Value =>
  ahead === 0n ? value : b.add(value, b.constant(byteSize(kept(value)) > 4 ? ahead : Number(ahead), kept(value)));

const mayRunTogether = (loop: Op, ctx: RewriteContext, { facts, scratch }: Context): boolean =>
  loop.results.length === 0 &&
  isParallelLoop(loop, facts) &&
  loop.attrs['team'] === undefined &&
  !ctx.parents.some((p) => isParallelLoop(p, facts)) &&
  !usesScratch(loop, scratch, facts);

/** The ops of a loop. */
interface Parts {
  /** What lanes compute, without branches. */
  readonly early: readonly Op[];
  readonly constants: readonly Op[];
  /** The updates, with the branches around them. */
  readonly late: readonly Op[];
  /** Ops that are done for all lanes at once. */
  readonly work: number;
}

const partsOf = (loop: Op, c: Context): Parts | undefined => {
  const { facts } = c;
  const body = bodyOf(loop.regions[0]!);
  const late = body.filter((op) => isUpdate(op, facts));
  if (late.length === 0) return undefined;
  const early: Op[] = [];
  const behind: Op[] = [];
  for (const op of body) {
    if (late.includes(op)) {
      behind.push(op);
      continue;
    }
    const flat = onLanes(op, c);
    if (!flat || (accessIn(op, facts) && behind.some((update) => mayMeet(update, op, c)))) return undefined;
    early.push(...flat);
  }
  const made = new Set(late.flatMap((op) => op.results.map((v) => v.id)));
  if (early.some((op) => op.operands.some((v) => made.has(v.id)))) return undefined;
  const constants = early.filter((op) => constantOfOp(op, facts) !== undefined);
  const work = early.filter(
    (op) => facts.pure(op) && !constants.includes(op) && op.results.some((v) => isFloat(v.type)),
  ).length;
  return { early, constants, late, work };
};

/** Whether an op is an atomic update, or a branch with some whose results nobody reads. */
const isUpdate = (op: Op, facts: Facts): boolean => {
  let atomic = false;
  walk({ params: [], ops: [op] }, (o) => {
    atomic ||= accessIn(o, facts)?.kind === 'atomic';
  });
  return atomic && (op.regions.length === 0 || branches(op, facts));
};

/** What becomes of an op that lanes can do together; undefined where they cannot. */
const onLanes = (op: Op, c: Context): readonly Op[] | undefined => {
  const { facts } = c;
  if ([...op.operands, ...op.results].some((v) => isVector(v.type))) return undefined;
  if (op.name === 'scf.if') {
    const bodies = op.regions.map(bodyOf);
    const flat = bodies.flat();
    const safe = (o: Op): boolean => facts.speculatable(o) || inBounds(o, facts, c.ranges, c.buffers);
    if (op.results.length === 0 || !flat.every((o) => o.regions.length === 0 && isQuick(o) && safe(o)))
      return undefined;
    const [yes, no] = op.regions.map((r) => terminatorOf(r).operands);
    const chosen = op.results.map((r, k) =>
      makeOp('arith.select', [op.operands[0]!, yes![k]!, no![k]!], [r], {}, [], op.loc),
    );
    return [...flat, ...chosen];
  }
  if (op.regions.length > 0) return undefined;
  const kind = accessIn(op, facts)?.kind;
  const does = kind === undefined ? facts.pure(op) && isQuick(op) : kind === 'read' || kind === 'write';
  return does ? [op] : undefined;
};

/** Whether an update, which moves behind an access, may be of the same elements. */
const mayMeet = (update: Op, op: Op, { facts, ranges }: Context): boolean => {
  let meets = false;
  const other = accessIn(op, facts)!;
  const range = other.index.length === 1 ? ranges().of(other.index[0]!) : undefined;
  walk({ params: [], ops: [update] }, (o) => {
    const access = accessIn(o, facts);
    if (!access || access.place !== other.place || (access.kind === 'read' && other.kind === 'read')) return;
    const at = access.index.length === 1 ? ranges().of(access.index[0]!) : undefined;
    meets ||= !at || !range || !(at.hi + access.count <= range.lo || range.hi + other.count <= at.lo);
  });
  return meets;
};

/** A value that updates need, and others that differ from it by constants. */
interface Handed {
  readonly base: Value;
  readonly others: { readonly value: Value; readonly ahead: bigint }[];
}

const handedOn = ({ early, constants, late }: Parts, ctx: RewriteContext, facts: Facts): readonly Handed[] => {
  const forms: AffineForms = affineForms();
  const computed = new Map<number, Value>();
  for (const op of early) {
    for (const v of op.operands) {
      const value = constantIn(v, ctx.definition, facts);
      if (value !== undefined) forms.note(ctx.definition(v)!, value);
    }
    forms.note(op, constantOfOp(op, facts));
    for (const v of op.results) computed.set(v.id, v);
  }
  for (const op of constants) for (const v of op.results) computed.delete(v.id);
  const inside = definedIn({ params: [], ops: late });
  const found = new Map<string, Handed>();
  const need = (v: Value): void => {
    const value = computed.get(v.id);
    if (!value || inside.has(v.id)) return;
    computed.delete(v.id);
    const form = typeof v.type === 'string' && isInteger(v.type) && v.type !== 'i1' ? forms.of(v) : undefined;
    const key = form ? `${String(v.type)} ${form.terms}` : `${v.id}`;
    const known = found.get(key);
    if (known) known.others.push({ value, ahead: form!.offset - forms.of(known.base).offset });
    else found.set(key, { base: value, others: [] });
  };
  walk({ params: [], ops: late }, (op) => op.operands.forEach(need));
  return [...found.values()];
};

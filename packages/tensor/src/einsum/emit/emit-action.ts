import type { Builder, Value } from '@filigree/ir';
import type { Coefficient } from '../notation/expression.js';
import type { Action, Operand, Operation } from '../plan/plan.js';
import { columnParts, whole } from '../../linalg/gemm/column-parts.js';
import type { GemmSpec, GemmTarget } from '../../linalg/gemm-spec.js';
import { buildGemm } from '../../linalg/build-gemm.js';
import { type Access, addConstant, addScaled, boxStart, isDense, strideAlong } from './access.js';
import { PARALLEL_WORK } from '../../linalg/parallel-work.js';
import { emitNest, entriesStored, fillZero } from './nest.js';
import type { ConstantTables } from '../../linalg/constant-tables.js';

/** What the actions of one kernel are emitted with. */
export interface ActionContext {
  readonly b: Builder;
  readonly type: 'f32' | 'f64';
  readonly target: GemmTarget;
  readonly lanes: number;
  readonly registers: number;
  /** Whether threads may divide an action among them: not where they divide the elements that it is done for. */
  readonly divides: boolean;
  /** Whether a team of threads does each action: products too are loops then, of which each thread takes some entries. */
  readonly team: boolean;
  readonly tables: ConstantTables;
  /** Values of the scalars of a run. */
  readonly scalars: ReadonlyMap<string, Value>;
  /** Where an operand lies in this kernel. */
  readonly base: (operand: Operand) => Access;
  /** The start of a tensor that will be needed soon, if known; `size` elements of it are prefetched. */
  readonly prefetch: (tensor: string, size: number) => { readonly buffer: string; readonly at: Value } | undefined;
}

/** One action of a plan (§4.8): products of matrices as `linalg.gemm` within loops, all else as loops. */
export const emitAction = (action: Action, ctx: ActionContext): void => {
  const { operation } = action;
  if (action.scale.factor === 0) {
    if (!action.add) fillZero(ctx.b, ctx.base(action.target), ctx);
    return;
  }
  if (operation.kind === 'log' && !ctx.team && fitsGemm(action, operation, ctx))
    return emitLoopOverGemm(action, operation, ctx);
  const sources =
    operation.kind === 'copyscaleadd' || operation.kind === 'indexsum'
      ? [operation.source]
      : [operation.left, operation.right];
  emitNest(
    ctx.b,
    {
      target: ctx.base(action.target),
      sources: sources.map(ctx.base),
      ranges: action.ranges,
      add: action.add,
      scale: scaleOf(ctx, action.scale),
      type: ctx.type,
      lanes: ctx.lanes,
      registers: ctx.registers,
      divides: ctx.divides,
      team: ctx.team,
    },
    ctx.tables,
  );
};

type LoopOverGemm = Extract<Operation, { kind: 'log' }>;

/* What is stored sparsely can be a matrix of a product, and not be sliced by a loop. */
const fitsGemm = (action: Action, { left, right, loops }: LoopOverGemm, ctx: ActionContext): boolean =>
  isDense(ctx.base(action.target)) &&
  [left, right].every((o) => isDense(ctx.base(o)) || ![...loops].some((l) => o.indices.includes(l)));

const emitLoopOverGemm = (action: Action, operation: LoopOverGemm, ctx: ActionContext): void => {
  const { b } = ctx;
  const { ranges } = action;
  const { loops, gemm } = operation;
  const [left, right, target] = [operation.left, operation.right, action.target].map(ctx.base) as [
    Access,
    Access,
    Access,
  ];
  const written = [...target.indices].reduce((product, l) => product * (ranges[l]![1] - ranges[l]![0]), 1);
  const stored = entriesStored(target);
  /* Products that do not write the padding of a temporary leave it to others, which may read it. */
  const unpadded = target.temporary && target.storage.size > stored && gemm.mPadded === undefined;
  /* Where an index of a loop is summed over, products are added up. */
  if (!action.add && (gemm.beta === 1 || written < stored || unpadded)) fillZero(b, target, ctx);
  if (Object.values(ranges).some(([start, stop]) => start >= stop)) return;
  const start = (o: Access): Value =>
    addConstant(
      b,
      o.base,
      isDense(o) ? [...o.indices].reduce((at, l) => at + (ranges[l]![0] - boxStart(o, l)) * strideAlong(o, l), 0) : 0,
    );
  const alpha = scaleOf(ctx, action.scale);
  const ahead = action.prefetch === undefined ? undefined : ctx.prefetch(action.prefetch, target.storage.size);
  const product = (spec: GemmSpec, [a, bAt, c]: readonly Value[]): void =>
    buildGemm(
      b,
      { ...spec, alpha: typeof alpha === 'number' ? alpha : 'value', beta: action.add ? 1 : spec.beta },
      {
        a: { buffer: left.buffer, at: a! },
        b: { buffer: right.buffer, at: bAt! },
        c: { buffer: target.buffer, at: c! },
        ...(typeof alpha === 'number' ? {} : { alpha }),
        ...(ahead ? { prefetch: { buffer: ahead.buffer, at: b.add(ahead.at, b.sub(c!, target.base)) } } : {}),
      },
    );
  const body = (spec: GemmSpec, at: readonly Value[], rest: string): void => {
    const letter = rest[0];
    if (letter === undefined) return product(spec, at);
    const [from, to] = ranges[letter]!;
    const go = (i: Value): void =>
      body(
        spec,
        [left, right, target].map((o, j) => addScaled(b, at[j]!, i, strideAlong(o, letter))),
        rest.slice(1),
      );
    if (to - from === 1) body(spec, at, rest.slice(1));
    else b.for(b.i32(0), b.i32(to - from), b.i32(1), divided && letter === loops[0] ? { parallel: true } : {}, [], go);
  };
  const [aAt, bAt, cAt] = [left, right, target].map(start);
  /* Slices of the target are written by one thread each; padding lies between them, which a product writes too. */
  const divided =
    ctx.divides &&
    [...target.indices].includes(loops[0]!) &&
    gemm.mPadded === undefined &&
    Object.values(ranges).reduce((n, [from, to]) => n * (to - from), 1) >= PARALLEL_WORK;
  const repeated = [...loops].some((l) => ranges[l]![1] - ranges[l]![0] > 1);
  for (const part of repeated ? columnParts(gemm, ctx.target) : [whole(gemm)])
    body(part.spec, [aAt!, addConstant(b, bAt!, part.bAt), addConstant(b, cAt!, part.cAt)], loops);
};

/** The number that an action scales by: known, or made of scalars of the run. */
const scaleOf = ({ b, scalars, type }: ActionContext, { factor, scalars: names }: Coefficient): number | Value => {
  if (names.length === 0) return factor;
  const product = names.map((name) => scalars.get(name)!).reduce(b.mul);
  return factor === 1 ? product : b.mul(b.constant(factor, type), product);
};

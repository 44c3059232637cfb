import {
  cloneOps,
  mapKernels,
  opWith,
  rewriteOps,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { attrsOfParts, chunkedBound, indexConstant, unitChunks } from '../support/split-loop.js';
import { bodyOf } from '../support/values.js';

import { isShiftOf } from './group-iterations.js';

/** See `groupIterations`. */
export const iterationsGrouped = (module: Module, dialects: readonly Dialect[], maxOps: number): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (k) =>
    rewriteOps(
      k,
      dialects,
      (op, ctx) => (op.name === 'scf.for' ? grouped(op, ctx, facts, maxOps) : undefined),
      module.buffers,
    ),
  );
};

const grouped = (loop: Op, ctx: RewriteContext, facts: Facts, maxOps: number): Replacement | undefined => {
  const body = bodyOf(loop.regions[0]!);
  if (loop.results.length > 0 || loop.attrs['team'] === true || body.some((op) => op.regions.length > 0))
    return undefined;
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const group = groupOf(loop, facts, constantOf);
  if (group === undefined || body.length * 2 ** group.shift > maxOps) return undefined;
  const chunks = unitChunks(loop, 2 ** group.shift, facts, constantOf);
  const [from, to] = loop.operands.slice(0, 2).map(constantOf);
  if (!chunks || from === undefined || BigInt(from) % (1n << BigInt(group.shift)) !== 0n) return undefined;
  return inGroups(loop, group, { from: BigInt(from), to: chunks.isEven ? BigInt(to!) : undefined }, ctx);
};

/** Iterations that go together: 2^shift of them. */
interface Group {
  readonly shift: number;
  /** Ops that give `i >> n` for an `n` that is no less, with this `n`. */
  readonly quotients: ReadonlyMap<Op, number>;
  /** Others that compute the same in all of them. */
  readonly alike: ReadonlySet<Op>;
}

/** The fewest iterations that change one element together, whose index is of `i >> shift` and of nothing else that the loop changes. */
const groupOf = (loop: Op, facts: Facts, constantOf: (v: Value) => Scalar | undefined): Group | undefined => {
  const shifts = new Map<Op, number>();
  for (const op of bodyOf(loop.regions[0]!)) {
    const by = isShiftOf(op, loop) ? Number(constantOf(op.operands[1]!) ?? 0) : 0;
    if (by > 0 && by < 32) shifts.set(op, by);
  }
  for (const shift of [...new Set(shifts.values())].sort((a, b) => a - b)) {
    const quotients = new Map([...shifts].filter(([, by]) => by >= shift));
    const alike = alikeIn(loop, quotients, facts);
    if (alike !== undefined) return { shift, quotients, alike };
  }
  return undefined;
};

/** Ops besides these quotients that compute the same in all iterations of a group; nothing where no element is changed by all of them alone. */
const alikeIn = (loop: Op, quotients: ReadonlyMap<Op, number>, facts: Facts): ReadonlySet<Op> | undefined => {
  const alike = new Set<Op>();
  const differs = new Set([loop.regions[0]!.params[0]!.id]);
  /* What another group computes otherwise. */
  const ofGroup = new Set<number>();
  let changes = false;
  for (const op of bodyOf(loop.regions[0]!)) {
    const isAlike = facts.pure(op) && !op.operands.some((v) => differs.has(v.id));
    if (quotients.has(op) || op.operands.some((v) => ofGroup.has(v.id))) for (const r of op.results) ofGroup.add(r.id);
    if (isAlike) alike.add(op);
    else if (!quotients.has(op)) for (const r of op.results) differs.add(r.id);
    changes ||= (facts.accesses(op) ?? []).some(
      ({ kind, index }) =>
        (kind === 'write' || kind === 'atomic') &&
        index.some((v) => ofGroup.has(v.id)) &&
        !index.some((v) => differs.has(v.id)),
    );
  }
  return changes ? alike : undefined;
};

/** The loop over groups, and over what is left where it is not known that nothing is: `to` is missing then. */
const inGroups = (
  loop: Op,
  group: Group,
  { from, to }: { readonly from: bigint; readonly to: bigint | undefined },
  ctx: RewriteContext,
): Replacement =>
  ctx.build((b) => {
    b.loc = loop.loc;
    const [, ub, one] = loop.operands as readonly [Value, Value, Value];
    const shift = BigInt(group.shift);
    const end = to === undefined ? chunkedBound(b, loop, 1n, 2 ** group.shift) : undefined;
    const last = end ? b.shr(end, indexConstant(b, loop, shift)) : indexConstant(b, loop, to! >> shift);
    b.for(indexConstant(b, loop, from >> shift), last, one, attrsOfParts(loop), [], (n) => {
      iterations(loop, n, group, b, ctx);
      return [];
    });
    if (!end) return [];
    const { parallel: _parallel, ...serial } = attrsOfParts(loop);
    b.append(opWith(loop, { operands: [end, ub, one], attrs: { ...serial, simd: false } }));
    return [];
  });

/** The iterations of a group one after the other; what is alike in them is computed in the first. */
const iterations = (loop: Op, n: Value, { shift, quotients, alike }: Group, b: Builder, ctx: RewriteContext): void => {
  const counter = loop.regions[0]!.params[0]!;
  const body = bodyOf(loop.regions[0]!).filter((op) => !quotients.has(op));
  const first = b.shl(n, indexConstant(b, loop, BigInt(shift)));
  const shared = new Map<number, Value>();
  for (const [op, by] of quotients)
    shared.set(op.results[0]!.id, by === shift ? n : b.shr(n, indexConstant(b, loop, BigInt(by - shift))));
  for (let k = 0; k < 2 ** shift; k++) {
    const index = k === 0 ? first : b.add(first, indexConstant(b, loop, BigInt(k)));
    const { ops, values } = cloneOps(
      k === 0 ? body : body.filter((op) => !alike.has(op)),
      ctx.ids,
      new Map([...shared, [counter.id, index]]),
    );
    for (const op of ops) b.append(op);
    if (k === 0) for (const op of alike) for (const r of op.results) shared.set(r.id, values.get(r.id)!);
  }
};

import { mapRegions, opWith, type Buffer, type Builder, type IdSource, type Op, type Value } from '@filigree/ir';
import { simpleOp } from '../support/values.js';
import { byTeam, everySoManieth, get, put, TEAMS } from './in-team.js';
import type { Reduction } from './reduction.js';
import { identityOf } from '../support/identity.js';

/** How a loop's values come together where teams of threads run it. */
export interface TeamReductions {
  /** Threads of a team, a power of two. */
  readonly threads: number;
  readonly ids: IdSource;
  /** A buffer of one element that a team shares. */
  readonly shared: (r: Reduction) => Buffer;
}

/**
 * Appends a parallel loop over teams in place of `loop`, which counts from 0 by 1: neighbouring threads take neighbouring iterations and
 * accumulate what they take; the values of a team come together by atomics in memory that it shares, which threads in step do as one, and go to
 * the element by one atomic. `serial` is the loop without its promise that iterations run at once.
 */
export const reduceByTeams = (
  b: Builder,
  serial: Op,
  reductions: readonly Reduction[],
  indexOf: (r: Reduction) => Value,
  { threads, ids, shared }: TeamReductions,
): void => {
  b.loc = serial.loc;
  const [zero, one] = [b.i32(0), b.i32(1)];
  const trips = b.max(serial.operands[1]!, zero);
  const teams = b.min(b.add(b.shr(trips, b.i32(Math.log2(threads))), one), b.i32(TEAMS));
  const stride = b.mul(teams, b.i32(threads));
  const rounds = b.add(b.div(b.sub(trips, one), stride), one);
  const parts = reductions.map(shared);
  b.for(zero, teams, one, { parallel: true }, [], (team) => {
    const first = b.mul(team, b.i32(threads));
    clear(b, parts, reductions);
    byTeam(b, threads, (thread) => {
      const own = everySoManieth(b, serial, reductions, {
        ...{ ids, stride, trips },
        rounds: [zero, rounds, one],
        first: () => b.add(first, thread),
      });
      parts.forEach(({ name, type }, k) => {
        const { kind } = reductions[k]!;
        const attrs = { buffer: `@${name}`, kind };
        b.append(simpleOp('mem.atomic', [own[k]!, zero], attrs, b.newValue(type)));
      });
    });
    byTeam(b, 1, () => b.if(b.cmp('lt', first, trips), () => give(b, parts, reductions, indexOf)));
  });
};

/** Appends a loop for a team whose values come together in memory that it shares; one atomic of the team takes them to the element, which is there. */
export const reduceInTeam = (
  b: Builder,
  loop: Op,
  reductions: readonly Reduction[],
  indexOf: (r: Reduction) => Value,
  shared: (r: Reduction) => Buffer,
): void => {
  b.loc = loop.loc;
  const zero = b.i32(0);
  const parts = reductions.map(shared);
  const inShared = (op: Op): Op => {
    const k = reductions.findIndex((r) => r.atomics.has(op));
    if (k < 0) return mapRegions(op, (region) => ({ ...region, ops: region.ops.map(inShared) }));
    return opWith(op, { operands: [op.operands[0]!, zero], attrs: { ...op.attrs, buffer: `@${parts[k]!.name}` } });
  };
  clear(b, parts, reductions);
  b.append(inShared(loop));
  byTeam(b, 1, () => give(b, parts, reductions, indexOf));
};

/** Begins what a team combines. */
const clear = (b: Builder, parts: readonly Buffer[], reductions: readonly Reduction[]): void =>
  byTeam(b, 1, () =>
    reductions.forEach((r, k) => put(b, parts[k]!, b.constant(identityOf(r.kind, r.type), r.type), b.i32(0))),
  );

/** Combines into the elements what a team has. */
const give = (
  b: Builder,
  parts: readonly Buffer[],
  reductions: readonly Reduction[],
  indexOf: (r: Reduction) => Value,
): void =>
  reductions.forEach((r, k) => {
    const [op] = r.atomics;
    b.op('mem.atomic', [get(b, parts[k]!, b.i32(0)), indexOf(r)], op!.attrs);
  });

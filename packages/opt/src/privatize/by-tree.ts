import { makeOp, mapRegions, type Buffer, type Builder, type IdSource, type Op, type Value } from '@filigree/ir';
import { byTeam, countsFromZero, countsUp, everySoManieth, get, put, TEAMS, type ConstantOf } from './in-team.js';
import type { Reduction } from './reduction.js';
import { identityOf } from '../support/identity.js';

/** Memory in which values come together that no atomics combine. */
export interface Tree {
  /** One value for each thread of a team, which share them. */
  readonly slots: Buffer;
  /** One value for each team. */
  readonly partials: Buffer;
}

/** How a parallel loop's values come together two by two. */
export interface TreeReductions {
  /** Threads of a team that combine, a power of two. */
  readonly threads: number;
  readonly ids: IdSource;
  readonly treeOf: (r: Reduction) => Tree;
}

/**
 * How many threads of a team of so many have something to combine in a parallel loop, a power of two; undefined where the loop, or one for a team in which there
 * are such atomics, counts otherwise than trees are made for.
 */
export const threadsForTrees = (
  loop: Op,
  reductions: readonly Reduction[],
  team: number,
  constantOf: ConstantOf,
): number | undefined => {
  if (!countsUp(loop, constantOf)) return undefined;
  const loops = teamLoopsIn(loop).filter((inner) => reductions.some((r) => atomicsIn(r, inner)));
  if (!loops.every((inner) => countsFromZero(inner, constantOf))) return undefined;
  const counts = loops.map((inner) => Number(constantOf(inner.operands[1]!) ?? team));
  const most = loops.length === 0 ? team : Math.max(1, ...counts);
  return Math.min(team, 2 ** Math.ceil(Math.log2(most)));
};

const teamLoopsIn = (op: Op): readonly Op[] =>
  op.regions.flatMap((r) => r.ops.flatMap((inner) => (isTeamLoop(inner) ? [inner] : teamLoopsIn(inner))));

const isTeamLoop = (op: Op): boolean => op.attrs['team'] === true;

const atomicsIn = ({ atomics }: Pick<Reduction, 'atomics'>, loop: Op): boolean =>
  loop.regions.some((r) => r.ops.some((op) => atomics.has(op) || atomicsIn({ atomics }, op)));

/**
 * Appends a parallel loop over teams in place of `loop`, which counts by 1: each takes every so manieth iteration, or as many as it has threads. Of what its loops for a team
 * combine, or all, each thread accumulates its own; the values of a team come together two by two in memory that it shares, and those of all teams in a
 * loop after it that one team runs. So there are no atomics, and an element is changed once.
 */
export const reduceByTrees = (
  b: Builder,
  loop: Op,
  reductions: readonly Reduction[],
  indexOf: (r: Reduction) => Value,
  how: TreeReductions,
): void => {
  b.loc = loop.loc;
  const trees = reductions.map(how.treeOf);
  const [lower, upper] = loop.operands as readonly [Value, Value];
  const trips = b.max(b.sub(upper, lower), b.i32(0));
  const c: Combining = { ...how, b, loop, reductions, trees, lower, trips };
  const teams = holdsTeamLoop(loop) ? acrossTeams(c) : acrossThreads(c);
  addUp(c, teams, indexOf);
};

/** What the parts of this have in common. */
interface Combining extends TreeReductions {
  readonly b: Builder;
  readonly loop: Op;
  readonly reductions: readonly Reduction[];
  readonly trees: readonly Tree[];
  readonly lower: Value;
  readonly trips: Value;
}

/** Whether a loop for a team is somewhere in an op. */
export const holdsTeamLoop = (op: Op): boolean => teamLoopsIn(op).length > 0;

/* Neighbouring threads take neighbouring iterations. */
const acrossThreads = (c: Combining): Value => {
  const { b, loop, reductions, trees, lower, trips, threads, ids } = c;
  const [zero, one] = [b.i32(0), b.i32(1)];
  const teams = b.min(b.div(b.add(b.sub(trips, one), b.i32(threads)), b.i32(threads)), b.i32(TEAMS));
  const stride = b.mul(b.max(teams, one), b.i32(threads));
  const count = b.add(b.div(b.sub(trips, one), stride), one);
  const rounds = [zero, count, one] as const;
  b.for(zero, teams, one, { parallel: true }, [], (team) => {
    const begin = b.mul(team, b.i32(threads));
    byTeam(b, threads, (thread) => {
      const first = (): Value => b.add(begin, thread);
      const own = everySoManieth(b, loop, reductions, { ids, rounds, stride, trips, first, lower });
      trees.forEach(({ slots }, k) => put(b, slots, own[k]!, thread));
    });
    handOn(c, team);
  });
  return teams;
};

const acrossTeams = (c: Combining): Value => {
  const { b, loop, reductions, trees, lower, trips, threads } = c;
  const [zero, one] = [b.i32(0), b.i32(1)];
  const [iv] = loop.regions[0]!.params as readonly [Value];
  const teams = b.min(trips, b.i32(TEAMS));
  b.for(zero, teams, one, { parallel: true }, [], (team) => {
    byTeam(b, threads, (thread) => trees.forEach(({ slots }, k) => put(b, slots, identity(b, reductions[k]!), thread)));
    const rounds = b.add(b.div(b.sub(b.sub(trips, one), team), teams), one);
    b.for(zero, rounds, one, {}, [], (round) => {
      const at = b.add(b.mul(round, teams), team);
      b.append(makeOp('arith.add', [at, lower], [iv], {}, [], undefined));
      for (const op of loop.regions[0]!.ops.slice(0, -1).flatMap((inner) => inSlots(c, inner))) b.append(op);
    });
    handOn(c, team);
  });
  return teams;
};

/* In a loop for a team each thread has a slot; what all go through together is for the first one's. */
const inSlots = (c: Combining, op: Op): readonly Op[] => {
  const { b, reductions } = c;
  const k = reductions.findIndex((r) => r.atomics.has(op));
  if (k >= 0) return b.collect(() => byTeam(b, 1, (thread) => take(c, k, op.operands[0]!, thread))).ops;
  if (isTeamLoop(op)) {
    const own = [...reductions.keys()].filter((n) => atomicsIn(reductions[n]!, op));
    return own.length === 0 ? [op] : b.collect(() => byThreads(c, op, own)).ops;
  }
  return [mapRegions(op, (region) => ({ ...region, ops: region.ops.flatMap((inner) => inSlots(c, inner)) }))];
};

/* A loop for a team as one over its threads, each of which goes over every so manieth iteration. */
const byThreads = (c: Combining, loop: Op, own: readonly number[]): void => {
  const { b, reductions, threads, ids } = c;
  b.loc = loop.loc;
  const [zero, one, stride] = [b.i32(0), b.i32(1), b.i32(threads)];
  const trips = b.max(loop.operands[1]!, zero);
  const rounds = [zero, b.add(b.div(b.sub(trips, one), stride), one), one] as const;
  const those = own.map((k) => reductions[k]!);
  byTeam(b, threads, (thread) => {
    const values = everySoManieth(b, loop, those, { ids, rounds, stride, trips, first: () => thread });
    own.forEach((k, n) => take(c, k, values[n]!, thread));
  });
};

const take = ({ b, reductions, trees }: Combining, k: number, value: Value, thread: Value): void => {
  const { slots } = trees[k]!;
  put(b, slots, combined(b, reductions[k]!, get(b, slots, thread), value), thread);
};

/* Leaves for the loop after it what a team has. */
const handOn = (c: Combining, team: Value): void => {
  const { b, trees } = c;
  bringTogether(c);
  byTeam(b, 1, (first) => trees.forEach(({ slots, partials }) => put(b, partials, get(b, slots, first), team)));
};

/* Of each two slots one takes the other, in half as many each time, until the first has all. */
const bringTogether = (c: Combining): void => {
  const { b, trees, threads } = c;
  for (let half = threads / 2; half >= 1; half /= 2)
    byTeam(b, half, (thread) => {
      const other = b.add(thread, b.i32(half));
      trees.forEach(({ slots }, k) => take(c, k, get(b, slots, other), thread));
    });
};

/* One team adds up what all have, where there are any. */
const addUp = (c: Combining, teams: Value, indexOf: (r: Reduction) => Value): void => {
  const { b, reductions, trees, threads } = c;
  const [zero, one] = [b.i32(0), b.i32(1)];
  b.for(zero, b.min(teams, one), one, { parallel: true }, [], () => {
    byTeam(b, threads, (thread) => {
      const inits = reductions.map((r) => identity(b, r));
      const rounds = b.i32(Math.ceil(TEAMS / threads));
      const values = b.for(zero, rounds, one, {}, inits, (round, before) => {
        const team = b.add(b.mul(round, b.i32(threads)), thread);
        return b.if(
          b.cmp('lt', team, teams),
          () => trees.map(({ partials }, k) => combined(b, reductions[k]!, before[k]!, get(b, partials, team))),
          () => before,
        );
      });
      trees.forEach(({ slots }, k) => put(b, slots, values[k]!, thread));
    });
    bringTogether(c);
    byTeam(b, 1, (first) =>
      reductions.forEach((r, k) => {
        const at = indexOf(r);
        b.store(r.buffer, combined(b, r, b.load(r.buffer, at), get(b, trees[k]!.slots, first)), at);
      }),
    );
  });
};

const identity = (b: Builder, r: Reduction): Value => b.constant(identityOf(r.kind, r.type), r.type);

const combined = (b: Builder, { kind }: Reduction, x: Value, y: Value): Value => b.value(`arith.${kind}`, [x, y]);

import { type Module, type Op, type Region, type ScalarType, byteSize, walk } from '@filigree/ir';
import { accessesOf, effectsOf } from '../core-ops.js';
import type { TeamSpelling } from '../dialect.js';
import { type TeamAtWork, type Writer, block, line, named } from '../writer.js';
import { barrier } from './barrier.js';
import { countType, onward, tripsOf } from './counter.js';
import { indexLines } from './iteration.js';
import { emitRegion } from './region.js';

/**
 * How a team runs an iteration of this parallel loop, if one does. All threads of a team go through its serial code together, and compute
 * and read what it does; stores are left to the first. So it may not update atomically there, nor do what is neither, and what it
 * has in scratch must be little enough to be shared.
 */
export const teamOf = <T extends TeamRoom>(loop: Op, module: Module, team: T | undefined): T | undefined =>
  team &&
  loop.attrs['parallel'] === true &&
  hasTeamLoop(loop) &&
  loop.regions.every(together) &&
  scratchBytes(loop, module) <= team.sharedBytes &&
  updatesScratch(loop, module).every((t) => team.atomics?.includes(t) ?? true)
    ? team
    : undefined;

/** What a team has for what it shares. */
export type TeamRoom = Pick<TeamSpelling, 'sharedBytes' | 'atomics'>;

/**
 * Threads that an iteration keeps busy: of the longest of its loops for teams, as far as that is known, or said of most of its runs.
 *
 * @param warp threads that go in step, of which a team has a multiple, as has `most`
 */
export const teamSize = (loop: Op, most: number, warp: number): number => {
  const constants = new Map<number, number>();
  let trips = 0;
  walk(loop.regions[0]!, (op) => {
    if (op.name === 'arith.constant') constants.set(op.results[0]!.id, Number(op.attrs['value']));
    if (!isTeamLoop(op)) return;
    const [from, to, step] = op.operands.map((v) => constants.get(v.id));
    const usual = Number(op.attrs['trips'] ?? most);
    const count = from === undefined || to === undefined || !(step! > 0) ? usual : Math.ceil((to - from) / step!);
    trips = Math.max(trips, count);
  });
  return Math.max(warp, Math.min(most, Math.ceil(trips / warp) * warp));
};

export const isTeamLoop = (op: Op): boolean => op.name === 'scf.for' && op.attrs['team'] === true;

const hasTeamLoop = (loop: Op): boolean => {
  let found = false;
  walk(loop.regions[0]!, (op) => void (found ||= isTeamLoop(op)));
  return found;
};

const together = (region: Region): boolean =>
  region.ops.every(
    (op) =>
      isTeamLoop(op) ||
      op.name === 'mem.store' ||
      (effectsOf(op).every((e) => e.kind === 'read') && op.regions.every(together)),
  );

const scratchBytes = (loop: Op, { buffers }: Module): number => {
  const used = new Set<string>();
  walk(loop.regions[0]!, (op) => accessesOf(op)?.forEach(({ place }) => used.add(place)));
  return buffers
    .filter((b) => b.role === 'scratch' && used.has(b.name))
    .reduce((bytes, b) => bytes + Math.ceil((b.length * byteSize(b.type)) / 8) * 8, 0);
};

/** The types of scratch buffers that are updated atomically in a loop. */
const updatesScratch = (loop: Op, { buffers }: Module): readonly ScalarType[] => {
  const updated = new Set<string>();
  walk(loop.regions[0]!, (op) =>
    accessesOf(op)?.forEach(({ kind, place }) => void (kind === 'atomic' && updated.add(place))),
  );
  return buffers.filter((b) => b.role === 'scratch' && updated.has(b.name)).map((b) => b.type);
};

/**
 * Whether the threads of a team need not wait for one another in an iteration of this loop: they divide one loop, share no scratch, and read nothing
 * around it that it changes, as some may still do when others are in it.
 */
export const goAtTheirPace = (loop: Op, module: Module): boolean => {
  const divided: Op[] = [];
  const around: Op[] = [];
  const visit = (region: Region): boolean =>
    region.ops.every((op) => {
      if (isTeamLoop(op)) return divided.push(op) === 1;
      around.push(op);
      return op.regions.length === 0 || (op.name === 'scf.if' && op.regions.every(visit));
    });
  if (!visit(loop.regions[0]!) || scratchBytes(loop, module) > 0) return false;
  const read = new Set(around.flatMap(effectsOf).map((e) => e.buffer));
  const changes: (string | undefined)[] = [];
  for (const op of divided)
    walk(op.regions[0]!, (inner) => {
      if (inner.regions.length === 0) for (const e of effectsOf(inner)) if (e.kind !== 'read') changes.push(e.buffer);
    });
  return (
    around.every((op) => effectsOf(op).every((e) => e.kind === 'read')) &&
    !changes.some((b) => b === undefined || read.has(b))
  );
};

/** A loop whose iterations the threads of a team take in turns. All have come before it begins, and are done when it ends. */
export const emitTeamLoop = (w: Writer, op: Op, team: TeamAtWork): void => {
  const { shared } = w;
  const body = op.regions[0]!;
  const count = countType(w, op);
  const trips = tripsOf(w, op, count);
  const iv = body.params[0]!;
  const trip = shared.names.take('trip');
  const end = /^\d+$/.test(trips) ? trips : shared.names.take('trips');
  if (end !== trips) line(w, `const ${count} ${end} = ${trips};`);
  if (!team.apart) barrier(w, team);
  const outer = shared.team;
  shared.team = { ...team, divided: true };
  block(
    w,
    `for (${count} ${trip} = ${team.thread}; ${trip} < ${end}; ${onward(w, op, count, trip, team.threads, end)}) {`,
    () => {
      for (const l of indexLines(w, op, () => named(shared, iv, iv.hint ?? 'i'), trip)) line(w, l);
      emitRegion(w, body);
    },
  );
  shared.team = outer;
  if (!team.apart) barrier(w, team);
};

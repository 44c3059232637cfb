import { type Op, type Scalar, type Value, freeValues, scalarFromAttr, scalarOf } from '@filigree/ir';
import { workOf } from '@filigree/opt';
import { accessesOf, controlOf } from '../core-ops.js';
import type { StartedPart } from '../dialect.js';
import { type BufferUse, bufferUse } from '../usage.js';
import { type Writer, block, line, named, pointer, scalarName, storedName, writer } from '../writer.js';
import { barrier } from './barrier.js';
import { type EmittedFunction, declareScratch, defined, effectText, passedBuffers, scratchIn } from './function.js';
import { hints, lanesIn, onLanes, outerHints } from './lanes.js';
import { countType, onward, tripsOf } from './counter.js';
import { indexAt, indexLines } from './iteration.js';
import { cannotOverflow } from './loop.js';
import { emitRegion } from './region.js';
import { goAtTheirPace, teamOf } from './team.js';
import { atom, constantNumber } from './variables.js';

/**
 * A parallel loop as a function that runs a share of its iterations, and the statement that starts all shares. Where it
 * spends its time on atomic updates there is a second function, for one thread alone.
 */
export const emitPart = (w: Writer, op: Op): void => {
  const s = w.shared;
  const { part } = s.dialect;
  const [lb, , step] = op.operands as [Value, Value, Value];
  const loop: PartLoop = {
    op,
    use: bufferUse(op.regions[0]!.ops, s.dialect.spellings),
  };
  const count = countType(w, op);
  const captured = [...new Map([...freeValues(op.regions[0]!), lb, step].map((v) => [v.id, v])).values()]
    .filter((v) => !s.constants.has(v.id))
    /* What its function takes has a name. */
    .map((v) => ({ type: scalarName(s, v), name: atom(w, v) }));
  const buffers = passedBuffers(s, loop.use);
  const team = teamOf(op, s.module, part.team);
  const handed = team?.handed ? scratchIn(s, loop.use) : [];
  for (const b of handed) s.handed.add(b);
  const name = s.names.take(`part${s.partCount++}_of_${s.kernelName}`);
  const inner = writer(s, 'beside others');
  emitShare(inner, loop);
  const loops = {
    control: controlOf,
    constantOf: (v: Value) => scalarConstant(w, v),
    lanes: (loop: Op) => lanesIn(w, loop),
    accesses: accessesOf,
  };
  const work = workOf(op.regions[0]!, loops, undefined, lanesIn(w, op));
  const alone =
    part.stride === undefined && inner.flags.atomic && workOf(op.regions[0]!, loops, atomicWork) > work / 16
      ? { name: s.names.take(`${name}_alone`), inner: writer(s, 'alone') }
      : undefined;
  if (alone) emitShare(alone.inner, loop);
  const status = inner.flags.status ? [w.site.status()] : [];
  const params = [
    ...buffers.map((b) => pointer(s, b, !loop.use.written.has(b.name))),
    ...handed.map((b) => team!.handed!.pointer(storedName(s, b)) + s.pointers.get(b.name)!),
    ...captured.map(({ type, name }) => `${type} ${name}`),
    ...status.map(() => w.site.tokens.status),
    ...(team?.handed ?? part).rangeParams(count),
  ];
  const define = (name: string, what: string, inner: Writer): EmittedFunction =>
    defined(what + effectText(s, buffers, loop.use), part.head(name, params), inner);
  const share = define(name, `A share of the parallel loop over ${op.regions[0]!.params[0]!.hint ?? 'i'}`, inner);
  if (alone && part.beside) s.parts.push({ ...share, text: part.beside(share.text) });
  else s.parts.push(share);
  if (alone) s.parts.push(define(alone.name, 'The same for one thread alone, without atomics', alone.inner));
  for (const h of part.helpers) s.helpers.add(h);
  const args = [
    ...[...buffers, ...handed].map((b) => s.pointers.get(b.name)!),
    ...captured.map((v) => v.name),
    ...status,
  ];
  const started: StartedPart = {
    name,
    alone: alone?.name ?? name,
    args,
    trips: tripsOf(w, op, count),
    worth: Math.ceil(worthForking / work),
    team: team !== undefined,
    dynamic: op.attrs['schedule'] === 'dynamic',
    ...(typeof op.attrs['threads'] === 'number' ? { threads: op.attrs['threads'] } : {}),
  };
  for (const l of part.start(started)) line(w, l);
};

/** What an atomic update costs more than a plain one, in ops. */
const atomicWork = (op: Op): number => (accessesOf(op)?.some((a) => a.kind === 'atomic') ? 16 : 0);

/** Ops that are not worth another thread: to start one takes some microseconds. */
const worthForking = 65_536;

const scalarConstant = (w: Writer, v: Value): Scalar | undefined => {
  const c = w.shared.constants.get(v.id);
  return c === undefined ? undefined : scalarFromAttr(c, scalarOf(v.type));
};

interface PartLoop {
  readonly op: Op;
  readonly use: BufferUse;
}

/** The body of a part: the iterations from the `begin`th to before the `end`th. */
const emitShare = (inner: Writer, { op, use }: PartLoop): void => {
  const s = inner.shared;
  const body = op.regions[0]!;
  const iv = body.params[0]!;
  const [, ub, step] = op.operands as [Value, Value, Value];
  const by = constantNumber(inner, step);
  const i = named(s, iv, iv.hint ?? 'i');
  const team = inner.role === 'beside others' ? teamOf(op, s.module, s.dialect.part.team) : undefined;
  const every = team ? team.teams : s.dialect.part.stride;
  const count = countType(inner, op);
  const prologue = team ? [`const ${count} begin = ${team.number};`] : s.dialect.part.prologue(count);
  const counted = every === undefined && by !== undefined && by >= 1 && cannotOverflow(inner, ub, by);
  const ownsScratch = s.module.buffers.some(
    (b) => b.role === 'scratch' && (use.read.has(b.name) || use.written.has(b.name)),
  );
  /* Vector lanes would share what each iteration has for itself. */
  const pragmas = ownsScratch ? [] : hints(inner, op);
  for (const l of prologue) line(inner, l);
  onLanes(inner, pragmas.length > 0 ? op : undefined, () => {
    const type = scalarName(s, iv);
    const inside = (): void => {
      const apart = team !== undefined && goAtTheirPace(op, s.module);
      if (team) s.team = { ...team, divided: false, apart };
      if (!team?.handed) declareScratch(inner, body.ops, team?.shared);
      emitRegion(inner, body);
      if (team && !apart) barrier(inner, team);
      s.team = undefined;
    };
    if (counted) line(inner, `const ${type} last = ${indexAt(inner, op, 'end')};`);
    for (const l of pragmas.length > 0 || inner.role !== 'alone' ? pragmas : outerHints(inner, op)) line(inner, l);
    if (counted)
      block(
        inner,
        `for (${type} ${i} = ${indexAt(inner, op, 'begin')}; ${i} < last; ${by === 1 ? `++${i}` : `${i} += ${by}`}) {`,
        inside,
      );
    else
      block(
        inner,
        `for (${count} trip = begin; trip < end; ${every ? onward(inner, op, count, 'trip', every, 'end') : '++trip'}) {`,
        () => {
          for (const l of indexLines(inner, op, () => i, 'trip')) line(inner, l);
          inside();
        },
      );
  });
};

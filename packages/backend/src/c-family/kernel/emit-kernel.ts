import { type Buffer, type Kernel, type Module, type Op, bufferMap, checkOptions, option } from '@filigree/ir';
import { knownIntegers } from '@filigree/opt';
import type { CFamilyDialect } from '../dialect.js';
import { exchangesIn } from '../exchanges.js';
import { extremesIn, recurrencesIn } from '../extremes.js';
import { minuends } from '../minuends.js';
import { names, reserved } from '../names.js';
import { noPlaces, placesOf } from '../places.js';
import { bufferUse, indexValues, usageOf } from '../usage.js';
import { type Shared, type Writer, named, pointer, scalarName, storedName, writer } from '../writer.js';
import { emitIf, emitWhile } from './branch.js';
import { type EmittedFunction, declareScratch, defined, effectText, passedBuffers, sharedArray } from './function.js';
import { emitLoop } from './loop.js';
import { emitPart } from './part.js';
import { emitTeamLoop, isTeamLoop } from './team.js';
import { emitRegion, terminators } from './region.js';

/** A kernel as C text, with what its callers must know. */
export interface EmittedKernel {
  readonly name: string;
  /** The function and the parts of its parallel loops, which stand before it. */
  readonly text: string;
  /** The same text, function by function, the kernel itself last. */
  readonly functions: readonly EmittedFunction[];
  /** The function's arguments: buffers as pointers in this order, then as the flags say `int threads`, `int* status`, then the kernel's scalars. */
  readonly buffers: readonly Buffer[];
  readonly takesThreads: boolean;
  readonly takesStatus: boolean;
  /** Helpers that the text calls. */
  readonly helpers: ReadonlySet<string>;
}

/** How kernels are written. */
export interface EmitOptions {
  /**
   * Checks every index at run time and reports one that is out of bounds; this costs time, and makes buffer lengths
   * part of the text.
   */
  readonly checked?: boolean;
}

/**
 * Writes one kernel. Every parallel loop that is not inside another becomes a function of its own, so that each thread
 * sees buffers that do not overlap (compilers lose that fact on entry to an OpenMP region), and so that GPU dialects
 * can make it a device kernel. Pure ops used once are written where they are used; everything else is a named constant.
 * Linear in the number of ops.
 */
export const emitKernel = (
  module: Module,
  kernel: Kernel,
  name: string,
  dialect: CFamilyDialect,
  given?: EmitOptions,
): EmittedKernel => {
  const options = checkOptions<EmitOptions>('emitKernel', given, { checked: option.truth });
  const taken = names([name, ...reserved, ...(dialect.keywords ?? [])]);
  const use = bufferUse(kernel.body.ops, dialect.spellings);
  /* The text depends on nothing of the module but the buffers that it uses. */
  const used = module.buffers.filter((b) => use.read.has(b.name) || use.written.has(b.name));
  const pointers = new Map(used.map((b) => [b.name, taken.take(b.name)]));
  const { exact, choices } = knownIntegers(kernel, bufferMap(module.buffers));
  const indices = options.checked ? { has: () => false } : indexValues(kernel);
  const places =
    options.checked || dialect.place === undefined
      ? noPlaces
      : placesOf(kernel, { isPart: isParallel, unbounded: (v) => indices.has(v.id) || exact.has(v.id) });
  const shared: Shared = {
    module,
    dialect,
    kernelName: name,
    names: taken,
    pointers,
    usage: usageOf(kernel, places),
    structures,
    places,
    placed: new Map(),
    indices,
    checked: options.checked === true,
    values: new Map(),
    constants: new Map(),
    sums: new Map(),
    helpers: new Set(),
    parts: [],
    partCount: 0,
    lanes: undefined,
    apart: new Map(),
    strides: undefined,
    accumulated: new Set(),
    varying: new Set(),
    team: undefined,
    rows: new Set(),
    handed: new Set(),
    exact,
    choices,
    minuends: minuends(kernel),
    extremes: dialect.extremesByCall === true ? extremesIn(kernel) : new Map(),
    recurrences: dialect.extremesByCall === true ? recurrencesIn(kernel) : new Map(),
    exchanges: dialect.alone === undefined ? new Set() : exchangesIn(kernel),
  };
  const params = kernel.params.map((p) => `${scalarName(shared, p)} ${named(shared, p)}`);
  const body = writer(shared, 'kernel');
  declareScratch(body, serialOps(kernel.body.ops));
  emitRegion(body, kernel.body);
  const buffers = passedBuffers(shared, use);
  const takesThreads = shared.parts.length > 0 && dialect.part.stride === undefined;
  const head = [
    ...buffers.map((b) => pointer(shared, b, !use.written.has(b.name))),
    ...(takesThreads ? ['int threads'] : []),
    ...(body.flags.status ? [body.site.tokens.status] : []),
    ...params,
  ];
  const what = `Kernel ${kernel.name.replace(/[^\w.$-]/g, '_')}${effectText(shared, buffers, use)}`;
  const lines = body.lines.map((l) => l.text);
  const written = dialect.head?.(name, head, lines) ?? `${dialect.local} void ${name}(${head.join(', ')})`;
  const { text: begin, first } = typeof written === 'string' ? { text: written, first: [] } : written;
  const arrays = [...shared.handed].map((b) =>
    sharedArray(dialect.part.team!.shared, {
      name: pointers.get(b.name)!,
      stored: storedName(shared, b),
      length: b.length,
    }),
  );
  const own = defined(what, begin, {
    lines: [...[...first, ...arrays].map((l) => ({ text: `  ${l}`, loops: 0 })), ...body.lines],
  });
  const functions = [...shared.parts, own];
  const text = functions.map((f) => f.text).join('\n');
  return { name, text, functions, buffers, takesThreads, takesStatus: body.flags.status, helpers: shared.helpers };
};

/** Ops of a kernel that are not in a parallel loop. */
const serialOps = (ops: readonly Op[]): readonly Op[] =>
  ops.flatMap((op) =>
    op.regions.length === 0 ? [op] : isParallel(op) ? [] : op.regions.flatMap((r) => serialOps(r.ops)),
  );

const isParallel = (op: Op): boolean => op.name === 'scf.for' && op.attrs['parallel'] === true;

const emitFor = (w: Writer, op: Op): void => {
  const { team } = w.shared;
  if (isParallel(op) && w.role === 'kernel') emitPart(w, op);
  else if (team && !team.divided && isTeamLoop(op)) emitTeamLoop(w, op, team);
  else emitLoop(w, op);
};

const structures: Shared['structures'] = {
  'scf.for': emitFor,
  'scf.if': emitIf,
  'scf.while': emitWhile,
};

/** The ops that the emitter itself writes, beside the rows of a dialect. */
export const structuredOps: ReadonlySet<string> = new Set([...Object.keys(structures), ...terminators]);

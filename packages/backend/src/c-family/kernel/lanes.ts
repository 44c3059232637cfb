import { type Op, type Region, type Value, byteSize, isVector, scalarOf, walk } from '@filigree/ir';
import { accumulations } from '../accumulation.js';
import { nearBuffers } from '../apart.js';
import { accessesOf } from '../core-ops.js';
import { affineValues } from '../usage.js';
import { type Writer, line } from '../writer.js';
import { effectOf, terminators } from './region.js';
import { sparseReads } from './strides.js';
import { constantNumber } from './variables.js';

/** Writes what is in a loop that is to run on lanes, or in any other. */
export const onLanes = (w: Writer, loop: Op | undefined, write: () => void): void => {
  const { lanes, apart, strides, accumulated, varying } = w.shared;
  if (loop) {
    w.shared.lanes = affineValues(loop);
    w.shared.apart = apartIn(w, loop);
    w.shared.strides = stridesIn(w, loop);
    w.shared.accumulated = accumulatedIn(loop);
    w.shared.varying = iterationDependent(loop);
  }
  write();
  w.shared.lanes = lanes;
  w.shared.apart = apart;
  w.shared.strides = strides;
  w.shared.accumulated = accumulated;
  w.shared.varying = varying;
};

/** Pragmas for a loop that says its iterations are independent: an innermost one without atomics, which do depend on each other. */
export const hints = (w: Writer, op: Op, variables: readonly string[] = []): readonly string[] => {
  const [simd, independent] = [op.attrs['simd'] === true, op.attrs['independent'] === true];
  const said = simd || independent || op.attrs['parallel'] === true;
  if (!said || op.attrs['simd'] === false || contains(op.regions[0]!, (o) => !takesLanes(w, o) || usesVectors(o)))
    return [];
  const { dialect, usage, helpers } = w.shared;
  if (isSerial(op)) return variables.length === 0 ? (dialect.scalarLoop ?? []) : [];
  const kinds = variables.length === 0 ? [] : independent ? accumulations(op, usage.count) : undefined;
  if (kinds === undefined) return [];
  const accumulated = variables.map((variable, k) => ({
    variable,
    helper: `reduction_${kinds[k]!}_${scalarOf(op.results[k]!.type)}`,
  }));
  const lines = dialect.independent(simd, accumulated);
  if (simd && lines.length > 0) for (const a of accumulated) helpers.add(a.helper);
  return lines;
};

/** Whether a loop is written as for lanes, but runs one iteration after the other: it would wait for what lanes have just stored. */
const isSerial = (op: Op): boolean => op.attrs['lanes'] === 1;

/** Iterations that run at once, where a loop gets hints: those that the smallest of all vector registers holds of the widest element. */
export const lanesIn = (w: Writer, loop: Op): number => {
  if (isSerial(loop) || hints(w, loop).length === 0) return 1;
  let widest = 1;
  walk(loop.regions[0]!, (op) => {
    if (accessesOf(op)?.length) widest = Math.max(widest, byteSize(scalarOf((op.results[0] ?? op.operands[0]!).type)));
  });
  return Math.max(1, SMALLEST_REGISTER / widest);
};

/** Bytes of it, on every target. */
const SMALLEST_REGISTER = 16;

/**
 * Lines before an innermost loop that carries nothing and says that it gains nothing by lanes, so that compilers spend no time on them, and before one that hands something on and is to run
 * off lanes: of that compilers find out themselves that it may run on them.
 */
export const scalarHints = (w: Writer, op: Op): readonly string[] =>
  (op.results.length > 0 && isSerial(op)) ||
  (op.attrs['simd'] === false &&
    op.results.length === 0 &&
    !contains(op.regions[0]!, (o) => o.regions.length > 0 || !takesLanes(w, o)))
    ? (w.shared.dialect.scalarLoop ?? [])
    : [];

/**
 * Lines before a loop around others that change a buffer at several places: gcc 12 takes iterations of an outer loop for lanes where these depend on one another, `v[i][j] += a; v[i - 1][j] += b`, and gives
 * wrong numbers. Iterations of a parallel loop without atomics do not; nor does a compiler take loops for lanes in which threads are started.
 */
export const outerHints = (w: Writer, op: Op): readonly string[] => {
  const { scalarLoop = [] } = w.shared.dialect;
  const [body] = op.regions as [Region];
  const isAtomic = (o: Op): boolean => accessesOf(o)?.some((a) => a.kind === 'atomic') === true;
  const areApart = op.attrs['parallel'] === true && !contains(body, isAtomic);
  const isPlain = !areApart && !contains(body, (o) => o.attrs['parallel'] === true);
  return scalarLoop.length > 0 && isPlain && changesPlaces(body) ? scalarLoop : [];
};

/** Whether loops in a region change a buffer that they touch at several indices. */
const changesPlaces = (region: Region): boolean => {
  const indices = new Map<string, Set<number | undefined>>();
  const written = new Set<string>();
  walk(region, (op, parents) => {
    if (!parents.some((p) => p.name === 'scf.for')) return;
    for (const { place, index, kind } of accessesOf(op) ?? []) {
      indices.set(place, (indices.get(place) ?? new Set()).add(index[0]?.id));
      if (kind !== 'read') written.add(place);
    }
  });
  return [...written].some((place) => indices.get(place)!.size > 1);
};

/** Values of a loop that are made of what it carries. */
const accumulatedIn = ({ regions: [body] }: Op): ReadonlySet<number> => madeOf(body!, body!.params.slice(1));

/** Values of a loop that follow from its counter, or from what it carries. */
const iterationDependent = ({ regions: [body] }: Op): ReadonlySet<number> => madeOf(body!, body!.params);

/** Values that are made of some of a region's. */
const madeOf = (body: Region, of: readonly Value[]): ReadonlySet<number> => {
  const found = new Set(of.map((p) => p.id));
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      const last = op.regions.flatMap((r) => r.ops.at(-1)?.operands ?? []);
      if ([...op.operands, ...last].some((v) => found.has(v.id))) for (const r of op.results) found.add(r.id);
    }
  };
  if (found.size > 0) visit(body);
  return found;
};

const apartIn = (w: Writer, loop: Op): Writer['shared']['apart'] => {
  const { unknownZero } = w.shared.dialect;
  const near =
    unknownZero === undefined || isSerial(loop)
      ? []
      : [...nearBuffers(loop, (v) => constantNumber(w, v), w.shared.sums)];
  if (near.length === 0) return new Map();
  const name = w.shared.names.take('apart');
  line(w, `const long long ${name} = ${w.site.helper(unknownZero!)}();`);
  return new Map(near.map((buffer) => [buffer, name]));
};

const stridesIn = (w: Writer, loop: Op): Writer['shared']['strides'] => {
  const { unknownZero } = w.shared.dialect;
  const indices = unknownZero === undefined || isSerial(loop) ? new Set<number>() : sparseReads(w, loop);
  if (indices.size === 0) return undefined;
  const more = w.shared.names.take('stride');
  line(w, `const long long ${more} = ${w.site.helper(unknownZero!)}();`);
  return { indices, counter: loop.regions[0]!.params[0]!, more };
};

const takesLanes = (w: Writer, op: Op): boolean => {
  const spelling = w.shared.dialect.spellings[op.name];
  if (!spelling) return op.name === 'scf.if' || terminators.has(op.name);
  const effect = effectOf(w, spelling, op);
  return op.name === 'mem.store' || effect === 'pure' || effect === 'read';
};

/** Whether an op is on lanes already. */
const usesVectors = (op: Op): boolean => [...op.operands, ...op.results].some((v) => isVector(v.type));

const contains = (region: Region, test: (op: Op) => boolean): boolean =>
  region.ops.some((op) => test(op) || op.regions.some((r) => contains(r, test)));

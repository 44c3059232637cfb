import { type Op, type Region, bufferName } from '@filigree/ir';
import { isSum } from '../apart.js';
import { effectsOf } from '../core-ops.js';
import { type Expr, binds, expr, infix } from '../expr.js';
import type { Place } from '../places.js';
import type { Spelling } from '../spellings/spelling.js';
import { bufferUse } from '../usage.js';
import { type Writer, declaration, line, named, scalarName, storedName, valueOf } from '../writer.js';
import { byTheFirst } from './barrier.js';
import { inChunks } from './chunks.js';

/** Writes the ops of a region and returns its terminator. */
export const emitRegion = (w: Writer, region: Region): Op | undefined => {
  const { usage, values, constants, sums, dialect, team } = w.shared;
  for (const op of region.ops)
    if (op.name === 'arith.constant') constants.set(op.results[0]!.id, op.attrs['value']!);
    else if (isSum(op)) sums.set(op.results[0]!.id, op);
  const points = inlinePoints(w, region);
  const last = region.ops.at(-1);
  const terminator = last && terminators.has(last.name) ? last : undefined;
  const count = terminator ? region.ops.length - 1 : region.ops.length;
  const start = w.lines.length;
  const ends: number[] = [];
  for (let k = 0; k < count; k++) {
    const op = region.ops[k]!;
    ends.push(w.lines.length);
    for (const place of w.shared.places.before(region, k)) declarePlace(w, place);
    const structured = w.shared.structures[op.name];
    if (structured) {
      structured(w, op);
      continue;
    }
    const spelling = dialect.spellings[op.name]!;
    const result = op.results[0];
    if (result && usage.count(result.id) === 0 && effectOf(w, spelling, op) !== 'effect') continue;
    const text = spelling.write(op, argumentsOf(w, op), w.site);
    if (op.name === 'arith.constant') values.set(result!.id, text);
    else if (!result && team && !team.divided && effectOf(w, spelling, op) === 'effect')
      byTheFirst(w, `${text.text};`, team);
    else if (!result || usage.count(result.id) === 0) line(w, `${text.text};`);
    else if (points[k] !== k && (text.lanes !== undefined || lengthOf(text.text) <= longestInline))
      values.set(result.id, text);
    else declaration(w, scalarName(w.shared, result), named(w.shared, result), text.text, 'constant');
  }
  inChunks(w, start, ends, terminator?.operands.map((v) => valueOf(w, v).text) ?? []);
  return terminator;
};

export const terminators = new Set(['scf.yield', 'scf.condition']);

/** The pointer to a place, in the function being written. */
const declarePlace = (w: Writer, place: Place): void => {
  const { module, dialect, names, pointers, placed } = w.shared;
  const buffer = pointers.get(place.buffer)!;
  const base = valueOf(w, place.base);
  const name = names.take(`${buffer}_${base.text}`);
  placed.set(place, name);
  const stored = storedName(
    w.shared,
    module.buffers.find((b) => b.name === place.buffer)!,
  );
  declaration(
    w,
    dialect.place!(stored, !place.written),
    name,
    `${buffer} + ${w.site.index(place.base, base).text}`,
    'constant',
  );
};

const argumentsOf = (w: Writer, op: Op): readonly Expr[] => {
  const at = w.shared.places.of(op);
  if (!at) return op.operands.map((v) => valueOf(w, v));
  const { place, plus } = at;
  const index = infix(valueOf(w, place.base), '+', expr(String(plus)), binds.sum);
  const from = { pointer: w.shared.placed.get(place)!, plus };
  return [...op.operands.slice(0, -1).map((v) => valueOf(w, v)), { ...index, from }];
};

export const effectOf = (w: Writer, spelling: Spelling, op: Op): 'pure' | 'read' | 'fixed' | 'effect' =>
  typeof spelling.effect === 'string' ? spelling.effect : spelling.effect(op, w.site);

/**
 * For each op of a region, where it will be evaluated: at its own position, or at that of the op into whose text it may go.
 * An op may move down to its only use; a load only if nothing writes its buffer on the way, and within lanes not into what a
 * selection chooses: compilers would load it lane by lane, where it is chosen.
 */
const inlinePoints = (w: Writer, region: Region): Int32Array => {
  const { ops } = region;
  const points = new Int32Array(ops.length);
  /* What would stand in a selection, as one of those that it chooses from. */
  const chosen = new Uint8Array(ops.length);
  const nextWrite = new Map<string, number>();
  /* Something may be written to any buffer there. */
  let nextFence = ops.length;
  for (let k = ops.length - 1; k >= 0; k--) {
    const op = ops[k]!;
    points[k] = k;
    const spelling = w.shared.dialect.spellings[op.name];
    const effect = spelling ? effectOf(w, spelling, op) : 'effect';
    if (effect === 'effect' && effectsOf(op).some((e) => e.kind !== 'read' && e.buffer === undefined)) nextFence = k;
    if (effect === 'effect') for (const b of bufferUse([op], w.shared.dialect.spellings).written) nextWrite.set(b, k);
    if (effect === 'effect' || effect === 'fixed' || op.results.length !== 1) continue;
    const use = w.shared.usage.onlyUseIn(op.results[0]!.id, region);
    if (use < 0) continue;
    const point = points[use]!;
    const { name, operands } = ops[use]!;
    if ((name === 'arith.select' && operands[0]!.id !== op.results[0]!.id) || (point !== use && chosen[use] === 1))
      chosen[k] = 1;
    if (effect === 'read' && w.shared.lanes && chosen[k] === 1) continue;
    const buffer = bufferName(op);
    if (effect === 'pure' || Math.min(nextFence, nextWrite.get(buffer) ?? ops.length) >= point) points[k] = point;
  }
  return points;
};

/* Longer expressions are broken up: for people, and because compilers nest as deep as the source does. */
const longestInline = 96;

/** The length of a text, the numbers of its values taken as five digits each: how passes number values says nothing of it. */
const lengthOf = (text: string): number => text.replace(/\bv\d+/g, 'v00000').length;

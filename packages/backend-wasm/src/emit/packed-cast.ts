import { type ScalarType, type Type, byteSize, isFloat, lanesOf, scalarOf } from '@filigree/ir';
import { type Expr, apply, constant } from './expr.js';
import type { FunctionBuilder } from './function-builder.js';
import { type Held, packed } from './held.js';
import { chunkCount, extended, lowerHalves, maskOf, narrowed, splat, toPacked, upperHalf } from './vector-form.js';
import { extension, shapeOf } from './wasm-type.js';

/** `arith.cast` on packed vectors, where WebAssembly converts them; `undefined` where lanes must be converted one by one. */
export const packedCast = (b: FunctionBuilder, held: Held, from: Type, to: Type): Held | undefined => {
  const [source, target] = [scalarOf(from), scalarOf(to)];
  const lanes = lanesOf(to);
  if (!convertible(source, target)) return undefined;
  if (source === target) return held;
  if (source === 'i1') return fromTruth(b, held, from, target);
  const whole = toPacked(b, held, from);
  if (target === 'i1') {
    const shape = shapeOf(source);
    const zero = splat(shape, constant(source === 'f64' || source === 'f32' ? source : 'i32', 0));
    return packed(
      whole.exprs.map((e) => apply('v128', `${shape}.ne`, e, zero)),
      whole.width,
    );
  }
  if (!isFloat(source)) {
    const width = isFloat(target) ? 4 : byteSize(target);
    const integers = resized(b, whole, extension(source), lanes, width);
    return isFloat(target) ? toFloat(b, integers, source, target, lanes) : integers;
  }
  if (source === 'f32' && target === 'f64')
    return packed(
      halves(b, whole.exprs, chunkCount(lanes, 8)).map((e) => apply('v128', 'f64x2.promote_low_f32x4', e)),
      8,
    );
  if (target === 'f32') return packed(paired(whole.exprs.map((e) => apply('v128', 'f32x4.demote_f64x2_zero', e))), 4);
  const sign = extension(target);
  return source === 'f32'
    ? packed(
        whole.exprs.map((e) => apply('v128', `i32x4.trunc_sat_f32x4${sign}`, e)),
        4,
      )
    : packed(paired(whole.exprs.map((e) => apply('v128', `i32x4.trunc_sat_f64x2${sign}_zero`, e))), 4);
};

/* 64-bit integers do not convert to or from floats, nor do floats to narrow integers. */
const convertible = (from: ScalarType, to: ScalarType): boolean => {
  const wide = (t: ScalarType): boolean => t === 'i64' || t === 'u64';
  if (isFloat(from)) return isFloat(to) || to === 'i1' || to === 'i32' || to === 'u32';
  if (isFloat(to)) return !wide(from);
  return true;
};

const fromTruth = (b: FunctionBuilder, held: Held, from: Type, target: ScalarType): Held => {
  const width = byteSize(target);
  const mask = maskOf(b, toPacked(b, held, from, width), lanesOf(from), width);
  const type = isFloat(target) ? (target as 'f32' | 'f64') : width === 8 ? 'i64' : 'i32';
  const one = splat(shapeOf(target), constant(type, type === 'i64' ? 1n : 1));
  return packed(
    mask.exprs.map((e) => apply('v128', 'v128.and', e, one)),
    width,
  );
};

const resized = (b: FunctionBuilder, held: Held, sign: '_s' | '_u', lanes: number, width: number): Held => {
  let { exprs, width: now } = held;
  for (; now > width; now /= 2) exprs = narrowed(b, exprs, now);
  for (; now < width; now *= 2) exprs = extended(b, exprs, now, sign, chunkCount(lanes, 2 * now));
  return packed(exprs, width);
};

const toFloat = (b: FunctionBuilder, held: Held, source: ScalarType, target: ScalarType, lanes: number): Held => {
  /* Narrow unsigned integers have become non-negative 32-bit ones. */
  const sign = source === 'u32' ? '_u' : '_s';
  if (target === 'f32')
    return packed(
      held.exprs.map((e) => apply('v128', `f32x4.convert_i32x4${sign}`, e)),
      4,
    );
  return packed(
    halves(b, held.exprs, chunkCount(lanes, 8)).map((e) => apply('v128', `f64x2.convert_low_i32x4${sign}`, e)),
    8,
  );
};

/** The lower and upper halves of chunks, each in the lower half of a chunk: the first `count`. */
const halves = (b: FunctionBuilder, chunks: readonly Expr[], count: number): readonly Expr[] =>
  chunks.flatMap((chunk, k) => {
    if (2 * k + 1 >= count) return [chunk];
    const [low, high] = b.share(chunk, 2);
    return [low, upperHalf(b, high)];
  });

/** Chunks that are full in their lower half, two in one. */
const paired = (chunks: readonly Expr[]): readonly Expr[] =>
  Array.from({ length: Math.ceil(chunks.length / 2) }, (_, k) =>
    2 * k + 1 < chunks.length ? lowerHalves(chunks[2 * k], chunks[2 * k + 1]) : chunks[2 * k],
  );

import { type ScalarType, type Type, byteSize, lanesOf, scalarOf } from '@filigree/ir';
import { type Expr, apply, i32, numberText } from './expr.js';
import type { FunctionBuilder } from './function-builder.js';
import type { Held } from './held.js';
import { extension, integerShape, shapeOf } from './wasm-type.js';

/** Truth values carried by loops and branches have lanes of this many bytes. */
export const canonicalMaskBytes = 4;

/** Bytes of a lane of this type in a packed vector, where nothing else is said. */
export const naturalWidth = (t: ScalarType): number => (t === 'i1' ? canonicalMaskBytes : byteSize(t));

/** How many v128 hold so many lanes of so many bytes. */
export const chunkCount = (lanes: number, width: number): number => Math.ceil((lanes * width) / 16);

/** A held vector as packed 16-byte chunks. Truth values get lanes of `maskBytes`. */
export const toPacked = (b: FunctionBuilder, held: Held, type: Type, maskBytes = canonicalMaskBytes): Held => {
  const of = scalarOf(type);
  const lanes = lanesOf(type);
  if (held.form === 'packed') return of === 'i1' ? maskOf(b, held, lanes, maskBytes) : held;
  const width = of === 'i1' ? maskBytes : byteSize(of);
  const shape = shapeOf(of, maskBytes);
  const per = 16 / width;
  const chunks = chunkCount(lanes, width);
  if (held.form === 'splat') {
    const chunk = splat(shape, of === 'i1' ? negated(held.exprs[0], width) : held.exprs[0]);
    return { form: 'packed', width, exprs: b.share(chunk, chunks) };
  }
  const exprs = Array.from({ length: chunks }, (_, c) => {
    const part = held.exprs.slice(c * per, c * per + per).map((e) => (of === 'i1' ? negated(e, width) : e));
    return part
      .slice(1)
      .reduce((v, e, k) => apply('v128', `${shape}.replace_lane ${k + 1}`, v, e), splat(shape, part[0]));
  });
  return { form: 'packed', width, exprs };
};

/** A held vector as one scalar for each lane; truth values as 0 and 1. */
export const toLanes = (b: FunctionBuilder, held: Held, type: Type): readonly Expr[] => {
  const of = scalarOf(type);
  const lanes = lanesOf(type);
  if (held.form === 'splat') return b.share(held.exprs[0], lanes);
  if (held.form !== 'packed') return held.exprs;
  const per = 16 / held.width;
  return held.exprs.flatMap((chunk, c) => {
    const count = Math.min(per, lanes - c * per);
    return b.share(chunk, count).map((e, k) => extract(e, of, held.width, k));
  });
};

/** One lane of a held vector. */
export const laneOf = (b: FunctionBuilder, held: Held, type: Type, lane: number): Expr => {
  if (held.form === 'splat') return held.exprs[0];
  const per = held.form === 'packed' ? 16 / held.width : 1;
  const at = Math.floor(lane / per);
  held.exprs.forEach((e, k) => k === at || b.release(e));
  return held.form === 'packed' ? extract(held.exprs[at], scalarOf(type), held.width, lane % per) : held.exprs[at];
};

/** Packed truth values with lanes of `width` bytes. */
export const maskOf = (b: FunctionBuilder, held: Held, lanes: number, width: number): Held => {
  let { exprs, width: now } = held;
  for (; now > width; now /= 2) exprs = narrowed(b, exprs, now);
  for (; now < width; now *= 2) exprs = extended(b, exprs, now, '_s', chunkCount(lanes, 2 * now));
  return { form: 'packed', exprs, width };
};

/** Keeps the low half of every lane of `width` bytes: two chunks become one. */
export const narrowed = (b: FunctionBuilder, chunks: readonly Expr[], width: number): readonly Expr[] => {
  const half = width / 2;
  const bytes = Array.from({ length: 16 }, (_, p) => Math.floor(p / half) * width + (p % half));
  const out: Expr[] = [];
  for (let c = 0; c < chunks.length; c += 2) {
    const [low, high] = c + 1 < chunks.length ? [chunks[c], chunks[c + 1]] : b.share(chunks[c], 2);
    out.push(shuffle(bytes, low, high));
  }
  return out;
};

/** Doubles every lane of `width` bytes: one chunk becomes two, of which the first `count` are wanted. */
export const extended = (
  b: FunctionBuilder,
  chunks: readonly Expr[],
  width: number,
  sign: '_s' | '_u',
  count: number,
): readonly Expr[] => {
  const to = integerShape(2 * width);
  const from = integerShape(width);
  return chunks.flatMap((chunk, c) => {
    const wanted = Math.min(2, count - 2 * c);
    if (wanted <= 0) {
      b.release(chunk);
      return [];
    }
    const halves = b.share(chunk, wanted);
    return halves.map((e, h) => apply('v128', `${to}.extend_${h === 0 ? 'low' : 'high'}_${from}${sign}`, e));
  });
};

/** A v128 from the bytes numbered 0 … 15 of the first and 16 … 31 of the second. */
const shuffle = (bytes: readonly number[], a: Expr, b: Expr): Expr =>
  apply('v128', `i8x16.shuffle ${bytes.join(' ')}`, a, b);

/** The upper half of a v128 in its lower half. */
export const upperHalf = (b: FunctionBuilder, e: Expr): Expr => {
  const [x, y] = b.share(e, 2);
  return shuffle([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15], x, y);
};

/** The lower halves of two v128 in one. */
export const lowerHalves = (a: Expr, b: Expr): Expr =>
  shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23], a, b);

export const splat = (shape: string, e: Expr): Expr => {
  const { spread, ...read } = e;
  if (spread !== undefined) return { ...read, type: 'v128', text: spread };
  if (e.constant === undefined) return apply('v128', `${shape}.splat`, e);
  const lanes = Number(shape.split('x')[1]);
  const value = shape === 'f32x4' ? Math.fround(Number(e.constant)) : e.constant;
  return apply('v128', `v128.const ${shape}${` ${numberText(value)}`.repeat(lanes)}`);
};

const extract = (chunk: Expr, of: ScalarType, width: number, lane: number): Expr => {
  if (of === 'f64' || of === 'f32') return apply(of, `${shapeOf(of)}.extract_lane ${lane}`, chunk);
  if (of === 'i1') {
    const bytes = Math.min(width, 4);
    const sign = bytes < 4 ? '_u' : '';
    return apply(
      'i32',
      'i32.and',
      apply('i32', `${integerShape(bytes)}.extract_lane${sign} ${(lane * width) / bytes}`, chunk),
      i32(1),
    );
  }
  const sign = width < 4 ? extension(of) : '';
  return apply(width === 8 ? 'i64' : 'i32', `${integerShape(width)}.extract_lane${sign} ${lane}`, chunk);
};

/** All bits of a mask lane from a truth value. */
const negated = (truth: Expr, width: number): Expr => {
  if (typeof truth.constant === 'number') {
    const bits = -truth.constant;
    return width === 8 ? { ...i32(bits), type: 'i64', constant: BigInt(bits) } : i32(bits);
  }
  const minus = apply('i32', 'i32.sub', i32(0), truth);
  return width === 8 ? apply('i64', 'i64.extend_i32_s', minus) : minus;
};

import type { Builder, Value } from '@filigree/ir';
import type { Affine, Face, Piece } from '../piece.js';

/** A known number, or a computed one plus a known one. */
export interface Linear {
  readonly value: Value | undefined;
  readonly constant: number;
}

export type IndexType = 'i32' | 'i64';

/** What a loop nest does at the points of a piece. */
export interface Visit {
  /** At one point, with the value of each stream. */
  readonly point: (streams: readonly Linear[]) => void;
  /**
   * A whole innermost loop, if it can be done better than point by point: `run` makes the loop and passes the streams
   * to its body. Returns false to have it made from points.
   */
  readonly innermost?: (loop: InnerLoop) => boolean;
}

export interface InnerLoop {
  readonly lower: Value;
  /** The end, itself not visited. */
  readonly end: Value;
  readonly one: Value;
  /** How much each stream grows from iteration to iteration. */
  readonly steps: readonly number[];
  readonly streams: (iterator: Value) => readonly Linear[];
  /** The streams without what the iterator of this loop adds. */
  readonly outer: readonly Linear[];
}

/** Innermost loops of at most so many iterations, known in advance, are written out. */
const UNROLLED = 4;

/**
 * Loops over the points of a piece, in order. The contribution of an outer iterator to a bound or a stream is added as
 * soon as that iterator is known, so bounds and addresses are hoisted as far as possible. `origin` is added to the
 * streams.
 */
export const emitPiece = (b: Builder, piece: Piece, origin: readonly Linear[], type: IndexType, visit: Visit): void => {
  const emit = emitterOf(b, type);
  const { levels } = piece;
  const nest = (
    d: number,
    lower: readonly (readonly Linear[])[],
    upper: readonly (readonly Linear[])[],
    streams: readonly Linear[],
  ): void => {
    if (d === levels.length) return visit.point(streams);
    const lo = emit.extreme('max', lower[0], levels[d].lower);
    const hi = emit.extreme('min', upper[0], levels[d].upper);
    const inner = (x: Linear): void => {
      const faces = (bounds: typeof lower, side: 'lower' | 'upper'): Linear[][] =>
        bounds.slice(1).map((fs, k) => fs.map((f, n) => emit.plus(f, levels[d + 1 + k][side][n].coefs[d] ?? 0, x)));
      const next = streams.map((s, k) => emit.plus(s, piece.access[k].coefs[d] ?? 0, x));
      nest(d + 1, faces(lower, 'lower'), faces(upper, 'upper'), next);
    };
    const isInnermost = d === levels.length - 1;
    if (lo.value === undefined && hi.value === undefined) {
      const trips = hi.constant - lo.constant + 1;
      if (trips <= 1 || (isInnermost && trips <= UNROLLED)) {
        for (let x = lo.constant; x <= hi.constant; x++) inner({ value: undefined, constant: x });
        return;
      }
    }
    const first = emit.value(lo);
    const end = emit.value({ ...hi, constant: hi.constant + 1 });
    const one = emit.value({ value: undefined, constant: 1 });
    const steps = piece.access.map((f) => f.coefs[d] ?? 0);
    const at = (iv: Value): Linear[] => streams.map((s, k) => emit.plus(s, steps[k], { value: iv, constant: 0 }));
    const loop: InnerLoop = { lower: first, end, one, steps, streams: at, outer: streams };
    if (isInnermost && visit.innermost?.(loop) === true) return;
    b.for(first, end, one, {}, [], (iv) => inner({ value: iv, constant: 0 }));
  };
  const constants = (faces: readonly Face[]): Linear[] =>
    faces.map((f) => ({ value: undefined, constant: f.constant }));
  const streams = piece.access.map((f, k) => ({ ...origin[k], constant: origin[k].constant + f.constant }));
  nest(
    0,
    levels.map((l) => constants(l.lower)),
    levels.map((l) => constants(l.upper)),
    streams,
  );
};

/** The value of a linear number as an index. */
export const linearValue = (b: Builder, x: Linear, type: IndexType): Value => emitterOf(b, type).value(x);

const emitterOf = (b: Builder, type: IndexType) => {
  const constant = (n: number): Value => b.constant(type === 'i64' ? BigInt(n) : n, type);
  const value = (x: Linear): Value =>
    x.value === undefined ? constant(x.constant) : x.constant === 0 ? x.value : b.add(x.value, constant(x.constant));
  const plus = (sum: Linear, coef: number, x: Linear): Linear => {
    if (coef === 0) return sum;
    const known = sum.constant + coef * x.constant;
    if (x.value === undefined) return { value: sum.value, constant: known };
    const term = Math.abs(coef) === 1 ? x.value : b.mul(x.value, constant(Math.abs(coef)));
    if (sum.value === undefined) return { value: coef < 0 ? b.neg(term) : term, constant: known };
    return { value: coef < 0 ? b.sub(sum.value, term) : b.add(sum.value, term), constant: known };
  };
  const rounded = (x: Linear, { divisor }: Face, up: boolean): Linear => {
    if (divisor === 1) return x;
    if (x.value === undefined)
      return { value: undefined, constant: (up ? Math.ceil : Math.floor)(x.constant / divisor) };
    /* Division truncates; if that is the wrong direction, the sign of the remainder says so. */
    const v = value(x);
    const [by, zero, one] = [constant(divisor), constant(0), constant(1)];
    const quotient = b.div(v, by);
    const rest = b.rem(v, by);
    const correction = b.select(b.cmp(up ? 'gt' : 'lt', rest, zero), one, zero);
    return { value: up ? b.add(quotient, correction) : b.sub(quotient, correction), constant: 0 };
  };
  const extreme = (of: 'max' | 'min', partial: readonly Linear[], faces: readonly Face[]): Linear => {
    const all = partial.map((x, f) => rounded(x, faces[f], of === 'max'));
    const known = all.filter((x) => x.value === undefined).map((x) => x.constant);
    const rest = all.filter((x) => x.value !== undefined);
    const best = known.length > 0 ? (of === 'max' ? Math.max(...known) : Math.min(...known)) : undefined;
    if (rest.length === 0) return { value: undefined, constant: best! };
    if (rest.length === 1 && best === undefined) return rest[0];
    const values = [...rest.map(value), ...(best === undefined ? [] : [constant(best)])];
    return { value: values.reduce((x, y) => (of === 'max' ? b.max(x, y) : b.min(x, y))), constant: 0 };
  };
  return { value, plus, extreme };
};

/** `i32` if no bound, stream or sum on the way to one leaves its range at any point of the box around the piece. */
export const indexTypeFor = (pieces: readonly Piece[], origins: readonly number[] = []): IndexType =>
  pieces.every((p) => fitsI32(p)) && origins.every((o) => Math.abs(o) < 2 ** 30) ? 'i32' : 'i64';

const fitsI32 = (piece: Piece): boolean => {
  const size: number[] = [];
  const reach = (f: Affine): number =>
    f.coefs.reduce((n, c, d) => n + Math.abs(c) * (size[d] ?? 0), Math.abs(f.constant));
  for (const l of piece.levels) {
    const bound = Math.max(...[...l.lower, ...l.upper].map((f) => reach(f)));
    if (bound >= 2 ** 30) return false;
    size.push(Math.max(least(l.lower, reach), least(l.upper, reach)) + 1);
  }
  return piece.access.every((f) => reach(f) < 2 ** 30);
};

/** Some face bounds the iterator, so the tightest does. */
const least = (faces: readonly Face[], reach: (f: Affine) => number): number =>
  Math.min(...faces.map((f) => reach(f) / f.divisor));

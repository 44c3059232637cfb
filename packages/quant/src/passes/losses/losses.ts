import type { Attr, Loc, Module } from '@filigree/ir';
import type { Storage } from '@filigree/sparse/fields';

/** What was lost in one place of a program where numbers are stored in few bits. */
export interface Loss {
  readonly kernel: string;
  readonly field: string;
  readonly loc?: Loc;
  /** Numbers stored, those that lost nothing among them. */
  readonly stores: number;
  /** Integers that did not fit, and sums in fixed point, which wrapped. */
  readonly overflowed: number;
  /** Numbers beyond the range, stored as its end. */
  readonly saturated: number;
  /** Numbers that became zero. */
  readonly flushed: number;
  /** What was no number, and became zero. */
  readonly nan: number;
  /** The largest error of all others, relative to the number. */
  readonly maxRelError: number;
}

/** The buffer that holds the counts of a program, whose name no other has. */
export const lossesName = ({ memory }: Storage): string => `${memory}_losses`;

/** Words of a place: stores, overflowed, saturated, flushed, NaN, and the bits of an f32. */
export const COUNTS = 6;

/** A place at which stores are counted. */
export type LossPlace = Pick<Loss, 'kernel' | 'field' | 'loc'>;

/** The places of a module, in the order of its buffer of counts; none where nothing is counted. */
export const lossPlaces = ({ attrs }: Module): readonly LossPlace[] =>
  Array.isArray(attrs.losses)
    ? (attrs.losses as readonly (readonly Attr[])[]).map(([kernel, field, file, line, column]) => ({
        kernel: String(kernel),
        field: String(field),
        ...(file !== undefined && { loc: { file: String(file), line: Number(line), column: Number(column) } }),
      }))
    : [];

/** A place as an attribute. */
export const lossAttr = ({ kernel, field, loc }: LossPlace): readonly Attr[] =>
  loc ? [kernel, field, loc.file, loc.line, loc.column] : [kernel, field];

/** What a buffer of counts says of some places. */
export const lossesIn = (places: readonly LossPlace[], counts: Int32Array): readonly Loss[] => {
  const words = new Uint32Array(counts.buffer, counts.byteOffset, counts.length);
  const floats = new Float32Array(counts.buffer, counts.byteOffset, counts.length);
  return places.map((place, n) => {
    const [stores, overflowed, saturated, flushed, nan] = words.subarray(n * COUNTS, (n + 1) * COUNTS);
    return { ...place, stores, overflowed, saturated, flushed, nan, maxRelError: floats[(n + 1) * COUNTS - 1] };
  });
};

/** All that two lists tell of: what they say of one place is one. */
export const addLosses = (some: readonly Loss[], others: readonly Loss[]): readonly Loss[] => {
  const all = new Map(some.map((loss) => [keyOfLoss(loss), loss]));
  for (const b of others) {
    const a = all.get(keyOfLoss(b));
    const sum = a && {
      ...a,
      stores: a.stores + b.stores,
      overflowed: a.overflowed + b.overflowed,
      saturated: a.saturated + b.saturated,
      flushed: a.flushed + b.flushed,
      nan: a.nan + b.nan,
      maxRelError: Math.max(a.maxRelError, b.maxRelError),
    };
    all.set(keyOfLoss(b), sum ?? b);
  }
  return [...all.values()];
};

/** Text that tells places apart. */
export const keyOfLoss = (place: LossPlace): string => JSON.stringify(lossAttr(place));

import type { Piece } from './piece.js';

/** Pieces of one shape: they differ only in where their streams begin. */
export interface PieceGroup {
  /** The shape: the piece with all its streams beginning at 0. */
  readonly shape: Piece;
  /** Where the streams of each piece begin: entry `p · streams + stream`. */
  readonly origins: Float64Array;
  /** Which pieces these are, in order. */
  readonly members: Int32Array;
}

/**
 * Groups pieces by shape, so that one loop over a table of origins serves a whole group. Groups come in the order of
 * their first pieces, so visiting group after group visits the trace in another order.
 */
export const groupByShape = (pieces: readonly Piece[]): PieceGroup[] => {
  const groups = new Map<string, number[]>();
  pieces.forEach((p, k) => {
    const key = JSON.stringify([p.levels, p.access.map((a) => a.coefs)]);
    const members = groups.get(key);
    if (members) members.push(k);
    else groups.set(key, [k]);
  });
  return [...groups.values()].map((members) => {
    const first = pieces[members[0]];
    const width = first.access.length;
    const origins = new Float64Array(members.length * width);
    members.forEach((m, n) => pieces[m].access.forEach((a, k) => (origins[n * width + k] = a.constant)));
    const shape = { ...first, access: first.access.map((a) => ({ ...a, constant: 0 })) };
    return { shape, origins, members: Int32Array.from(members) };
  });
};

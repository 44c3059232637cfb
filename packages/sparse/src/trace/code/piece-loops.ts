import type { Builder } from '@filigree/ir';
import type { PieceGroup } from '../group.js';
import { emitPiece, type IndexType, type Linear, type Visit } from './loops.js';
import { tableEntry, type TableRef, type Tables } from './tables.js';

/** Groups of pieces with their tables of origins placed. */
export interface PlacedGroup {
  readonly group: PieceGroup;
  /** Streams whose origins differ from piece to piece: columns of the table, one row a piece. */
  readonly varying: readonly number[];
  readonly table: TableRef | undefined;
}

/** Puts the origins of groups of several pieces into tables. */
export const placeGroups = (groups: readonly PieceGroup[], tables: Tables): PlacedGroup[] =>
  groups.map((group) => {
    const pieces = group.members.length;
    const width = group.shape.access.length;
    const streams = Array.from({ length: width }, (_, k) => k);
    const varying = streams.filter((k) => group.origins.some((o, at) => at % width === k && o !== group.origins[k]));
    if (pieces === 1 || varying.length === 0) return { group, varying: [], table: undefined };
    const rows = new Int32Array(pieces * varying.length);
    for (let p = 0; p < pieces; p++) {
      varying.forEach((k, c) => (rows[p * varying.length + c] = group.origins[p * width + k]));
    }
    return { group, varying, table: tables.add(rows) };
  });

/** Loops over the points of all pieces: group by group, and within a group piece by piece through its table of origins. */
export const emitGroups = (b: Builder, groups: readonly PlacedGroup[], type: IndexType, visit: Visit): void => {
  const constant = (n: number) => b.constant(type === 'i64' ? BigInt(n) : n, type);
  for (const { group, varying, table } of groups) {
    const { shape, origins, members } = group;
    const fixed = shape.access.map((_, k): Linear => ({ value: undefined, constant: origins[k] }));
    if (table === undefined) {
      for (let p = 0; p < members.length; p++) emitPiece(b, shape, fixed, type, visit);
      continue;
    }
    b.for(constant(0), constant(members.length), constant(1), {}, [], (p) => {
      const row = varying.length === 1 ? p : b.mul(p, constant(varying.length));
      const origin = fixed.map((o, k): Linear => {
        const c = varying.indexOf(k);
        return c < 0 ? o : { value: tableEntry(b, table, row, c), constant: 0 };
      });
      emitPiece(b, shape, origin, type, visit);
    });
  }
};

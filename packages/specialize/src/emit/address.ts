import type { Builder, Value } from '@filigree/ir';
import type { Encoded, Width } from '../place/encode.js';
import { POOL, type TableBases } from '../place/pools.js';

/** What the addresses of one loop nest are computed from. */
export interface AddressContext {
  readonly b: Builder;
  readonly encoded: Encoded;
  readonly bases: TableBases;
  /** First pool entry of the current block, by width; made outside the inner loop. */
  readonly rows: Readonly<Record<Width, Value | undefined>>;
  readonly anchors: readonly Value[];
  /** Entry within the block. */
  readonly j: Value;
  /** Instance. */
  readonly i: Value;
}

/** Values that stay the same for a whole block: the beginnings of its tables, and its anchors. `block` undefined: there is only one. */
export const blockValues = (b: Builder, encoded: Encoded, bases: TableBases, block: Value | undefined): Pick<AddressContext, 'rows' | 'anchors'> => {
  const row = (width: Width): Value | undefined => {
    const rows = encoded.rows[width];
    if (rows === 0) return undefined;
    return linear(b, block, rows * encoded.blockSize, bases[width]);
  };
  const anchorRow = encoded.anchorCount > 0 ? linear(b, block, encoded.anchorCount, bases.anchors) : undefined;
  const anchors = Array.from({ length: encoded.anchorCount }, (_, k) => b.load(POOL[32], b.add(anchorRow!, b.i32(k))));
  return { rows: { 8: row(8), 16: row(16), 32: row(32) }, anchors };
};

/** Positions of the first `count` columns for one instance. */
export const emitAddresses = (at: AddressContext, from: number, to: number, known: readonly Value[]): Value[] => {
  const { b, encoded } = at;
  const positions = [...known];
  for (let c = from; c < to; c++) {
    const a = encoded.addresses[c];
    if (a.is === 'affine') positions.push(linear(b, a.stride === 0 ? undefined : at.i, a.stride, a.base));
    else if (a.is === 'offset') positions.push(plus(b, positions[a.column], a.delta));
    else {
      const row = at.rows[a.width]!;
      const entry = b.load(POOL[a.width], b.add(plus(b, row, a.row * encoded.blockSize), at.j));
      const wide = a.width === 32 ? entry : b.cast(entry, 'i32');
      const r = a.relativeTo;
      const relative = r === undefined ? wide : b.add('column' in r ? positions[r.column] : at.anchors[r.anchor], wide);
      positions.push(plus(b, relative, a.bias));
    }
  }
  return positions;
};

/** base + stride·x, without the parts that vanish. */
export const linear = (b: Builder, x: Value | undefined, stride: number, base: number): Value => {
  if (x === undefined) return b.i32(base);
  return plus(b, stride === 1 ? x : b.mul(x, b.i32(stride)), base);
};

const plus = (b: Builder, x: Value, constant: number): Value => (constant === 0 ? x : b.add(x, b.i32(constant)));

import type { Buffer } from '@filigree/ir';
import type { Encoded, Tables, Width } from './encode.js';

/** Where a group's tables begin in the program's pools, in entries. */
export interface TableBases {
  readonly 8: number;
  readonly 16: number;
  readonly 32: number;
  readonly anchors: number;
  readonly constants: number;
}

/** Names of the constant buffers that hold all index tables and varying constants of a program. */
export const POOL = { 8: 'index8', 16: 'index16', 32: 'index32', constants: 'constants' } as const;

/** Collects the tables of all groups into one constant buffer a width. */
export class Pools {
  private readonly parts: { readonly [W in Width]: Tables[W][] } = { 8: [], 16: [], 32: [] };
  private readonly size: Record<Width, number> = { 8: 0, 16: 0, 32: 0 };
  private readonly constants: Float64Array[] = [];
  private constantSize = 0;

  /** Adds a group's tables, its anchors (which are 32-bit), and its constants in the order they are indexed. */
  add(encoded: Encoded, constants: Float64Array): TableBases {
    return {
      8: this.append(8, encoded.tables[8]),
      16: this.append(16, encoded.tables[16]),
      32: this.append(32, encoded.tables[32]),
      anchors: this.append(32, encoded.anchors),
      constants: this.appendConstants(constants),
    };
  }

  append<W extends Width>(width: W, table: Tables[W]): number {
    const base = this.size[width];
    if (table.length > 0) this.parts[width].push(table);
    this.size[width] += table.length;
    return base;
  }

  private appendConstants(values: Float64Array): number {
    const base = this.constantSize;
    if (values.length > 0) this.constants.push(values);
    this.constantSize += values.length;
    return base;
  }

  /** Bytes of all index tables. */
  get indexBytes(): number {
    return this.size[8] + 2 * this.size[16] + 4 * this.size[32];
  }

  buffers(dtype: 'f32' | 'f64'): Buffer[] {
    const out: Buffer[] = [];
    for (const width of [8, 16, 32] as const) {
      const length = this.size[width];
      if (length === 0) continue;
      const parts: readonly Tables[Width][] = this.parts[width];
      const data = parts.length === 1 ? parts[0] : joined(new TABLE[width](length), parts);
      out.push({ name: POOL[width], type: TYPE[width], length, role: 'const', data });
    }
    if (this.constantSize > 0) {
      const data = dtype === 'f32' ? new Float32Array(this.constantSize) : new Float64Array(this.constantSize);
      let at = 0;
      for (const c of this.constants) {
        data.set(c, at);
        at += c.length;
      }
      out.push({ name: POOL.constants, type: dtype, length: this.constantSize, role: 'const', data });
    }
    return out;
  }
}

const TABLE = { 8: Uint8Array, 16: Uint16Array, 32: Int32Array } as const;
const TYPE = { 8: 'u8', 16: 'u16', 32: 'i32' } as const;

const joined = <T extends Tables[Width]>(target: T, parts: readonly Tables[Width][]): T => {
  let at = 0;
  for (const p of parts) {
    target.set(p, at);
    at += p.length;
  }
  return target;
};

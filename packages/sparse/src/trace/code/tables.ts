import { constBuffer, type Buffer, type Builder, type ScalarType, type Value } from '@filigree/ir';

/** A column of an index table: the entries `[base, base + length)` of a constant buffer. */
export interface TableRef {
  readonly buffer: string;
  readonly base: number;
  readonly narrow: boolean;
}

/**
 * The index tables of a module, gathered while its kernels are planned: one constant buffer of 16-bit entries and one of
 * 32-bit entries, each table in the narrowest that holds it.
 */
export class Tables {
  private readonly parts: Record<'index16' | 'index32', Int32Array[]> = { index16: [], index32: [] };
  private readonly lengths = { index16: 0, index32: 0 };

  add(values: Int32Array): TableRef {
    const narrow = values.every((v) => v >= 0 && v <= 0xffff);
    const buffer = narrow ? 'index16' : 'index32';
    const base = this.lengths[buffer];
    this.parts[buffer].push(values);
    this.lengths[buffer] += values.length;
    return { buffer, base, narrow };
  }

  get bytes(): number {
    return 2 * this.lengths.index16 + 4 * this.lengths.index32;
  }

  buffers(): Buffer[] {
    const out: Buffer[] = [];
    if (this.lengths.index16 > 0) out.push(constBuffer('index16', 'u16', Uint16Array.from(this.joined('index16'))));
    if (this.lengths.index32 > 0) out.push(constBuffer('index32', 'i32', this.joined('index32')));
    return out;
  }

  private joined(buffer: 'index16' | 'index32'): Int32Array {
    const out = new Int32Array(this.lengths[buffer]);
    let at = 0;
    for (const p of this.parts[buffer]) {
      out.set(p, at);
      at += p.length;
    }
    return out;
  }
}

/** Entry `index` + `offset` of a table, as an index. */
export const tableEntry = (b: Builder, table: TableRef, index: Value, offset = 0): Value => {
  const type = index.type as ScalarType;
  const at = table.base + offset;
  const entry = b.load(
    table.buffer,
    at === 0 ? index : b.add(index, b.constant(type === 'i64' ? BigInt(at) : at, type)),
  );
  return table.narrow || type === 'i64' ? b.cast(entry, type) : entry;
};

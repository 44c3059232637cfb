/** Bytes that grow, and the encodings of WebAssembly. */
export class Bytes {
  private data = new Uint8Array(256);
  private view = new DataView(this.data.buffer);
  length = 0;

  byte(value: number): this {
    this.room(1);
    this.data[this.length++] = value;
    return this;
  }

  /** LEB128, unsigned. */
  u32(value: number): this {
    this.room(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.data[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.data[this.length++] = rest;
    return this;
  }

  /** LEB128, signed, of 32 bits. */
  s32(value: number): this {
    this.room(5);
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      const last = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
      this.data[this.length++] = last ? low : low | 0x80;
      if (last) return this;
    }
  }

  /** LEB128, signed, of 64 bits. */
  s64(value: bigint): this {
    let rest = BigInt.asIntN(64, value);
    if (rest === BigInt.asIntN(32, rest)) return this.s32(Number(rest));
    this.room(10);
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      const last = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
      this.data[this.length++] = last ? low : low | 0x80;
      if (last) return this;
    }
  }

  f32(value: number): this {
    this.room(4);
    this.view.setFloat32(this.length, value, true);
    this.length += 4;
    return this;
  }

  f64(value: number): this {
    this.room(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
    return this;
  }

  /** Bytes of others, as they are. */
  all(bytes: Uint8Array): this {
    this.room(bytes.length);
    this.data.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  /** Bytes of others behind their number. */
  sized(bytes: Uint8Array): this {
    return this.u32(bytes.length).all(bytes);
  }

  /** Hands what was written from a place on to another, and forgets it. */
  moveTo(other: Bytes, from: number): void {
    other.room(this.length - from);
    for (let k = from; k < this.length; k++) other.data[other.length++] = this.data[k]!;
    this.length = from;
  }

  /** What was written. */
  done(): Uint8Array {
    return this.data.slice(0, this.length);
  }

  private room(more: number): void {
    if (this.length + more <= this.data.length) return;
    const larger = new Uint8Array(Math.max(2 * this.data.length, this.length + more));
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
    this.view = new DataView(larger.buffer);
  }
}

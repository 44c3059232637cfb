import type { LayoutNode } from '../kernel/layout.js';
import type { Attr, Attrs, Kernel, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { type Type, typeText } from '../kernel/type.js';

/**
 * Kernels and modules as bytes, so that two of them give the same bytes exactly when they are the same but for ids, hints
 * and locations. Every string and list has its length before it, so no two contents run together.
 */
export class Encoder {
  private bytes = new Uint8Array(1024);
  private view = new DataView(this.bytes.buffer);
  private length = 0;
  /** Values by order of definition: what stands for an id. */
  private readonly order = new Map<number, number>();

  take(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  moduleHead(module: Module): this {
    this.text(module.name);
    this.attrs(module.attrs);
    if (module.layout) module.layout.branches.forEach((n) => this.node(n));
    this.count(module.buffers.length);
    for (const b of module.buffers) {
      this.text(b.name);
      this.text(b.type);
      this.number(b.length);
      this.text(b.role);
      this.text(b.memory ?? '');
      this.number(b.data === undefined ? -1 : b.data.length);
    }
    this.count(module.kernels.length);
    return this;
  }

  kernel(kernel: Kernel): this {
    this.text(kernel.name);
    this.attrs(kernel.attrs);
    this.define(kernel.params);
    this.region(kernel.body);
    return this;
  }

  private node({ kind, axes, extents, attrs, fields, children }: LayoutNode): void {
    this.text(kind);
    this.attr(axes);
    this.attr(extents);
    this.attrs(attrs);
    this.count(fields.length);
    for (const { name, type, ambient, format, word } of fields) {
      [name, type, ambient].forEach((a) => this.attr(a));
      if (format) {
        this.text(format.name);
        this.attrs(format.attrs);
      }
      if (word) [word.first, word.bits].forEach((a) => this.attr(a));
    }
    this.count(children.length);
    children.forEach((n) => this.node(n));
  }

  private region(region: Region): void {
    this.define(region.params);
    this.count(region.ops.length);
    for (const op of region.ops) {
      this.text(op.name);
      this.count(op.operands.length);
      /* An undefined value of a broken module still gets bytes of its own kind. */
      for (const v of op.operands) this.number(this.order.get(v.id) ?? -1 - v.id);
      this.attrs(op.attrs);
      this.define(op.results);
      this.count(op.regions.length);
      for (const inner of op.regions) this.region(inner);
    }
  }

  private define(values: readonly Value[]): void {
    this.count(values.length);
    for (const v of values) {
      this.order.set(v.id, this.order.size);
      this.type(v.type);
    }
  }

  private type(type: Type): void {
    this.text(typeText(type));
  }

  private attrs(attrs: Attrs): void {
    const keys = Object.keys(attrs).sort();
    this.count(keys.length);
    for (const key of keys) {
      this.text(key);
      this.attr(attrs[key]);
    }
  }

  private attr(attr: Attr): void {
    if (typeof attr === 'number') {
      this.byte(1);
      this.number(attr);
    } else if (typeof attr === 'string') {
      this.byte(2);
      this.text(attr);
    } else if (typeof attr === 'boolean') {
      this.byte(attr ? 3 : 4);
    } else {
      this.byte(5);
      this.count(attr.length);
      attr.forEach((a) => this.attr(a));
    }
  }

  private text(text: string): void {
    const bytes = utf8.encode(text);
    this.count(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  private count(n: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, n, true);
    this.length += 4;
  }

  private number(x: number): void {
    this.reserve(8);
    /* One NaN, whatever its bits. */
    if (Number.isNaN(x)) this.view.setBigUint64(this.length, 0x7ff8000000000000n, true);
    else this.view.setFloat64(this.length, x, true);
    this.length += 8;
  }

  private byte(x: number): void {
    this.reserve(1);
    this.bytes[this.length++] = x;
  }

  private reserve(n: number): void {
    if (this.length + n <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + n));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

const utf8 = new TextEncoder();

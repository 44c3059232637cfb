import type { Buffer, Kernel, Op, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { typeText } from '../kernel/type.js';
import { encodeBase64 } from './base64.js';
import { at, attrsBefore, attrsText, numberText } from './print-attrs.js';
import { layoutLines } from './print-layout.js';

/**
 * A module as `.fil` text, which `parseModule` reads back. The text is canonical: attributes stand in order of their names,
 * values are numbered in order of definition or carry their hint, made unique within the kernel. Source locations are
 * not printed. Constant data of more than 32 elements is base64 of little-endian bytes.
 */
export const printModule = (module: Module): string => {
  const out: string[] = [`module ${at(module.name)} ${attrsBefore(module.attrs, moduleWords)}{`];
  if (module.layout) out.push(...layoutLines(module.layout, '  '));
  for (const b of module.buffers) out.push(`  ${bufferText(b)}`);
  for (const k of module.kernels) new KernelPrinter(out).kernel(k, '  ');
  out.push('}', '');
  return out.join('\n');
};

/** One kernel as text, for people and messages. */
export const printKernel = (kernel: Kernel): string => {
  const out: string[] = [];
  new KernelPrinter(out).kernel(kernel, '');
  return out.join('\n');
};

/** Words that begin something else after a module's brace, so that attributes of these names are quoted there. */
export const moduleWords: ReadonlySet<string> = new Set(['layout', 'buffer', 'kernel']);

const bufferText = (b: Buffer): string => {
  const head = `buffer ${at(b.name)} : ${b.type}[${b.length}] ${b.role}${b.memory === undefined ? '' : ` in ${at(b.memory)}`}`;
  if (b.data === undefined) return head;
  if (b.data.length > 32) return `${head} = base64:"${encodeBase64(b.data)}"`;
  const items = Array.from(b.data as ArrayLike<number | bigint>, (x) =>
    typeof x === 'bigint' ? String(x) : numberText(x),
  );
  return `${head} = [${items.join(', ')}]`;
};

class KernelPrinter {
  private readonly names = new Map<number, string>();
  private readonly taken = new Set<string>();
  /** The next suffix to try for a hint, so that many equal hints stay cheap. */
  private readonly suffix = new Map<string, number>();
  private count = 0;

  constructor(private readonly out: string[]) {}

  kernel(k: Kernel, indent: string): void {
    this.out.push(`${indent}kernel ${at(k.name)}(${this.declare(k.params)}) ${attrsBefore(k.attrs)}{`);
    this.regionBody(k.body, indent);
    this.out.push(`${indent}}`);
  }

  private regionBody(region: Region, indent: string): void {
    if (region.params.length > 0) this.out.push(`${indent}^(${this.declare(region.params)}):`);
    for (const op of region.ops) this.op(op, `${indent}  `);
  }

  private op(op: Op, indent: string): void {
    const operands = op.operands.map((v) => this.use(v)).join(', ');
    const attrs = attrsText(op.attrs);
    let line = op.name + (operands === '' ? '' : ` ${operands}`) + (attrs === '' ? '' : ` ${attrs}`);
    /* Results are named before regions: their definition comes first in reading order. */
    const results = op.results.map((v) => this.define(v)).join(', ');
    if (results !== '') line = `${results} = ${line}`;
    const types = op.results.length === 0 ? '' : ` : ${op.results.map((v) => typeText(v.type)).join(', ')}`;
    op.regions.forEach((region, i) => {
      this.out.push(i === 0 ? `${indent}${line} {` : `${indent}} {`);
      this.regionBody(region, indent);
    });
    this.out.push(op.regions.length === 0 ? `${indent}${line}${types}` : `${indent}}${types}`);
  }

  private declare(values: readonly Value[]): string {
    return values.map((v) => `${this.define(v)}: ${typeText(v.type)}`).join(', ');
  }

  private define(v: Value): string {
    const number = this.count++;
    const name = v.hint === undefined || v.hint === '' ? String(number) : this.unique(v.hint);
    this.names.set(v.id, `%${name}`);
    return `%${name}`;
  }

  private unique(hint: string): string {
    const word = hint.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
    let name = word;
    let n = this.suffix.get(word) ?? 1;
    while (this.taken.has(name)) name = `${word}_${n++}`;
    this.suffix.set(word, n);
    this.taken.add(name);
    return name;
  }

  /** An undefined value prints as its id behind a `?`, which does not parse: the text of a broken module is for reading. */
  private use(v: Value): string {
    return this.names.get(v.id) ?? `%?${v.id}`;
  }
}

import type * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics, type Loc, fail } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';
import type { LayoutField, LayoutFormat, LayoutNode, LayoutWord } from '../kernel/layout.js';
import type { Attr, Attrs, Buffer, Kernel, Op, Region, Value } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { type ScalarType, type Type, isScalarType } from '../kernel/type.js';
import { decodeBase64, encodeBase64 } from './base64.js';

/** What `JSON.stringify` takes and `JSON.parse` gives. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A module as plain JSON, ids, hints and locations included. Numbers that JSON lacks (NaN, infinities, -0) stand as
 * `{"number": "nan"}`, constant data as `{"base64": "…"}` of little-endian bytes.
 */
export const toJson = (module: Module): Json => ({
  name: module.name,
  attrs: attrsJson(module.attrs),
  ...(module.layout && { layout: { branches: module.layout.branches.map(nodeJson) } }),
  buffers: module.buffers.map((b) => ({
    name: b.name,
    type: b.type,
    length: b.length,
    role: b.role,
    ...(b.memory === undefined ? {} : { memory: b.memory }),
    ...(b.data === undefined ? {} : { data: { base64: encodeBase64(b.data) } }),
  })),
  kernels: module.kernels.map((k) => ({
    name: k.name,
    attrs: attrsJson(k.attrs),
    params: k.params.map(valueJson),
    body: regionJson(k.body),
  })),
});

/** The inverse of `toJson`. A document of another shape is `json/shape`, with the path to the place. */
export const fromJson = (json: unknown): E.Either<Diagnostics, Module> => {
  return orLeft(() => moduleFrom(json));
};

const nodeJson = (node: LayoutNode): Json => ({
  kind: node.kind,
  axes: node.axes,
  extents: node.extents,
  attrs: attrsJson(node.attrs),
  fields: node.fields.map(({ name, type, ambient, format, word, loc }) => ({
    name,
    type,
    ambient: attrJson(ambient),
    ...(format && { format: { name: format.name, attrs: attrsJson(format.attrs) } }),
    ...(word && { word: { ...word } }),
    ...(loc && { loc: { ...loc } }),
  })),
  children: node.children.map(nodeJson),
  ...(node.loc && { loc: { ...node.loc } }),
});

const valueJson = (v: Value): Json => ({
  id: v.id,
  type: typeof v.type === 'string' ? v.type : { ...v.type },
  ...(v.hint === undefined ? {} : { hint: v.hint }),
});

const regionJson = (r: Region): Json => ({ params: r.params.map(valueJson), ops: r.ops.map(opJson) });

/* An operand is its id: the definition has type and hint. */
const opJson = (op: Op): Json => ({
  name: op.name,
  operands: op.operands.map((v) => v.id),
  results: op.results.map(valueJson),
  attrs: attrsJson(op.attrs),
  regions: op.regions.map(regionJson),
  ...(op.loc === undefined ? {} : { loc: { ...op.loc } }),
});

const attrsJson = (attrs: Attrs): Json => Object.fromEntries(Object.entries(attrs).map(([k, v]) => [k, attrJson(v)]));

const attrJson = (attr: Attr): Json => {
  if (typeof attr !== 'number') return typeof attr === 'object' ? attr.map(attrJson) : attr;
  return Number.isFinite(attr) && !Object.is(attr, -0)
    ? attr
    : { number: Number.isNaN(attr) ? 'nan' : attr === 0 ? '-0' : attr > 0 ? 'inf' : '-inf' };
};

type Fields = { readonly [key: string]: unknown };

const wrong = (path: string, what: string): never =>
  fail('json/shape', `${path || 'the document'} must be ${what}`, { remedy: 'use what toJson gave' });

const object = (x: unknown, path: string): Fields =>
  typeof x === 'object' && x !== null && !Array.isArray(x) ? (x as Fields) : wrong(path, 'an object');

const array = <T>(x: unknown, path: string, item: (x: unknown, path: string) => T): readonly T[] =>
  Array.isArray(x) ? x.map((e, i) => item(e, `${path}[${i}]`)) : wrong(path, 'an array');

const string = (x: unknown, path: string): string => (typeof x === 'string' ? x : wrong(path, 'a string'));

const natural = (x: unknown, path: string): number =>
  Number.isSafeInteger(x) && (x as number) >= 0 ? (x as number) : wrong(path, 'a non-negative integer');

const scalarType = (x: unknown, path: string): ScalarType => (isScalarType(x) ? x : wrong(path, 'a scalar type'));

const moduleFrom = (json: unknown): Module => {
  const m = object(json, '');
  return {
    name: string(m.name, 'name'),
    attrs: attrsFrom(m.attrs, 'attrs'),
    ...(m.layout === undefined
      ? {}
      : { layout: { branches: array(object(m.layout, 'layout').branches, 'layout.branches', nodeFrom(0)) } }),
    buffers: array(m.buffers, 'buffers', bufferFrom),
    kernels: array(m.kernels, 'kernels', kernelFrom),
  };
};

const nodeFrom =
  (depth: number) =>
  (json: unknown, path: string): LayoutNode => {
    if (depth > 100) return wrong(path, 'nested at most 100 nodes deep');
    const n = object(json, path);
    return {
      kind: string(n.kind, `${path}.kind`),
      axes: array(n.axes, `${path}.axes`, natural),
      extents: array(n.extents, `${path}.extents`, natural),
      attrs: attrsFrom(n.attrs, `${path}.attrs`),
      fields: array(n.fields, `${path}.fields`, fieldFrom),
      children: array(n.children, `${path}.children`, nodeFrom(depth + 1)),
      ...locOf(n, path),
    };
  };

const fieldFrom = (json: unknown, path: string): LayoutField => {
  const f = object(json, path);
  const ambient = attrFrom(f.ambient, `${path}.ambient`, 0);
  return {
    name: string(f.name, `${path}.name`),
    type: scalarType(f.type, `${path}.type`),
    ambient: typeof ambient === 'number' ? ambient : wrong(`${path}.ambient`, 'a number'),
    ...(f.format === undefined ? {} : { format: formatFrom(f.format, `${path}.format`) }),
    ...(f.word === undefined ? {} : { word: wordFrom(f.word, `${path}.word`) }),
    ...locOf(f, path),
  };
};

const formatFrom = (json: unknown, path: string): LayoutFormat => {
  const f = object(json, path);
  return { name: string(f.name, `${path}.name`), attrs: attrsFrom(f.attrs, `${path}.attrs`) };
};

const wordFrom = (json: unknown, path: string): LayoutWord => {
  const w = object(json, path);
  return { first: string(w.first, `${path}.first`), bits: natural(w.bits, `${path}.bits`) };
};

const roles: readonly string[] = ['input', 'output', 'inout', 'temp', 'const', 'scratch'];

const isRole = (text: string): text is Buffer['role'] => roles.includes(text);

const bufferFrom = (json: unknown, path: string): Buffer => {
  const b = object(json, path);
  const type = scalarType(b.type, `${path}.type`);
  const role = string(b.role, `${path}.role`);
  if (!isRole(role)) return wrong(`${path}.role`, 'a role');
  const head = {
    name: string(b.name, `${path}.name`),
    type,
    length: natural(b.length, `${path}.length`),
    role,
    ...(b.memory === undefined ? {} : { memory: string(b.memory, `${path}.memory`) }),
  } as const;
  if (b.data === undefined) return head;
  const text = string(object(b.data, `${path}.data`).base64, `${path}.data.base64`);
  return {
    ...head,
    data: decodeBase64(text, type) ?? wrong(`${path}.data.base64`, `base64 of whole ${type} elements`),
  };
};

const kernelFrom = (json: unknown, path: string): Kernel => {
  const k = object(json, path);
  const values = new Map<number, Value>();
  return {
    name: string(k.name, `${path}.name`),
    attrs: attrsFrom(k.attrs, `${path}.attrs`),
    params: array(k.params, `${path}.params`, (x, p) => valueFrom(x, p, values)),
    body: regionFrom(k.body, `${path}.body`, values, 0),
  };
};

const valueFrom = (json: unknown, path: string, values: Map<number, Value>): Value => {
  const v = object(json, path);
  const value: Value = {
    id: natural(v.id, `${path}.id`),
    type: typeFrom(v.type, `${path}.type`),
    ...(v.hint === undefined ? {} : { hint: string(v.hint, `${path}.hint`) }),
  };
  values.set(value.id, value);
  return value;
};

const typeFrom = (json: unknown, path: string): Type => {
  if (typeof json === 'string') return scalarType(json, path);
  const t = object(json, path);
  if (t.own !== undefined) return { own: string(t.own, `${path}.own`), args: array(t.args, `${path}.args`, ownArg) };
  return { lanes: natural(t.lanes, `${path}.lanes`), of: scalarType(t.of, `${path}.of`) };
};

const ownArg = (json: unknown, path: string): number | ScalarType =>
  typeof json === 'number' ? json : scalarType(json, path);

const regionFrom = (json: unknown, path: string, values: Map<number, Value>, depth: number): Region => {
  if (depth > 400) return wrong(path, 'nested at most 400 regions deep');
  const r = object(json, path);
  return {
    params: array(r.params, `${path}.params`, (x, p) => valueFrom(x, p, values)),
    ops: array(r.ops, `${path}.ops`, (x, p) => opFrom(x, p, values, depth)),
  };
};

const opFrom = (json: unknown, path: string, values: Map<number, Value>, depth: number): Op => {
  const o = object(json, path);
  const operands = array(
    o.operands,
    `${path}.operands`,
    (x, p) => values.get(natural(x, p)) ?? wrong(p, 'the id of a value defined before'),
  );
  const regions = array(o.regions, `${path}.regions`, (x, p) => regionFrom(x, p, values, depth + 1));
  return {
    name: string(o.name, `${path}.name`),
    operands,
    results: array(o.results, `${path}.results`, (x, p) => valueFrom(x, p, values)),
    attrs: attrsFrom(o.attrs, `${path}.attrs`),
    regions,
    ...locOf(o, path),
  };
};

const locOf = (o: Fields, path: string): { loc?: Loc } =>
  o.loc === undefined ? {} : { loc: locFrom(o.loc, `${path}.loc`) };

const locFrom = (json: unknown, path: string): Loc => {
  const l = object(json, path);
  return {
    file: string(l.file, `${path}.file`),
    line: natural(l.line, `${path}.line`),
    column: natural(l.column, `${path}.column`),
  };
};

const attrsFrom = (json: unknown, path: string): Attrs =>
  Object.fromEntries(Object.entries(object(json, path)).map(([k, v]) => [k, attrFrom(v, `${path}.${k}`, 0)]));

const attrFrom = (json: unknown, path: string, depth: number): Attr => {
  if (typeof json === 'string' || typeof json === 'boolean' || typeof json === 'number') return json;
  if (depth > 100) return wrong(path, 'nested at most 100 arrays deep');
  if (Array.isArray(json)) return json.map((e, i) => attrFrom(e, `${path}[${i}]`, depth + 1));
  const name = string(object(json, path).number, `${path}.number`);
  return special.get(name) ?? wrong(`${path}.number`, 'nan, inf, -inf or -0');
};

const special: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['-inf', -Infinity],
  ['-0', -0],
]);
